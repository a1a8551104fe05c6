/**
 * A live listener beside an audiobook on the same server: first sound and stalls, alone and while
 * `tts book` has it made, in turns.
 *
 *   npm run bench -- beside [--listeners 12] [--engine kokoro] [--model base-tts-fast] [--rounds 2]
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createHttpClient } from '../../src/client/http.js';
import { quantile } from '../../src/client/load/capacity.js';
import { httpListener, type Listened } from '../../src/client/load/listener.js';
import { type BenchServer, startServer } from '../support/serve.js';
import { bookText, TEXTS, VOICE } from '../support/texts.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
/** Longer than all listeners take. */
const BOOK_MINUTES = 3_000;
/** Until every engine of the server has something to do. */
const BUSY_MS = 5_000;

/** One listener after the other, each beginning when the one before has heard its text. */
async function listeners(server: BenchServer, model: string, count: number): Promise<Listened[]> {
  const client = createHttpClient({ baseUrl: server.baseUrl, apiKey: server.key });
  const listen = httpListener(client, { model, voice: VOICE });
  const heard: Listened[] = [];
  for (let i = 0; i < count; i += 1) {
    const one = await listen(TEXTS[i % TEXTS.length]!, new AbortController().signal);
    heard.push(one);
    await sleep(Math.max(0, one.playedOutAtMs - performance.now()));
  }
  client.close();
  return heard;
}

async function besideBook<Result>(server: BenchServer, model: string, work: () => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-bench-beside-'));
  const file = path.join(folder, 'book.md');
  await writeFile(file, bookText(BOOK_MINUTES));
  const env = { ...process.env, TTS_API_KEY: server.key, TTS_BOOK_DIR: path.join(folder, 'books') };
  const args = ['book', file, '-o', path.join(folder, 'book.m4b'), '-m', model, '-q', '--server', server.baseUrl];
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    await sleep(BUSY_MS);
    const result = await work();
    if (child.exitCode !== null) throw new Error('the book ended before its listeners did');
    return result;
  } finally {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

function tell(name: string, heard: readonly Listened[]): number {
  const firsts = heard.map(({ firstAudioMs }) => firstAudioMs);
  const [median, late] = [quantile(firsts, 0.5), quantile(firsts, 0.95)];
  const stalled = heard.filter((one) => one.stalled).length;
  process.stdout.write(
    `${name.padEnd(14)} first sound p50 ${median.toFixed(0).padStart(5)} ms, p95 ${late.toFixed(0).padStart(5)} ms, ` +
      `${stalled} of ${heard.length} stalled, load ${loadavg()[0]!.toFixed(1)}\n`,
  );
  return median;
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      listeners: { type: 'string', default: '12' },
      rounds: { type: 'string', default: '2' },
      engine: { type: 'string', default: 'kokoro' },
      model: { type: 'string', default: 'base-tts-fast' },
    },
  });
  const { model, engine } = values;
  const count = Number(values.listeners);
  const server = await startServer({ TTS_ENGINE: engine });
  try {
    await listeners(server, model, 2);
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const alone = tell('alone', await listeners(server, model, count));
      const beside = tell('beside a book', await besideBook(server, model, () => listeners(server, model, count)));
      process.stdout.write(`ratio of the medians ${(beside / alone).toFixed(2)}\n`);
    }
  } finally {
    await server.stop();
  }
}
