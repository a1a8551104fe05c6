import { cpuUsage } from 'node:process';

/** Four times the text may take this many times as long; quadratic work would take sixteen. */
export const MOST_GROWTH = 10;

function milliseconds(work: (text: string) => void, text: string): number {
  const before = cpuUsage();
  work(text);
  const { user, system } = cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * How many times as long four times the text takes, in processor time. The best of four tries: on a
 * machine that is shared with others, what they take away is counted as ours. Below `leastMs` a
 * measurement is nothing but noise.
 */
export function growth(
  work: (text: string) => void,
  make: (length: number) => string,
  { length, leastMs }: { length: number; leastMs: number },
): number {
  const [small, large] = [make(length), make(length * 4)];
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 4 && best > MOST_GROWTH; run++) {
    const smallMs = Math.max(milliseconds(work, small), leastMs);
    best = Math.min(best, milliseconds(work, large) / smallMs);
  }
  return best;
}
