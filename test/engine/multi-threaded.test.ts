/**
 * Multi-threaded and single-threaded steps make the same samples, so an utterance may have both.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, UNSCHEDULED } from '../../src/engine/engine.js';
import { createKokoroEngine } from '../../src/engine/kokoro.js';
import { modelDirForTests } from '../../testkit/speech.js';
import { jobOf } from '../support/books/jobs.js';

let engine: Engine;
let core: Engine;
const { signal } = new AbortController();

beforeAll(async () => {
  const modelDir = await modelDirForTests();
  const options = { modelDir, lexicon: '', device: 'cpu', threads: 3, preload: ['base-tts-fast'] as const } as const;
  const log = () => undefined;
  engine = await createKokoroEngine({ ...options, share: 'either', log });
  core = await createKokoroEngine({ ...options, share: 'core', log });
}, 600_000);
afterAll(async () => {
  await engine?.close();
  await core?.close();
});

async function samples(of: Engine, isMultiThreaded: (step: number) => boolean): Promise<number[]> {
  let steps = 0;
  const job = jobOf('It was late in the evening when the last train came in.', { model: 'base-tts-fast' });
  const pcm: number[] = [];
  for await (const event of of.speak(
    job,
    { run: (work) => work({ ...UNSCHEDULED, multiThreaded: isMultiThreaded(steps++) }) },
    signal,
  )) {
    if (event.type === 'audio') pcm.push(...event.pcm);
  }
  expect(steps).toBeGreaterThan(3);
  return pcm;
}

it('makes the same samples multi-threaded, single-threaded, and alternately', async () => {
  const expected = await samples(engine, () => true);
  expect(expected.length).toBeGreaterThan(24_000);
  expect(await samples(engine, () => false)).toEqual(expected);
  expect(await samples(engine, (step) => step % 2 === 0)).toEqual(expected);
  expect(await samples(core, () => true)).toEqual(expected);
  expect(engine.version).toBe(core.version);
  expect(engine.description).toBe('cpu, 1 thread, 3 when idle');
  expect(core.description).toBe('cpu, 1 thread');
});
