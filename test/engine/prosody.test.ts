/** What SSML asks of the delivery is heard: pitch, pace and loudness, measured in both models. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import type { SegmentJob } from '../../src/protocol/job.js';
import { segmentText } from '../../src/text/segment/segment.js';
import { createRecogniser } from '../../testkit/sound/recogniser.js';
import { wordErrors } from '../../testkit/sound/word-errors.js';
import { type Clip, modelDirForTests, realEngine, speak } from '../../testkit/speech.js';
import { medianPitch, pitchOf } from '../support/sound/pitch.js';

const countTokens = (text: string) => text.length;
const WHOLE = 'My mother made a warm meal for all of them.';

function levelDb(pcm: Int16Array, from = 0, to = pcm.length): number {
  let sum = 1e-9;
  for (let i = from; i < to; i += 1) sum += pcm[i]! ** 2;
  return 10 * Math.log10(sum / Math.max(1, to - from));
}

/** Samples of a word of a clip, as its times say. */
function placeOf(clip: Clip, text: string, word: string): [number, number] {
  const at = [...text.slice(0, text.indexOf(word))].length;
  const last = at + [...word].length - 1;
  return [clip.timings.startSamples[at]!, clip.timings.startSamples[last]! + clip.timings.durationSamples[last]!];
}

for (const model of ['base-tts-fast', 'base-tts'] as const satisfies readonly SegmentJob['model'][]) {
  describe(model, () => {
    let engine: Engine;
    let plain: Clip;
    const say = (ssml: string) => {
      const [segment, ...more] = segmentText(ssml, { countTokens, ssml: true, inTimeChars: Number.POSITIVE_INFINITY });
      expect(more).toEqual([]);
      return speak(engine, segment!, { model });
    };
    beforeAll(async () => {
      engine = await realEngine([model]);
      plain = await say(WHOLE);
    });
    afterAll(() => engine.close());

    it('speaks higher and lower by as many semitones as it is asked for', async () => {
      for (const semitones of model === 'base-tts' ? [3] : [-4, 3]) {
        const sign = semitones > 0 ? '+' : '';
        const clip = await say(`<prosody pitch="${sign}${semitones}st">${WHOLE}</prosody>`);
        // Frames of both are those of the same sounds.
        const own = pitchOf(plain.pcm);
        const bends = pitchOf(clip.pcm).flatMap((hz, i) => (hz > 0 && own[i]! > 0 ? 12 * Math.log2(hz / own[i]!) : []));
        const heard = bends.sort((a, b) => a - b)[Math.floor(bends.length / 2)]!;
        expect(Math.abs(heard - semitones)).toBeLessThan(0.4);
        expect(Math.abs(clip.pcm.length - plain.pcm.length)).toBeLessThan(2_400);
      }
    });

    it('speaks slower and faster, a whole sentence and a part of one', async () => {
      const slow = await say(`<prosody rate="70%">${WHOLE}</prosody>`);
      expect(slow.pcm.length / plain.pcm.length).toBeGreaterThan(1.25);
      const text = WHOLE.replace('warm meal', '<prosody rate="60%">warm meal</prosody>');
      const part = await say(text);
      const [from, to] = placeOf(part, text, 'warm meal');
      const [before, behind] = placeOf(plain, WHOLE, 'warm meal');
      const grown = (to - from) / (behind - before);
      expect(grown).toBeGreaterThan(1.5);
      expect(grown).toBeLessThan(1.9);
      // The rest is as long as before.
      expect(Math.abs(part.pcm.length - (to - from) - (plain.pcm.length - (behind - before)))).toBeLessThan(2_400);
    });

    it.runIf(model === 'base-tts-fast')(
      'speaks louder and softer, a word of a sentence too, without a step',
      async () => {
        const soft = await say(`<prosody volume="-9dB">${WHOLE}</prosody>`);
        expect(soft.pcm.length).toBe(plain.pcm.length);
        expect(levelDb(soft.pcm) - levelDb(plain.pcm)).toBeCloseTo(-9, 0);
        const text = WHOLE.replace('warm', '<prosody volume="-12dB">warm</prosody>');
        const part = await say(text);
        const [from, to] = placeOf(part, text, 'warm');
        const margin = 900;
        const heard = levelDb(part.pcm, from + margin, to - margin) - levelDb(plain.pcm, from + margin, to - margin);
        expect(Math.abs(heard + 12)).toBeLessThan(1.5);
        const [later, end] = placeOf(part, text, 'all of them');
        expect(Math.abs(levelDb(part.pcm, later, end) - levelDb(plain.pcm, later, end))).toBeLessThan(0.5);
      },
    );

    it.runIf(model === 'base-tts-fast')('widens and narrows the melody', async () => {
      const spread = (pcm: Int16Array) => {
        const voiced = pitchOf(pcm)
          .filter((hz) => hz > 0)
          .sort((a, b) => a - b);
        return 12 * Math.log2(voiced[Math.floor(voiced.length * 0.9)]! / voiced[Math.floor(voiced.length * 0.1)]!);
      };
      const flat = await say(`<prosody range="x-low">${WHOLE}</prosody>`);
      const wide = await say(`<prosody range="x-high">${WHOLE}</prosody>`);
      expect(spread(flat.pcm)).toBeLessThan(0.6 * spread(plain.pcm));
      expect(spread(wide.pcm)).toBeGreaterThan(1.3 * spread(plain.pcm));
    });

    it.runIf(model === 'base-tts-fast')('is understood as well as before', async () => {
      const recogniser = await createRecogniser(await modelDirForTests());
      for (const ssml of [
        WHOLE.replace('warm', '<emphasis level="strong">warm</emphasis>'),
        `<prosody pitch="-4st" range="x-high">${WHOLE}</prosody>`,
        WHOLE.replace('warm meal', '<prosody rate="130%" volume="soft">warm meal</prosody>'),
      ]) {
        expect(wordErrors(WHOLE, await recogniser.transcribe((await say(ssml)).pcm)), ssml).toBe(0);
      }
      await recogniser.close();
    });

    it('gives an emphasised word weight: higher, longer and louder, and no jump of the pitch', async () => {
      const text = WHOLE.replace('warm', '<emphasis level="strong">warm</emphasis>');
      const clip = await say(text);
      const [from, to] = placeOf(clip, text, 'warm');
      const [before, behind] = placeOf(plain, WHOLE, 'warm');
      const higher = 12 * Math.log2(medianPitch(clip.pcm, from, to) / medianPitch(plain.pcm, before, behind));
      const longer = (to - from) / (behind - before);
      const louder = levelDb(clip.pcm, from, to) - levelDb(plain.pcm, before, behind);
      const steps = (pcm: Int16Array) => {
        const hz = pitchOf(pcm, from - 1_200, to + 1_200);
        const all = hz.flatMap((each, i) => (each > 0 && hz[i - 1]! > 0 ? [12 * Math.log2(each / hz[i - 1]!)] : []));
        // An octave is a slip of the tracker, not of the voice.
        return Math.max(...all.map(Math.abs).filter((step) => Math.abs(step - 12) > 1));
      };
      expect(higher).toBeGreaterThan(1.2);
      expect(longer).toBeGreaterThan(1.08);
      expect(louder).toBeGreaterThan(1.5);
      expect(steps(clip.pcm)).toBeLessThan(2);
    });
  });
}
