/** A delivery is heard: rests to the sample, pitch, and marks that part phrases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import type { Delivery } from '../../src/protocol/delivery/delivery.js';
import { deliveryOf } from '../../src/text/delivery/delivery.js';
import { segmentText } from '../../src/text/segment/segment.js';
import { createRecogniser } from '../../testkit/sound/recogniser.js';
import { wordErrors } from '../../testkit/sound/word-errors.js';
import { type Clip, modelDirForTests, realEngine, segmentOf, speak } from '../../testkit/speech.js';
import { medianPitch } from '../support/sound/pitch.js';

const SENTENCE = 'The harbour was quiet that morning, and the boats lay still on the water.';
const OWN: Delivery = { rate: 1, pitch: 0, range: 1, leadMs: 0, restMs: 420, rests: 1, spread: 0 };

describe('the delivery of a segment', () => {
  let engine: Engine;
  let own: Clip;
  const say = (delivery: Partial<Delivery>, text = SENTENCE) =>
    speak(engine, segmentOf(text), { delivery: { ...OWN, ...delivery } });
  beforeAll(async () => {
    engine = await realEngine(['base-tts-fast']);
    own = await say({});
  });
  afterAll(() => engine.close());

  it('rests before and behind the voice as long as it is asked for, and its times say so', async () => {
    const late = await say({ leadMs: 250, restMs: 900 });
    expect(late.pcm.length - own.pcm.length).toBe((250 + 900 - 420) * 24);
    expect(late.pcm.subarray(0, 250 * 24).every((sample) => sample === 0)).toBe(true);
    expect(late.pcm.subarray(250 * 24, 250 * 24 + 24_000)).toEqual(own.pcm.subarray(0, 24_000));
    const [there, here] = [late, own].map(({ timings }) => timings.startSamples[4]!);
    expect(there! - here!).toBe(250 * 24);
    // The pace of the style is that of its words alone.
    const slow = await say({ rate: 0.9, leadMs: 250 });
    expect(slow.pcm.subarray(0, 250 * 24).every((sample) => sample === 0)).toBe(true);
  });

  it('moves the pitch and nothing else', async () => {
    const higher = await say({ pitch: 2 });
    expect(higher.pcm.length).toBe(own.pcm.length);
    expect(12 * Math.log2(medianPitch(higher.pcm) / medianPitch(own.pcm))).toBeCloseTo(2, 0);
  });

  it('rests longer or shorter at marks inside, with the same words', async () => {
    const comma = [...SENTENCE].indexOf(',');
    const rest = ({ timings: { startSamples } }: Clip) => startSamples[comma + 2]! - startSamples[comma]!;
    const [short, long] = [await say({ rests: 0.5 }), await say({ rests: 2 })];
    expect(rest(long) / rest(short)).toBeGreaterThan(1.3);
    // The words are as long as they were.
    const spoken = (clip: Clip) => clip.pcm.length - rest(clip);
    expect(Math.abs(spoken(long) - spoken(short))).toBeLessThan(1_200);
    const recogniser = await createRecogniser(await modelDirForTests());
    for (const clip of [short, long])
      expect(wordErrors(SENTENCE, await recogniser.transcribe(clip.pcm))).toBeLessThanOrEqual(1);
    await recogniser.close();
  });

  it('is the same to the sample when it is said again', async () => {
    const text = `${SENTENCE} Nobody had seen the old man leave.`;
    const segments = segmentText(text, { countTokens: (each) => each.length, inTimeChars: Number.POSITIVE_INFINITY });
    for (const segment of segments) {
      const delivery = deliveryOf(segment, { style: 'narration', seed: 5 })!;
      const [first, again] = [await speak(engine, segment, { delivery }), await speak(engine, segment, { delivery })];
      expect(again).toEqual(first);
    }
  });
});
