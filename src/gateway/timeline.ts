/**
 * Work by when it has to be done, against what workers do until then. A thousand streams are summed
 * for every request, so it is kept in bins: adding allocates nothing, and a bin is looked at once.
 */
import { TIMELINE } from './tuning.js';
import type { Wants } from './wants.js';

const { binMs: BIN_MS, bins: BINS, nothingMs: NOTHING_MS } = TIMELINE;

export class Timeline {
  /** Work that becomes due within a bin, beside the flow. */
  readonly #lumpMs = new Float64Array(BINS);
  /** Change of the flow of work at the start of a bin. */
  readonly #flow = new Float64Array(BINS);
  /** The same two for the workers' time. */
  readonly #doneMs = new Float64Array(BINS);
  readonly #workers = new Float64Array(BINS);
  /** The time at the start of the first bin. */
  #nowMs = 0;
  /** Bins after this one are empty. */
  #end = 0;
  readonly #addWant = (atMs: number, atOnceMs: number, rate: number, forMs: number): void => {
    const inMs = Math.max(0, atMs - this.#nowMs);
    const bin = Math.floor(inMs / BIN_MS);
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

  /** Wants that are late already are due now. */
  add(wants: Wants): void {
    wants.forEach(this.#addWant);
  }

  /** Adds workers that are there from `fromMs` on, counted from the start. */
  supply(fromMs: number, workers: number): void {
    this.#change(this.#doneMs, this.#workers, fromMs, workers);
  }

  /**
   * Whether all work due from `fromMs` on is done in time. Idle workers get no further ahead than
   * `aheadMs`: no stream is given more than that before it is needed.
   */
  isCarried(fromMs: number, aheadMs: number): boolean {
    let [owedMs, flow, workers] = [0, 0, 0];
    for (let bin = 0; bin < BINS && bin <= this.#end; bin += 1) {
      flow += this.#flow[bin]!;
      workers += this.#workers[bin]!;
      const wantedMs = flow * BIN_MS + this.#lumpMs[bin]!;
      const doneMs = workers * BIN_MS + this.#doneMs[bin]!;
      owedMs = Math.max(owedMs + wantedMs - doneMs, -workers * aheadMs);
      if (owedMs > NOTHING_MS && (bin + 1) * BIN_MS >= fromMs) return false;
    }
    return true;
  }

  /** A flow that changes within a bin is a lump in this bin and a flow from the next on. */
  #change(lumps: Float64Array, flows: Float64Array, inMs: number, by: number): void {
    const bin = Math.floor(inMs / BIN_MS);
    if (bin >= BINS) return;
    lumps[bin]! += by * ((bin + 1) * BIN_MS - inMs);
    if (bin + 1 < BINS) flows[bin + 1]! += by;
    if (bin > this.#end) this.#end = bin;
  }
}
