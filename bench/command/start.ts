/**
 * How long the commands take to start, and the processor time of all their processes: `tts voices`
 * and the first byte of `tts speak -o -` against a running server and with none, beside Node
 * starting to do nothing. The trace tells of a command without a server what its two processes did
 * when, and the processor time that each had had by then. With NODE_EXTRA_CA_CERTS set, every
 * process reads certificates first, which takes as long as all else of an empty one.
 *
 *   npm run bench -- start [--runs 9] [--engine sine] [--models base-tts-fast,base-tts]
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from '../support/serve.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
const TRACER = path.resolve(import.meta.dirname, 'trace-process.js');

interface Started {
  /** To the first byte on stdout, or to the end where there is none. */
  readonly firstMs: number;
  /** To the end. */
  readonly endMs: number;
  /** Processor time of the command and of its children, by the shell's count. */
  readonly cpuMs: number;
}

/** Runs a command, then tells on descriptor 3 what time its processes took. */
const TIMED = '"$@" 3>&-; code=$?; times >&3; exit $code';

/** The last line of the shell's `times`: "0m1.230s 0m0.120s". */
const cpuMsOf = (times: string): number =>
  [...(times.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60_000 * Number(minutes) + 1_000 * Number(seconds),
    0,
  );

function start(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Started> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const child = spawn('sh', ['-c', TIMED, 'sh', process.execPath, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    let firstMs: number | undefined;
    let times = '';
    child.stdout!.on('data', () => {
      firstMs ??= performance.now() - startMs;
    });
    child.stdio[3]!.on('data', (text: Buffer) => {
      times += text.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      const endMs = performance.now() - startMs;
      if (code === 0) resolve({ firstMs: firstMs ?? endMs, endMs, cpuMs: cpuMsOf(times) });
      else reject(new Error(`${args.join(' ')} ended with ${code}`));
    });
  });
}

async function timed(name: string, args: readonly string[], env: NodeJS.ProcessEnv, runs: number): Promise<number> {
  const all: Started[] = [];
  for (let run = 0; run < runs; run += 1) all.push(await start(args, env));
  const times = all.map(({ firstMs }) => firstMs).sort((a, b) => a - b);
  const ends = all.map(({ endMs }) => endMs).sort((a, b) => a - b);
  const cpu = all.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
  const middle = Math.floor(runs / 2);
  const [median, best, end, busy] = [times[middle]!, times[0]!, ends[middle]!, cpu[middle]!].map(
    (ms) => `${ms.toFixed(0).padStart(5)} ms`,
  );
  process.stdout.write(`${name.padEnd(34)} median ${median}, best ${best}, to the end ${end}, processor ${busy}\n`);
  return times[middle]!;
}

interface Event {
  readonly trace: string;
  readonly what: string;
  readonly atUs: number;
  readonly cpuUs: number;
}

/** Both processes of one command write what happened into one file. */
async function trace(args: readonly string[], env: NodeJS.ProcessEnv, folder: string): Promise<void> {
  const file = path.join(folder, `trace-${args.at(-1)}.jsonl`);
  const startUs = Date.now() * 1000;
  await start(args, { ...env, NODE_OPTIONS: `--import ${TRACER}`, TTS_TRACE_FILE: file });
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as Event).sort((a, b) => a.atUs - b.atUs);
  process.stdout.write('      ms  processor ms\n');
  for (const { trace: who, what, atUs, cpuUs } of events) {
    const at = ((atUs - startUs) / 1000).toFixed(0).padStart(8);
    process.stdout.write(`${at}  ${(cpuUs / 1000).toFixed(0).padStart(12)}  ${who.padEnd(8)} ${what}\n`);
  }
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '9' },
      engine: { type: 'string', default: 'sine' },
      models: { type: 'string', default: 'base-tts-fast' },
    },
  });
  const runs = Number(values.runs);
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-bench-start-'));
  const alone = {
    ...process.env,
    TTS_ENGINE: values.engine,
    TTS_DATA_DIR: path.join(folder, 'data'),
    TTS_RUNTIME_DIR: path.join(folder, 'run'),
  };
  const server = await startServer({ TTS_ENGINE: values.engine });
  try {
    const beside = { ...alone, TTS_BASE_URL: server.baseUrl, TTS_API_KEY: server.key };
    await timed('node, nothing', ['-e', '0'], beside, runs);
    await timed('tts --version', [BIN, '--version'], beside, runs);
    await timed('tts voices', [BIN, 'voices'], beside, runs);
    for (const model of values.models.split(',')) {
      const speak = [BIN, 'speak', 'Hello there.', '-o', '-', '-m', model];
      const warm = await timed(`tts speak -o - -m ${model}`, speak, beside, runs);
      const cold = await timed('  the same, no server running', speak, alone, runs);
      process.stdout.write(`  ${(cold / warm).toFixed(1)} × as long without a server\n`);
      await trace(speak, alone, folder);
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}
