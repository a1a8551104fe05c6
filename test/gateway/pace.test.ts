/** How long an engine may be silent before it counts as frozen. */
import { describe, expect, it } from 'vitest';
import { Pace } from '../../src/gateway/pace.js';
import { jobOf } from '../support/jobs.js';

const LEAST_MS = 20_000;
const short = jobOf('Hi there.');
const long = jobOf('x'.repeat(450));

describe('the pace of an engine', () => {
  it('is assumed to be slow where nothing is known, and never less than the least is allowed', () => {
    const pace = new Pace(LEAST_MS);
    expect(pace.allowedMs(short, false)).toBe(LEAST_MS);
    expect(pace.allowedMs(long, false)).toBeGreaterThan(300_000);
    expect(pace.allowedMs(short, true)).toBeGreaterThan(100_000);
  });

  it('begins with what the machine was measured to need', () => {
    const pace = new Pace(LEAST_MS);
    pace.assume(0.1);
    expect(pace.allowedMs(long, false)).toBe(LEAST_MS);
    pace.assume(2);
    // 450 characters are about 30 s of speech, so a minute of work: four of them.
    expect(pace.allowedMs(long, false)).toBeGreaterThan(200_000);
    expect(pace.allowedMs(long, false)).toBeLessThan(300_000);
  });

  it('learns that a model is slow at once, and that it is fast by and by; each model for itself', () => {
    const pace = new Pace(LEAST_MS);
    pace.assume(0.1);
    pace.learn(long, 60_000);
    expect(pace.allowedMs(long, false)).toBe(4 * 60_000);
    expect(pace.allowedMs({ ...long, model: 'base-tts-fast' }, false)).toBe(LEAST_MS);
    pace.learn(long, 1_000);
    expect(pace.allowedMs(long, false)).toBeGreaterThan(100_000);
    for (let i = 0; i < 20; i += 1) pace.learn(long, 1_000);
    expect(pace.allowedMs(long, false)).toBe(LEAST_MS);
  });

  it('holds for a long segment after short ones alone were timed', () => {
    const pace = new Pace(LEAST_MS);
    // A machine at a third of real time: half a second of speech takes 1.5 s, 30 s take 90.
    for (let i = 0; i < 30; i += 1) pace.learn(short, 1_500);
    expect(pace.allowedMs(long, false)).toBeGreaterThan(2 * 90_000);
  });

  it('allows twice as long after an engine was given up that may only have been slow', () => {
    const pace = new Pace(LEAST_MS);
    pace.assume(0);
    pace.doubt(short, LEAST_MS);
    expect(pace.allowedMs(short, false)).toBe(2 * LEAST_MS);
    pace.doubt(short, 2 * LEAST_MS);
    expect(pace.allowedMs(short, false)).toBe(4 * LEAST_MS);
    for (let i = 0; i < 10; i += 1) pace.learn(short, 10);
    expect(pace.allowedMs(short, false)).toBe(LEAST_MS);
  });
});
