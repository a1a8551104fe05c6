/**
 * How long the commands take to start: `tts voices` and the first byte of `tts speak -o -` against a running server,
 * beside Node starting to do nothing.
 *
 *   npm run bench -- start [--runs 9] [--engine sine]
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from './serve.js';

const BIN = path.resolve(import.meta.dirname, '../bin/tts.js');

/** Milliseconds to the first byte on stdout, or to the end where there is none. */
function firstByte(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let first: number | undefined;
    child.stdout.on('data', () => {
      first ??= performance.now() - start;
    });
    child.once('error', reject);
    child.once('close', () => resolve(first ?? performance.now() - start));
  });
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { runs: { type: 'string', default: '9' }, engine: { type: 'string', default: 'sine' } },
  });
  const server = await startServer({ TTS_ENGINE: values.engine });
  const env = { ...process.env, TTS_BASE_URL: server.baseUrl, TTS_API_KEY: server.key };
  const cases: Record<string, string[]> = {
    'node, nothing': ['-e', '0'],
    'tts --version': [BIN, '--version'],
    'tts voices': [BIN, 'voices'],
    'tts speak -o -': [BIN, 'speak', 'Hello there.', '-o', '-', '-m', 'base-tts-fast'],
    'tts speak -o - --seed 0': [BIN, 'speak', 'Hello there.', '-o', '-', '-m', 'base-tts-fast', '--seed', '0'],
  };
  let floor = 0;
  try {
    for (const [name, command] of Object.entries(cases)) {
      const times: number[] = [];
      for (let run = 0; run < Number(values.runs); run++) times.push(await firstByte(command, env));
      times.sort((a, b) => a - b);
      const median = times[Math.floor(times.length / 2)]!;
      floor ||= median;
      process.stdout.write(
        `${name.padEnd(26)} median ${median.toFixed(0).padStart(5)} ms, best ${times[0]!.toFixed(0).padStart(5)} ms, ${(median / floor).toFixed(1)}× node\n`,
      );
    }
  } finally {
    await server.stop();
  }
}
