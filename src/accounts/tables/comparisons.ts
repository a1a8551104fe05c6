/** Comparisons by ear, summed by pair: how often each was preferred. No text, no listener. */
import type { AccountsDatabase } from '../database.js';

export interface ComparisonSum {
  /** Model, voice and manner of each, `a` before `b` in the alphabet. */
  readonly a: string;
  readonly b: string;
  /** Finished runs of rounds. */
  readonly runs: number;
  readonly aPreferred: number;
  readonly bPreferred: number;
}

export interface ComparisonTable {
  add(run: Omit<ComparisonSum, 'runs'>): Promise<void>;
  /** The pairs with most rounds first. */
  list(): Promise<ComparisonSum[]>;
}

const ADD = `INSERT INTO comparisons (a, b, runs, a_preferred, b_preferred) VALUES (?, ?, 1, ?, ?)
  ON CONFLICT (a, b) DO UPDATE SET runs = comparisons.runs + 1,
    a_preferred = comparisons.a_preferred + excluded.a_preferred,
    b_preferred = comparisons.b_preferred + excluded.b_preferred`;
const LIST = `SELECT a, b, runs, a_preferred, b_preferred FROM comparisons
  ORDER BY a_preferred + b_preferred DESC, a, b`;

interface Row {
  a: string;
  b: string;
  runs: number;
  a_preferred: number;
  b_preferred: number;
}

export const createComparisons = (database: AccountsDatabase): ComparisonTable => ({
  async add({ a, b, aPreferred, bPreferred }) {
    const [first, second] = a <= b ? [a, b] : [b, a];
    const preferred = a <= b ? [aPreferred, bPreferred] : [bPreferred, aPreferred];
    await database.writeOne({ durable: false }, ADD, first, second, preferred[0]!, preferred[1]!);
  },
  async list() {
    const rows = await database.read<Row>(LIST);
    return rows.map(({ a, b, runs, a_preferred: aPreferred, b_preferred: bPreferred }) => ({
      a,
      b,
      runs,
      aPreferred,
      bPreferred,
    }));
  },
});
