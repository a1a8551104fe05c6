/** How long an engine may be silent before it counts as frozen. */
import { describe, expect, it } from 'vitest';
import { SilenceLimit } from '../../src/gateway/workers/silence-limit.js';
import { jobOf } from '../support/books/jobs.js';

const LEAST_MS = 20_000;
const short = jobOf('Hi there.');
const long = jobOf('x'.repeat(450));

describe('the allowed silence of an engine', () => {
  it('is long before anything was measured, and never less than the least', () => {
    const limit = new SilenceLimit(LEAST_MS);
    expect(limit.allowedMs(short, false)).toBe(LEAST_MS);
    expect(limit.allowedMs(long, false)).toBeGreaterThan(300_000);
    expect(limit.allowedMs(short, true)).toBeGreaterThan(100_000);
  });

  it('follows the measured speed of the machine', () => {
    const limit = new SilenceLimit(LEAST_MS);
    limit.assume(0.1);
    expect(limit.allowedMs(long, false)).toBe(LEAST_MS);
    limit.assume(2);
    // 450 characters are about 30 s of speech, so a minute of work: four of them.
    expect(limit.allowedMs(long, false)).toBeGreaterThan(200_000);
    expect(limit.allowedMs(long, false)).toBeLessThan(300_000);
  });

  it('grows at once with a slow segment, and shrinks slowly; each model for itself', () => {
    const limit = new SilenceLimit(LEAST_MS);
    limit.assume(0.1);
    limit.learn(long, 60_000);
    expect(limit.allowedMs(long, false)).toBe(4 * 60_000);
    expect(limit.allowedMs({ ...long, model: 'base-tts-fast' }, false)).toBe(LEAST_MS);
    limit.learn(long, 1_000);
    expect(limit.allowedMs(long, false)).toBeGreaterThan(100_000);
    for (let i = 0; i < 20; i += 1) limit.learn(long, 1_000);
    expect(limit.allowedMs(long, false)).toBe(LEAST_MS);
  });

  it('fits a long segment after only short ones were timed', () => {
    const limit = new SilenceLimit(LEAST_MS);
    // A machine at a third of real time: half a second of speech takes 1.5 s, 30 s take 90.
    for (let i = 0; i < 30; i += 1) limit.learn(short, 1_500);
    expect(limit.allowedMs(long, false)).toBeGreaterThan(2 * 90_000);
  });

  it('doubles after an engine was given up that may only have been slow', () => {
    const limit = new SilenceLimit(LEAST_MS);
    limit.assume(0);
    limit.doubt(short, LEAST_MS);
    expect(limit.allowedMs(short, false)).toBe(2 * LEAST_MS);
    limit.doubt(short, 2 * LEAST_MS);
    expect(limit.allowedMs(short, false)).toBe(4 * LEAST_MS);
    for (let i = 0; i < 10; i += 1) limit.learn(short, 10);
    expect(limit.allowedMs(short, false)).toBe(LEAST_MS);
  });
});
