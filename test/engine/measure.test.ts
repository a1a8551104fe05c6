/** What a machine needs for itself is told from what it needed while others had its cores. */
import { expect, it } from 'vitest';
import { ownSeconds } from '../../src/engine/measure/measure.js';

it('believes the clock where the cores were its own', () => {
  // Two threads, each busy for four fifths of the time.
  expect(ownSeconds(1, 1.6, 2)).toBe(1);
});

it('believes the processor time where others had the cores', () => {
  expect(ownSeconds(3, 1.6, 2)).toBeCloseTo(1.04);
});

it('does not take a front that eight threads share badly for one that they share well', () => {
  // 650 ms of processor time in 246 ms by the clock.
  expect(ownSeconds(0.246, 0.65, 2)).toBe(0.246);
  expect(ownSeconds(0.246, 0.65, 8)).toBeLessThan(0.11);
});
