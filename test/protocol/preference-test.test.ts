/** The statistics of a comparison by ear, against values that were computed elsewhere. */
import { describe, expect, it } from 'vitest';
import { preferenceOf } from '../../src/protocol/playground/preference-test.js';

describe('what choices between two say', () => {
  // As scipy has them: binomtest(k, n).pvalue and its Wilson interval.
  it.each([
    [8, 10, 0.109375, 0.4902, 0.9433],
    [10, 10, 0.001953125, 0.7225, 1],
    [5, 10, 1, 0.2366, 0.7634],
    [2, 10, 0.109375, 0.0567, 0.5098],
    [60, 100, 0.0568879, 0.502, 0.6906],
  ])('%i of %i', (preferred, rounds, p, low, high) => {
    const found = preferenceOf(preferred, rounds);
    expect(found.p).toBeCloseTo(p, 6);
    expect(found.low).toBeCloseTo(low, 3);
    expect(found.high).toBeCloseTo(high, 3);
  });

  it('says nothing of nothing, and stays finite for many', () => {
    expect(preferenceOf(0, 0)).toMatchObject({ p: 1, low: 0, high: 1 });
    expect(preferenceOf(5_300, 10_000).p).toBeGreaterThan(0);
    expect(preferenceOf(5_300, 10_000).p).toBeLessThan(1e-6);
  });
});
