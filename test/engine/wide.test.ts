/** Turns with all cores and turns with one: the samples are the same, so an utterance may be made of both. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, UNSCHEDULED } from '../../src/engine/engine.js';
import { createKokoroEngine } from '../../src/engine/kokoro.js';
import { modelDirForTests } from '../../testkit/speech.js';
import { jobOf } from '../support/jobs.js';

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

async function samples(of: Engine, wide: (turn: number) => boolean): Promise<number[]> {
  let turns = 0;
  const job = jobOf('It was late in the evening when the last train came in.', { model: 'base-tts-fast' });
  const pcm: number[] = [];
  for await (const event of of.speak(
    job,
    { run: (work) => work({ ...UNSCHEDULED, multiThreaded: wide(turns++) }) },
    signal,
  )) {
    if (event.type === 'audio') pcm.push(...event.pcm);
  }
  expect(turns).toBeGreaterThan(3);
  return pcm;
}

it('makes the same samples wide, narrow, and in turns of both', async () => {
  const wide = await samples(engine, () => true);
  expect(wide.length).toBeGreaterThan(24_000);
  expect(await samples(engine, () => false)).toEqual(wide);
  expect(await samples(engine, (turn) => turn % 2 === 0)).toEqual(wide);
  expect(await samples(core, () => true)).toEqual(wide);
  expect(engine.version).toBe(core.version);
  expect(engine.description).toBe('cpu, 1 thread, 3 for a lone listener');
  expect(core.description).toBe('cpu, 1 thread');
});
