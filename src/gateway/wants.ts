/** What a live stream will still want of the engines, in numbers that can be added up with those of a thousand others. */
const FIELDS = 4;

export class Wants {
  /** For each: when it is due, on the clock of `performance.now`; the work due then; the work a millisecond from then on; for how long. */
  readonly #numbers: number[] = [];
  /** When the first of it is through, heard as it is spoken, on the same clock. */
  firstEndMs = Number.POSITIVE_INFINITY;

  clear(): void {
    this.#numbers.length = 0;
    this.firstEndMs = Number.POSITIVE_INFINITY;
  }

  add(atMs: number, atOnceMs: number, rate: number, forMs: number): void {
    this.#numbers.push(atMs, atOnceMs, rate, forMs);
  }

  /** Of it, the work that is due between two moments; what is late already is due at the first. */
  workMs(fromMs: number, untilMs: number): number {
    let workMs = 0;
    this.forEach((atMs, atOnceMs, rate, forMs) => {
      if (atMs >= untilMs) return;
      const overlapMs = Math.min(untilMs, atMs + forMs) - Math.max(fromMs, atMs);
      workMs += atOnceMs + rate * Math.max(0, overlapMs);
    });
    return workMs;
  }

  forEach(take: (atMs: number, atOnceMs: number, rate: number, forMs: number) => void): void {
    const all = this.#numbers;
    for (let i = 0; i < all.length; i += FIELDS) take(all[i]!, all[i + 1]!, all[i + 2]!, all[i + 3]!);
  }
}
