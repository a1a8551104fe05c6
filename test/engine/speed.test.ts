/**
 * A speed, heard: the time it takes, the words that are still understood, and when they are said.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { findEnd, findOnset } from '../../src/engine/finish.js';
import { msToSamples } from '../../src/protocol/audio.js';
import { createRecogniser, type Recogniser } from '../../testkit/sound/recogniser.js';
import { modelDirForTests, realEngine, segmentOf, speak } from '../../testkit/speech.js';

const TEXT = 'The old lighthouse keeper climbed the narrow stairs every evening before the ships came home.';
/** The same beginning, for `base-tts`, which takes a second of a core for a second. */
const SHORT = 'The old lighthouse keeper climbed the narrow stairs.';
/** The share of words that may be missed. */
const MISSED = 2 / 15;
/** From the first sample of the voice to its last, by what is 6 dB louder than `findEnd` asks. */
function heardSamples(pcm: Int16Array): number {
  const samples = Float32Array.from(pcm, (sample) => sample / 65_536);
  return findEnd(samples) - (findOnset(samples) ?? 0);
}
const words = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

describe('speed', () => {
  let engine: Engine;
  let recogniser: Recogniser;
  let plain: Awaited<ReturnType<typeof speak>>;
  beforeAll(async () => {
    engine = await realEngine(['base-tts-fast']);
    recogniser = await createRecogniser(await modelDirForTests());
    plain = await speak(engine, TEXT);
  });
  afterAll(async () => {
    await recogniser.close();
    await engine.close();
  });

  it.each([0.25, 0.5, 0.8, 1.2, 1.6, 2, 4])('%f is heard: as much shorter or longer, and in time', async (speed) => {
    const { pcm, timings } = await speak(engine, TEXT, { speed });
    const ratio = plain.pcm.length / pcm.length / speed;
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(1.1);
    // The last word begins where its sound does: at the same share of the whole.
    const last = TEXT.lastIndexOf('home');
    const share = (clip: typeof plain) => clip.timings.startSamples[last]! / clip.pcm.length;
    expect(share({ pcm, timings, chunks: [] })).toBeCloseTo(share(plain), 1);
    expect(timings.startSamples.every((start, i) => i === 0 || start >= timings.startSamples[i - 1]!)).toBe(true);
    expect(Math.max(...timings.startSamples)).toBeLessThanOrEqual(pcm.length);
  });

  // Beyond what the model speaks well both are hastened by the same code, so base-tts is heard at
  // two speeds.
  it.each([
    [0.25, 'base-tts-fast'],
    [0.5, 'base-tts-fast'],
    [1.25, 'base-tts-fast'],
    [2, 'base-tts-fast'],
    [0.5, 'base-tts'],
    [1.75, 'base-tts'],
  ] as const)(
    '%f is understood of %s',
    async (speed, model) => {
      const text = model === 'base-tts' ? SHORT : TEXT;
      const { pcm } = await speak(engine, text, { speed, model });
      const heard = words(await recogniser.transcribe(pcm, Math.max(1, speed)));
      const missed = words(text).filter((word) => !heard.includes(word)).length;
      expect(missed / words(text).length, heard.join(' ')).toBeLessThanOrEqual(MISSED);
    },
    600_000,
  );

  // The model counts in steps of 25 ms: asked for 1.25, it says "Good morning." 1.17 times as fast.
  it.each(['OK?', 'Good morning.', 'Of course.', 'See you later.'])('is heard of %s, which is short', async (text) => {
    const voice = 'american_female_heart';
    const [own, fast] = [await speak(engine, text, { voice }), await speak(engine, text, { voice, speed: 2 })];
    const ratio = heardSamples(own.pcm) / heardSamples(fast.pcm) / 2;
    expect(ratio).toBeGreaterThan(0.95);
    expect(ratio).toBeLessThan(1.05);
  });

  it('leaves a rest as long as was asked for', async () => {
    const text = 'Wait. Now.';
    const withBreak = (ms: number) => ({
      ...segmentOf(text),
      spans: [
        { kind: 'text', text: 'Wait.', start: 0, end: 5 },
        { kind: 'break', ms, start: 5, end: 6 },
        { kind: 'text', text: 'Now.', start: 6, end: 10 },
      ] as const,
    });
    for (const speed of [0.5, 3]) {
      const [short, long] = [
        await speak(engine, withBreak(500), { speed }),
        await speak(engine, withBreak(2_500), { speed }),
      ];
      expect(Math.abs(long.pcm.length - short.pcm.length - msToSamples(2_000))).toBeLessThan(msToSamples(10));
      // The word behind the rest begins when it is heard.
      const heardAt = long.pcm.findIndex((sample, i) => i > msToSamples(2_000) && Math.abs(sample) > 400);
      expect(Math.abs(heardAt - long.timings.startSamples[6]!)).toBeLessThan(msToSamples(60));
    }
  });
});
