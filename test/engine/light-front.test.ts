/**
 * Does the fast voice, whose front is a network of our own, read as the other does: as long, as
 * high, a question as a question?
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { SAMPLE_RATE } from '../../src/protocol/audio.js';
import type { BaseModel } from '../../src/protocol/job.js';
import { median, voicedFrames } from '../../testkit/periodicity.js';
import { type Clip, realEngine, speak, VOICES } from '../../testkit/speech.js';

const STATEMENTS = [
  'The old engine carried nine hundred people over the mountains, and nobody ever complained about the noise.',
  'She opened the letter, read it twice, and put it back without a word.',
  'Late in the evening the wind turned, and by midnight the harbour was full of ships again.',
];
const QUESTION = 'Are you coming home with us?';
const ANSWER = 'They are coming home with us.';

let engine: Engine;
beforeAll(async () => {
  engine = await realEngine([]);
}, 600_000);
afterAll(async () => engine?.close());

const say = (text: string, model: BaseModel, voice: string): Promise<Clip> => speak(engine, text, { model, voice });
const semitones = (hz: number, from: number): number => 12 * Math.log2(hz / from);
const pitches = ({ pcm }: Clip): number[] => Array.from(voicedFrames(pcm), ({ period }) => SAMPLE_RATE / period);
/** From the middle of what was said to its end. */
function rise(clip: Clip): number {
  const heard = pitches(clip);
  return semitones(median(heard.slice(-5)), median(heard));
}

describe.each(VOICES)('the fast voice as %s', (voice) => {
  it('takes as long for a sentence as base-tts, and speaks as high', async () => {
    const lengths: number[] = [];
    for (const text of STATEMENTS) {
      const [base, fast] = [await say(text, 'base-tts', voice), await say(text, 'base-tts-fast', voice)];
      lengths.push(fast.pcm.length / base.pcm.length);
      expect(Math.abs(lengths.at(-1)! - 1), text).toBeLessThan(0.1);
      expect(Math.abs(semitones(median(pitches(fast)), median(pitches(base)))), text).toBeLessThan(1);
    }
    expect(Math.abs(lengths.reduce((sum, length) => sum + length) / lengths.length - 1)).toBeLessThan(0.05);
  }, 600_000);

  it('ends a question, and a statement, as base-tts does', async () => {
    for (const text of [QUESTION, ANSWER]) {
      const [base, fast] = [await say(text, 'base-tts', voice), await say(text, 'base-tts-fast', voice)];
      expect(Math.abs(rise(fast) - rise(base)), text).toBeLessThan(2.5);
    }
  }, 600_000);
});
