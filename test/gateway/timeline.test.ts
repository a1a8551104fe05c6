/** Work in time bins against the same work added up millisecond by millisecond. */
import { describe, expect, it } from 'vitest';
import { Timeline } from '../../src/gateway/timeline.js';
import { Wants } from '../../src/gateway/wants.js';

const AHEAD_MS = 10_000;
const NOW_MS = 5_000;

interface Demand {
  /** From now on. */
  readonly inMs: number;
  readonly atOnceMs: number;
  readonly rate: number;
  readonly forMs: number;
}
interface Supply {
  readonly fromMs: number;
  readonly workers: number;
}

function wantsOf(demands: readonly Demand[]): Wants {
  const wants = new Wants();
  for (const { inMs, atOnceMs, rate, forMs } of demands) wants.add(NOW_MS + inMs, atOnceMs, rate, forMs);
  return wants;
}

function inBins(timeline: Timeline, demands: readonly Demand[], supply: readonly Supply[], fromMs = 0): boolean {
  timeline.begin(NOW_MS);
  timeline.add(wantsOf(demands));
  for (const { fromMs: thereMs, workers } of supply) timeline.supply(thereMs, workers);
  return timeline.isCarried(fromMs, AHEAD_MS);
}

/** The same by steps of a millisecond, with `scale` times the workers. */
function exactly(demands: readonly Demand[], supply: readonly Supply[], fromMs: number, scale: number): boolean {
  const endMs = Math.max(...demands.map(({ inMs, forMs }) => inMs + forMs)) + 1;
  let owedMs = 0;
  for (let atMs = 0; atMs <= endMs; atMs += 1) {
    let workers = 0;
    for (const one of supply) if (one.fromMs <= atMs) workers += one.workers * scale;
    let wantedMs = 0;
    for (const { inMs, atOnceMs, rate, forMs } of demands) {
      if (inMs === atMs) wantedMs += atOnceMs;
      if (inMs <= atMs && atMs < inMs + forMs) wantedMs += rate;
    }
    owedMs = Math.max(owedMs + wantedMs - workers, -workers * AHEAD_MS);
    if (owedMs > 0 && atMs >= fromMs) return false;
  }
  return true;
}

/** Numbers below 1 that are the same in every run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('a timeline', () => {
  it('says of random streams what a sum over every millisecond says', () => {
    const random = randomOf(7);
    const upTo = (most: number): number => Math.floor(random() * most);
    const timeline = new Timeline();
    const answers = { carried: 0, refused: 0 };
    for (let i = 0; i < 300; i += 1) {
      const demands = Array.from({ length: 1 + upTo(20) }, () => ({
        inMs: 1_000 + upTo(4_000),
        atOnceMs: upTo(60),
        rate: 0.02 + random() * 0.18,
        forMs: 500 + upTo(6_000),
      }));
      const supply = [
        { fromMs: 0, workers: 0.2 + random() * 0.5 },
        { fromMs: upTo(3_000), workers: random() * 0.4 },
      ];
      const fromMs = upTo(2_000);
      const carried = inBins(timeline, demands, supply, fromMs);
      if (exactly(demands, supply, fromMs, 0.93)) expect(carried, `sum ${i}`).toBe(true);
      else if (!exactly(demands, supply, fromMs, 1.07)) expect(carried, `sum ${i}`).toBe(false);
      answers[carried ? 'carried' : 'refused'] += 1;
    }
    expect(answers.carried).toBeGreaterThan(50);
    expect(answers.refused).toBeGreaterThan(50);
  });

  it('takes what is late for due now, and forgets what was asked before', () => {
    const timeline = new Timeline();
    const late = { inMs: -3_000, atOnceMs: 100, rate: 0, forMs: 0 };
    expect(inBins(timeline, [late], [{ fromMs: 0, workers: 1 }])).toBe(false);
    expect(inBins(timeline, [late], [{ fromMs: 0, workers: 1 }], 500)).toBe(true);
    expect(inBins(timeline, [{ ...late, inMs: 1_000 }], [{ fromMs: 0, workers: 1 }])).toBe(true);
  });

  it('leaves out what lies hours ahead, also where that is all there is', () => {
    const timeline = new Timeline();
    const far = { inMs: 7_200_000, atOnceMs: 1_000_000, rate: 1, forMs: 7_200_000 };
    expect(inBins(timeline, [far], [{ fromMs: 0, workers: 0.1 }])).toBe(true);
    expect(inBins(timeline, [{ ...far, inMs: 100_000 }], [{ fromMs: 0, workers: 0.1 }])).toBe(false);
  });
});
