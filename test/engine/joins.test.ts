/** The real voice over the cuts of a writer's first sentence: no break in melody, no click. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { voicedPoints } from '../../bench/sound/delivery/melody.js';
import { pitchTrack } from '../../bench/sound/delivery/pitch-track.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Segment } from '../../src/protocol/job.js';
import { deliveryOf } from '../../src/text/delivery/delivery.js';
import { segmentText } from '../../src/text/segment/segment.js';
import { joinPcm, realEngine, speak } from '../../testkit/speech.js';
import { faultsOf } from '../support/sound/clip-checks.js';

let engine: Engine;
beforeAll(async () => {
  engine = await realEngine(['base-tts-fast']);
}, 600_000);
afterAll(async () => engine?.close());

const PHRASE =
  'A speech service that runs on your own machine reads every text that you give it in a voice of your choice.';
const CLAUSE = 'When the evening comes, a speech service reads the news to everybody who wants to hear it.';

const cut = (text: string): Segment[] => segmentText(text, { countTokens: (words) => words.length, written: true });

async function say(segments: readonly Segment[], voice: string, model: 'base-tts' | 'base-tts-fast' = 'base-tts-fast') {
  const clips = [];
  for (const segment of segments) {
    clips.push(
      await speak(engine, segment, { model, voice, delivery: deliveryOf(segment, { style: 'assistant', seed: 0 })! }),
    );
  }
  const pcm = joinPcm(clips.map((clip) => clip.pcm));
  return { pcm, clips, cutMs: clips[0]!.pcm.length / 24 };
}

/** Semitones from the last voiced frames before a place to the first ones behind it. */
function stepAt(pcm: Int16Array, ms: number): number {
  const track = pitchTrack(pcm);
  const height = (points: readonly (readonly [number, number])[]) =>
    points.reduce((sum, [, semitones]) => sum + semitones, 0) / points.length;
  return height(voicedPoints(track, ms, ms + 600).slice(0, 5)) - height(voicedPoints(track, ms - 400, ms).slice(-5));
}

/** The same where `text` is not cut, in front of `words`. */
async function stepInWhole(text: string, words: string, voice: string, model?: 'base-tts'): Promise<number> {
  const [whole] = segmentText(text, { countTokens: (all) => all.length, inTimeChars: Number.POSITIVE_INFINITY });
  const { pcm, clips } = await say([whole!], voice, model);
  return stepAt(pcm, clips[0]!.timings.startSamples[text.indexOf(words)]! / 24);
}

/** The longest silence within 200 ms of a place (ms). */
function restAt(pcm: Int16Array, ms: number): number {
  let [longest, run] = [0, 0];
  for (let at = (ms - 200) * 24; at < (ms + 200) * 24; at += 120) {
    const isQuiet = pcm.subarray(at, at + 120).every((sample) => Math.abs(sample) < 200);
    run = isQuiet ? run + 5 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

describe('over a cut', () => {
  it.each(['american_female_heart', 'british_male_george'])(
    'before a phrase %s goes on without a break',
    async (voice) => {
      const segments = cut(PHRASE);
      expect(segments.map(({ pause }) => pause)).toEqual(['joined', 'sentence']);
      const { pcm, clips, cutMs } = await say(segments, voice);
      // Both voices used to begin anew here, 3 and 12 semitones higher, behind a rest.
      const step = await stepInWhole(PHRASE, segments[1]!.text, voice);
      expect(Math.abs(stepAt(pcm, cutMs) - step)).toBeLessThan(2.5);
      expect(restAt(pcm, cutMs)).toBeLessThan(40);
      expect(faultsOf(pcm)).toEqual([]);
      for (const { timings, pcm: own } of clips) {
        expect(
          timings.startSamples.every(
            (start, at) => start <= own.length && start >= (timings.startSamples[at - 1] ?? 0),
          ),
        ).toBe(true);
      }
    },
    120_000,
  );

  it('at a clause the voice rises no more than it does in the whole sentence', async () => {
    const voice = 'british_male_george';
    const { pcm, cutMs } = await say(cut(CLAUSE), voice);
    // It rises by 6 there; said as a sentence of its own, the second piece began 12 higher.
    expect(stepAt(pcm, cutMs)).toBeLessThan((await stepInWhole(CLAUSE, 'a speech', voice)) + 2.5);
    expect(faultsOf(pcm)).toEqual([]);
  }, 120_000);

  it('base-tts goes on as well', async () => {
    const segments = cut(PHRASE);
    const { pcm, cutMs } = await say(segments, 'british_male_george', 'base-tts');
    const step = await stepInWhole(PHRASE, segments[1]!.text, 'british_male_george', 'base-tts');
    expect(Math.abs(stepAt(pcm, cutMs) - step)).toBeLessThan(2.5);
    expect(restAt(pcm, cutMs)).toBeLessThan(40);
    expect(faultsOf(pcm)).toEqual([]);
  }, 180_000);
});
