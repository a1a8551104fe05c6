/** What a row of blind choices between two says: the share, how sure it is, and chance's part. */

export interface Preference {
  readonly rounds: number;
  /** Rounds in which the first was preferred. */
  readonly preferred: number;
  readonly share: number;
  /** The 95 % Wilson interval of the share. */
  readonly low: number;
  readonly high: number;
  /** Exact and two-sided: how often chance alone is at least as far from even. */
  readonly p: number;
}

/** Of the normal distribution, for 95 %. */
const Z = 1.959964;

export function preferenceOf(preferred: number, rounds: number): Preference {
  const share = rounds === 0 ? 0.5 : preferred / rounds;
  const spread = Z ** 2 / Math.max(1, rounds);
  const middle = (share + spread / 2) / (1 + spread);
  const half =
    (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / Math.max(1, rounds) + spread / (4 * Math.max(1, rounds)));
  const low = rounds === 0 ? 0 : Math.max(0, middle - half);
  const high = rounds === 0 ? 1 : Math.min(1, middle + half);
  return { rounds, preferred, share, low, high, p: chanceOf(preferred, rounds) };
}

/** The binomial test against one half. The logarithms keep large sums from overflowing. */
function chanceOf(preferred: number, rounds: number): number {
  const fewer = Math.min(preferred, rounds - preferred);
  if (fewer * 2 === rounds) return 1;
  let term = -rounds * Math.LN2;
  let tail = 0;
  for (let k = 0; k <= fewer; k++) {
    tail += Math.exp(term);
    term += Math.log((rounds - k) / (k + 1));
  }
  return Math.min(1, 2 * tail);
}
