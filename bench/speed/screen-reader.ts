/**
 * What a person with a screen reader waits for: the module of speech-dispatcher with an engine of
 * its own, from the line that ends a message to the first block of samples. Letters and words that
 * are kept ready, fresh text of one to three words; from STOP to the last event; memory; and how
 * well words are understood as the rate grows.
 *
 *   npm run bench -- screen-reader [--rounds 60] [--rates]
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { quantile } from '../../src/client/load/capacity.js';
import { loadConfig } from '../../src/config.js';
import { keptTexts } from '../../src/speechd/kept-words.js';
import { createRecogniser } from '../../testkit/sound/recogniser.js';
import { wordErrors, wordsOf } from '../../testkit/sound/word-errors.js';
import { ModuleProcess } from '../../testkit/speechd-module.js';
import { cpuSeconds } from '../support/serve.js';

const FIRST = 'green,open,small,second,recent,daily,silver,quiet,local,broken,early,remote'.split(',');
const SECOND = 'garden,letter,project,picture,meeting,station,bottle,account,river,notebook'.split(',');
const SENTENCES = [
  'The train to the coast leaves from the second platform in the morning.',
  'She opened the window and looked at the garden behind the house.',
  'Please write your name at the top of the page before you begin.',
  'The weather was cold, but the children played outside until dinner.',
];
const RATES = [0, 23, 39, 61, 77, 90, 100];

const settings = (rate = 0): string[] => [`rate=${rate}`, 'pitch=0', 'volume=100', 'punctuation_mode=none'];

/** One to three words that were not said before, for some 300 times. */
function freshText(i: number): string {
  const [first, second] = [FIRST[Math.floor(i / 3) % FIRST.length]!, SECOND[Math.floor(i / 3) % SECOND.length]!];
  // Single words are few, so every round has its own form of them.
  const word = `${second}${['', 's', "'s", 'ly', 'ing'][Math.floor(i / 30) % 5]}`;
  return [word, `${first} ${second}`, `${first} ${FIRST[(i + 5) % FIRST.length]} ${second}`][i % 3]!;
}

/** Milliseconds from the end of the message to its first samples. */
async function firstSample(module: ModuleProcess, type: string, text: string): Promise<number> {
  await module.command('SET', settings());
  await module.command(type);
  const startMs = performance.now();
  module.send(`${text}\n.\n`);
  await module.next();
  const { blocks } = await module.hear();
  return (blocks[0]?.atMs ?? Number.NaN) - startMs;
}

/** Milliseconds from STOP to its event, behind which nothing comes. */
async function untilSilent(module: ModuleProcess): Promise<number> {
  await module.command('SPEAK', [`<speak>${SENTENCES.join(' ').repeat(5)}</speak>`]);
  while ((await module.next()).last !== '705 AUDIO');
  await sleep(50);
  const startMs = performance.now();
  module.send('STOP\n');
  for (;;) {
    const { last, atMs } = await module.next();
    if (last === '703 STOP') return atMs - startMs;
  }
}

/** How many times longer work takes here than the processor works on it: 1 on a quiet machine. */
function crowding(): number {
  const startMs = performance.now();
  const before = process.cpuUsage();
  let sum = 0;
  for (let i = 0; i < 200_000_000; i += 1) sum = (sum * 31 + i) | 0;
  const { user, system } = process.cpuUsage(before);
  return (performance.now() - startMs + (sum === 1 ? 1 : 0)) / ((user + system) / 1000);
}

/** Seconds of processor time of the module and of its engine. */
async function processorSeconds({ child }: ModuleProcess): Promise<number[]> {
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return Promise.all([child.pid!, ...children.trim().split(' ').map(Number)].map(cpuSeconds));
}

const print = (name: string, values: readonly number[]): void => {
  const at = (q: number) => quantile(values, q).toFixed(1);
  process.stdout.write(`  ${name}: p50 ${at(0.5)}, p95 ${at(0.95)} ms, ${values.length} times\n`);
};

/** Waits for the file of the words that are kept. */
async function untilKept(folder: string): Promise<void> {
  const dir = path.join(folder, 'tts', 'speechd');
  const last = JSON.stringify(`text ${keptTexts('en').at(-1)!.text}`);
  for (;;) {
    const [file] = await readdir(dir).catch(() => []);
    if (file?.endsWith('.pcm') && (await readFile(path.join(dir, file))).includes(last)) return;
    await sleep(1_000);
  }
}

async function understood(module: ModuleProcess, modelDir: string): Promise<void> {
  const recogniser = await createRecogniser(modelDir, 'base');
  const words = SENTENCES.flatMap(wordsOf).length;
  for (const rate of RATES) {
    let errors = 0;
    for (const text of SENTENCES) {
      await module.command('SET', settings(rate));
      const { samples } = await module.speak('SPEAK', `<speak>${text}</speak>`);
      errors += wordErrors(text, await recogniser.transcribe(samples));
    }
    const share = ((100 * errors) / words).toFixed(0);
    process.stdout.write(`  rate ${rate}, ${(6 ** (rate / 100)).toFixed(1)} ×: ${share} % of ${words} words wrong\n`);
  }
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: { rounds: { type: 'string', default: '60' }, rates: { type: 'boolean', default: false } },
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-bench-'));
  const { modelDir } = loadConfig().config;
  const env = { ...process.env, XDG_CACHE_HOME: folder, TTS_RUNTIME_DIR: folder, TTS_MODEL_DIR: modelDir };
  const module = new ModuleProcess(env);
  try {
    await module.init();
    const rounds = Number(values.rounds);
    for (const word of ['One.', 'Two words.']) await module.speak('SPEAK', `<speak>${word}</speak>`);
    process.stdout.write(`everything takes ${crowding().toFixed(1)} times as long as on a quiet machine\n`);
    const before = await processorSeconds(module);
    const fresh: number[] = [];
    for (let i = 0; i < rounds; i += 1) {
      fresh.push(await firstSample(module, 'SPEAK', `<speak>${freshText(i)}</speak>`));
    }
    print('fresh text of one to three words', fresh);
    const after = await processorSeconds(module);
    const spent = after.map((seconds, i) => ((1000 * (seconds - before[i]!)) / rounds).toFixed(1));
    process.stdout.write(`  processor time for all of each: ${spent[0]} ms in the module, ${spent[1]} in its engine\n`);
    await untilKept(folder);
    const kept = keptTexts('en').slice(0, rounds);
    const ready: number[] = [];
    for (const { text, isChar } of kept)
      ready.push(await firstSample(module, isChar ? 'CHAR' : 'SPEAK', isChar ? text : `<speak>${text}</speak>`));
    print('letters, digits and words that are kept', ready);
    const stops: number[] = [];
    for (let i = 0; i < Math.ceil(rounds / 6); i += 1) stops.push(await untilSilent(module));
    print('from STOP to silence', stops);
    const status = await readFile(`/proc/${module.child.pid}/status`, 'utf8').catch(() => '');
    const mb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1000;
    process.stdout.write(`  memory of the module beside its engine's process: ${mb.toFixed(0)} MB\n`);
    if (values.rates) await understood(module, modelDir);
  } finally {
    module.child.kill('SIGTERM');
    await module.exited;
    await rm(folder, { recursive: true, force: true });
  }
}
