/** When an engine that has work and says nothing is given up. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Silence, SilenceWatch } from '../../src/gateway/workers/silence-watch.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { jobOf } from '../support/books/jobs.js';

const SILENCE_MS = 20_000;
const job = jobOf('Hi there.');

let clock: VirtualClock;
let working: { job: typeof job; loading: boolean }[];
let silences: Silence[];
let watch: SilenceWatch;
beforeEach(() => {
  clock = new VirtualClock();
  working = [{ job, loading: false }];
  silences = [];
  watch = new SilenceWatch({
    clock,
    silenceMs: SILENCE_MS,
    working: () => working,
    onSilent: (silence) => silences.push(silence),
    standstill: () => undefined,
  });
  watch.limit.assume(0);
  watch.begin();
});

describe('an engine that has work', () => {
  it('is given up after the allowed silence, and not before', async () => {
    await clock.advance(SILENCE_MS);
    expect(silences).toEqual([]);
    await clock.advance(SILENCE_MS / 10);
    expect(silences).toEqual([{ silentMs: 22_000, how: 'had work and was silent for 22 s' }]);
  });

  it('is kept while it replies, or is known to be alive', async () => {
    for (let i = 0; i < 5; i += 1) {
      await clock.advance(SILENCE_MS * 0.9);
      if (i % 2 === 0) expect(watch.replied()).toBeGreaterThan(0);
      else watch.wasAlive(1_000);
    }
    expect(silences).toEqual([]);
  });

  it('has longer while a model loads, and twice as long after it was given up once', async () => {
    working = [{ job, loading: true }];
    await clock.advance(100_000);
    expect(silences).toEqual([]);
    working = [{ job, loading: false }];
    await clock.runUntil(() => silences.length === 1);
    watch.begin();
    await clock.advance(2 * silences[0]!.silentMs);
    expect(silences).toHaveLength(1);
  });

  it('is kept where this process was stopped itself and could not listen', async () => {
    await clock.advance(1_000);
    clock.skip(600_000);
    await clock.advance(SILENCE_MS);
    expect(silences).toEqual([]);
    await clock.advance(SILENCE_MS / 5);
    expect(silences).toHaveLength(1);
  });

  it('is not watched any more once it has none', async () => {
    working = [];
    await clock.advance(SILENCE_MS);
    expect([silences.length, clock.timers]).toEqual([0, 0]);
  });
});
