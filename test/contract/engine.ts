/** What every engine must do, whatever it makes sound with. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { msToSamples } from '../../src/protocol/audio.js';
import type { Segment, SegmentJob } from '../../src/protocol/job.js';
import { UNSCHEDULED_STEPS } from '../../testkit/speech.js';
import { collect, jobOf } from '../support/books/jobs.js';

const never = new AbortController().signal;
const TEXT = 'The ship sailed at dawn, and nobody on the quay waved.';
/** No event holds more, so that a listener's pace is felt. */
const MOST_SAMPLES = msToSamples(1_000);

const withBreaks = (ms: number): Segment => ({
  text: 'Wait. <b/> Go.',
  offset: 0,
  spans: [
    { kind: 'text', text: 'Wait. ', start: 0, end: 6 },
    { kind: 'break', ms, start: 6, end: 10 },
    { kind: 'text', text: ' Go.', start: 10, end: 14 },
  ],
  pause: 'sentence',
});

export function engineContract(name: string, open: () => Promise<Engine>, model: SegmentJob['model']): void {
  describe(`${name} as an engine`, { timeout: 300_000 }, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await open();
    }, 600_000);
    afterAll(() => engine?.close());
    const job = (text: string | Segment, more: Partial<SegmentJob> = {}) => jobOf(text, { model, ...more });

    it('says what it is: for people, and for whoever wants the same sound from another', () => {
      expect(engine.description).not.toBe('');
      expect(engine.version).not.toBe('');
    });

    it('answers with one begin, then audio, and times for every character', async () => {
      const { begins, begin, pcm } = await collect(engine.speak(job(TEXT), UNSCHEDULED_STEPS, never));
      expect(begins).toBe(1);
      const { startSamples, durationSamples } = begin.timings;
      expect(startSamples.length).toBe(TEXT.length);
      expect(durationSamples.length).toBe(TEXT.length);
      expect(startSamples.every((start, i) => i === 0 || start >= startSamples[i - 1]!)).toBe(true);
      expect(startSamples.at(-1)! + durationSamples.at(-1)!).toBeLessThanOrEqual(pcm.length);
      expect(pcm.some((sample) => Math.abs(sample) > 500)).toBe(true);
    });

    it('makes the same samples of the same job, alone or among others, and others of another seed or voice', async () => {
      const first = await collect(engine.speak(job(TEXT), UNSCHEDULED_STEPS, never));
      const mix = [{ style: 'af_bella', weight: 1 }];
      const [again, seeded, other] = await Promise.all([
        collect(engine.speak(job(TEXT), UNSCHEDULED_STEPS, never)),
        collect(engine.speak(job(TEXT, { seed: 5 }), UNSCHEDULED_STEPS, never)),
        collect(engine.speak(job(TEXT, { mix }), UNSCHEDULED_STEPS, never)),
      ]);
      expect(again.pcm).toEqual(first.pcm);
      expect(again.begin).toEqual(first.begin);
      expect(seeded.pcm).not.toEqual(first.pcm);
      expect(other.pcm).not.toEqual(first.pcm);
    });

    it('says nothing of a segment in which nothing is to be said, but begins it', async () => {
      const silent = await collect(
        engine.speak(job({ text: ' \n', offset: 0, spans: [], pause: 'none' }), UNSCHEDULED_STEPS, never),
      );
      expect(silent.begins).toBe(1);
      expect(silent.begin.timings.startSamples.length).toBe(2);
      expect(silent.pcm.every((sample) => sample === 0)).toBe(true);
    });

    it('makes a long break as it is taken: in small pieces, and at once stopped', async () => {
      const breakMs = 3_600_000;
      const abort = new AbortController();
      const before = process.memoryUsage().arrayBuffers;
      let samples = 0;
      const spoken = (async () => {
        for await (const event of engine.speak(job(withBreaks(breakMs)), UNSCHEDULED_STEPS, abort.signal)) {
          if (event.type !== 'audio') continue;
          expect(event.pcm.length).toBeLessThanOrEqual(MOST_SAMPLES);
          samples += event.pcm.length;
          if (samples > msToSamples(60_000)) abort.abort();
        }
      })();
      await spoken.catch((error: Error) => expect(error.name).toBe('AbortError'));
      expect(samples).toBeGreaterThanOrEqual(msToSamples(60_000));
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
    });

    it('rests where a break is, for as long as it says', async () => {
      const lengths = [];
      for (const ms of [1_000, 3_000])
        lengths.push((await collect(engine.speak(job(withBreaks(ms)), UNSCHEDULED_STEPS, never))).pcm.length);
      expect(lengths[1]! - lengths[0]!).toBe(msToSamples(2_000));
    });

    it('stops when it is told to, and takes the next job', async () => {
      const abort = new AbortController();
      abort.abort();
      await expect(collect(engine.speak(job(TEXT), UNSCHEDULED_STEPS, abort.signal))).rejects.toMatchObject({
        name: 'AbortError',
      });
      expect((await collect(engine.speak(job('Hi.'), UNSCHEDULED_STEPS, never))).pcm.length).toBeGreaterThan(0);
    });
  });
}
