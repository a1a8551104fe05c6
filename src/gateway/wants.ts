/** What a live stream will still want of the engines, in numbers that can be summed up. */
const FIELDS = 4;

export class Wants {
  /**
   * Four numbers for each want: when it is due, on the gateway's clock; the work due then; the work
   * per millisecond from then on; for how many milliseconds.
   */
  readonly #numbers: number[] = [];
  /** When the first segment has played out, on the same clock. */
  #firstEndMs = Number.POSITIVE_INFINITY;

  get firstEndMs(): number {
    return this.#firstEndMs;
  }

  clear(): void {
    this.#numbers.length = 0;
    this.#firstEndMs = Number.POSITIVE_INFINITY;
  }

  /** Speech of the stream plays out at `atMs`; the earliest counts. */
  endsAt(atMs: number): void {
    this.#firstEndMs = Math.min(this.#firstEndMs, atMs);
  }

  add(atMs: number, atOnceMs: number, rate: number, forMs: number): void {
    this.#numbers.push(atMs, atOnceMs, rate, forMs);
  }

  /** The work that is due between two moments; what is late already is due at the first. */
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
