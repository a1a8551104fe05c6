/**
 * The real engine where somebody waits and where nobody does: other runs, the same samples and
 * times.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, type StepRunner, UNSCHEDULED } from '../../src/engine/engine.js';
import type { SegmentJob, SegmentTimings } from '../../src/protocol/job.js';
import { segmentText } from '../../src/text/segment/segment.js';
import { joinPcm, realEngine } from '../../testkit/speech.js';
import { jobOf } from '../support/books/jobs.js';
import { furthestApart } from '../support/sound/clip-checks.js';

let engine: Engine;
beforeAll(async () => {
  engine = await realEngine(['base-tts-fast']);
}, 600_000);
afterAll(async () => engine?.close());

const LATER_MS = 60_000;

/** Of a segment whose every turn is due in so long, alone or in company. */
async function spoken(job: SegmentJob, dueInMs: number, multiThreaded = true) {
  const pcm: Int16Array[] = [];
  let [turns, earlyMs] = [0, 0];
  let timings: SegmentTimings | undefined;
  const early = (ms: number) => {
    earlyMs += ms;
  };
  const steps: StepRunner = {
    run(work) {
      turns += 1;
      return work({ ...UNSCHEDULED, multiThreaded, dueMs: performance.now() + dueInMs, early });
    },
  };
  for await (const event of engine.speak(job, steps, UNSCHEDULED.signal)) {
    if (event.type === 'audio') pcm.push(event.pcm);
    else if (event.type === 'begin') timings = event.timings;
  }
  return { pcm: joinPcm(pcm), timings, turns, earlyMs };
}

const TEXT = 'It was late in the evening when the last train came in, and nobody was there to meet it.';
const model = 'base-tts-fast';

it('makes in fewer, longer runs what nobody waits for, where it is alone', async () => {
  const live = await spoken(jobOf(TEXT, { model }), 0);
  const whole = await spoken(jobOf(TEXT, { model }), LATER_MS);
  const beside = await spoken(jobOf(TEXT, { model }), LATER_MS, false);
  // A front, and windows. Of a listener alone the first is cut in two where the machine is quick.
  expect(beside.turns).toBe(1 + 3);
  expect([1 + 3, 1 + 4]).toContain(live.turns);
  expect(live.earlyMs).toBe(0);
  expect(whole.turns).toBe(1 + 1);
  expect(whole.earlyMs).toBeGreaterThan(0);
  for (const { timings, pcm } of [whole, beside]) {
    expect(timings).toEqual(live.timings);
    expectSame(pcm, live.pcm);
  }
}, 60_000);

it('says the same in parts with a rest between them, and at any pace', async () => {
  const [before, after] = ['They waited for a long while at the gate,', 'and then the two of them went home.'];
  const text = `${before} ${after}`;
  const spans = [
    { kind: 'text', text: before, start: 0, end: before.length },
    { kind: 'break', ms: 300, start: before.length, end: before.length + 1 },
    { kind: 'text', text: after, start: before.length + 1, end: text.length },
  ] as const;
  for (const speed of [1, 0.3, 2]) {
    const job = () => jobOf({ text, offset: 0, spans, pause: 'sentence' }, { model, speed });
    const live = await spoken(job(), 0);
    const whole = await spoken(job(), LATER_MS);
    expect(whole.turns).toBeLessThan(live.turns);
    expect(whole.timings).toEqual(live.timings);
    expectSame(whole.pcm, live.pcm);
  }
}, 120_000);

it('says the same in pieces of a sentence that a writer has not ended', async () => {
  const text =
    'A speech service that runs on your own machine reads every text, and it does so in a voice of your choice.';
  for (const segment of segmentText(text, { countTokens: (words) => words.length, written: true })) {
    const live = await spoken(jobOf(segment, { model }), 0);
    const whole = await spoken(jobOf(segment, { model }), LATER_MS);
    expect(whole.timings).toEqual(live.timings);
    expectSame(whole.pcm, live.pcm);
  }
}, 60_000);

/** But for the last of 16 bits, where sums of floats are made in another order. */
function expectSame(one: Int16Array, other: Int16Array): void {
  expect(one.length).toBe(other.length);
  expect(furthestApart(one, other)).toBeLessThanOrEqual(1);
}
