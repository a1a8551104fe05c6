/**
 * Is every word heard? An offline recogniser listens to fixed sentences; ears of another kind look
 * for cuts and clicks.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import type { BaseModel } from '../../src/protocol/job.js';
import { createRecogniser, type Recogniser } from '../../testkit/recogniser.js';
import { SENTENCES } from '../../testkit/sentences.js';
import { modelDirForTests, realEngine, speak, VOICES } from '../../testkit/speech.js';
import { faultsOf } from '../support/clip-checks.js';
import { letterErrors, lettersOf } from '../support/letters.js';

let engine: Engine;
let recogniser: Recogniser;
beforeAll(async () => {
  engine = await realEngine([]);
  recogniser = await createRecogniser(await modelDirForTests());
}, 600_000);
afterAll(async () => {
  await engine?.close();
  await recogniser?.close();
});

interface Heard {
  readonly sentence: string;
  readonly voice: string;
  readonly heard: string;
  readonly rate: number;
}

async function listen(model: BaseModel, pairs: readonly (readonly [string, string])[]) {
  const results: Heard[] = [];
  const faults: string[] = [];
  let errors = 0;
  let letters = 0;
  // The next sentence is spoken while the recogniser listens to this one.
  let next = pairs[0] && speak(engine, pairs[0][0], { model, voice: pairs[0][1] });
  for (const [i, [sentence, voice]] of pairs.entries()) {
    const { pcm } = await next!;
    const following = pairs[i + 1];
    next = following && speak(engine, following[0], { model, voice: following[1] });
    // A failure is thrown where it is awaited.
    next?.catch(() => undefined);
    faults.push(...faultsOf(pcm).map((fault) => `${fault}: ${sentence} (${voice})`));
    const heard = await recogniser.transcribe(pcm);
    const wrong = letterErrors(sentence, heard);
    const length = lettersOf(sentence).length;
    errors += wrong;
    letters += length;
    results.push({ sentence, voice, heard, rate: wrong / length });
  }
  return { overall: errors / letters, bad: results.filter(({ rate }) => rate > 0.15), faults, results };
}

describe('speech is understood', () => {
  it('has at least 40 sentences to say', () => {
    expect(new Set(SENTENCES).size).toBeGreaterThanOrEqual(40);
  });

  it('base-tts-fast: every sentence in both voices, at most 3% of letters wrong, none above 15%, no faulty clip', async () => {
    const pairs = SENTENCES.flatMap((sentence) => VOICES.map((voice) => [sentence, voice] as const));
    const { overall, bad, faults } = await listen('base-tts-fast', pairs);
    expect(bad).toEqual([]);
    expect(faults).toEqual([]);
    expect(overall).toBeLessThanOrEqual(0.03);
  }, 600_000);

  it('base-tts: every sentence, the voices in turn, at most 3% of letters wrong, none above 15%, no faulty clip', async () => {
    const pairs = SENTENCES.map((sentence, i) => [sentence, VOICES[i % VOICES.length]!] as const);
    const { overall, bad, faults } = await listen('base-tts', pairs);
    expect(bad).toEqual([]);
    expect(faults).toEqual([]);
    expect(overall).toBeLessThanOrEqual(0.03);
  }, 900_000);
});
