/**
 * Work by when it has to be done, against what workers do until then. A thousand streams are added up for every request, so it is
 * kept in bins: adding allocates nothing, and the sum is looked at once a bin.
 */
import type { Wants } from './wants.js';

const WIDTH_MS = 50;
/** What lies behind the last is too far away to matter to whoever comes now. */
const BINS = 2_400;
/** Rounding is no work. */
const NOTHING_MS = 1e-6;

export class Timeline {
  /** Work that comes up within each bin, beside what flows through all of it. */
  readonly #lumpMs = new Float64Array(BINS);
  /** By how much the flow of work is more from the beginning of each bin on. */
  readonly #flow = new Float64Array(BINS);
  /** The same of the workers that there are. */
  readonly #doneMs = new Float64Array(BINS);
  readonly #workers = new Float64Array(BINS);
  /** The clock at its beginning. */
  #nowMs = 0;
  /** Bins behind this one are empty. */
  #end = 0;
  readonly #addWant = (atMs: number, atOnceMs: number, rate: number, forMs: number): void => {
    const inMs = Math.max(0, atMs - this.#nowMs);
    const bin = Math.floor(inMs / WIDTH_MS);
    if (bin < BINS) this.#lumpMs[bin]! += atOnceMs;
    this.#change(this.#lumpMs, this.#flow, inMs, rate);
    this.#change(this.#lumpMs, this.#flow, inMs + forMs, -rate);
  };

  begin(nowMs: number): void {
    const to = Math.min(BINS, this.#end + 2);
    for (const bins of [this.#lumpMs, this.#flow, this.#doneMs, this.#workers]) bins.fill(0, 0, to);
    this.#nowMs = nowMs;
    this.#end = 0;
  }

  /** What is late already is due now. */
  add(wants: Wants): void {
    wants.forEach(this.#addWant);
  }

  /** So much is done in a millisecond from a moment on. */
  supply(fromMs: number, workers: number): void {
    this.#change(this.#doneMs, this.#workers, fromMs, workers);
  }

  /**
   * Whether all that is due from `fromMs` on is done in time. Idle workers get no further ahead than `aheadMs`: nobody is given more
   * than that before it is needed.
   */
  isCarried(fromMs: number, aheadMs: number): boolean {
    let [owedMs, flow, workers] = [0, 0, 0];
    for (let bin = 0; bin < BINS && bin <= this.#end; bin += 1) {
      flow += this.#flow[bin]!;
      workers += this.#workers[bin]!;
      const wantedMs = flow * WIDTH_MS + this.#lumpMs[bin]!;
      const doneMs = workers * WIDTH_MS + this.#doneMs[bin]!;
      owedMs = Math.max(owedMs + wantedMs - doneMs, -workers * aheadMs);
      if (owedMs > NOTHING_MS && (bin + 1) * WIDTH_MS >= fromMs) return false;
    }
    return true;
  }

  /** A flow that changes within a bin is a lump in this one and a flow from the next on. */
  #change(lumps: Float64Array, flows: Float64Array, inMs: number, by: number): void {
    const bin = Math.floor(inMs / WIDTH_MS);
    if (bin >= BINS) return;
    lumps[bin]! += by * ((bin + 1) * WIDTH_MS - inMs);
    if (bin + 1 < BINS) flows[bin + 1]! += by;
    if (bin > this.#end) this.#end = bin;
  }
}
