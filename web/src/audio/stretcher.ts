/**
 * Plays samples faster or slower with their pitch kept: WSOLA, waveform-similarity overlap-add
 * (Verhelst and Roelands, 1993). Each hop of the output fades from where the sound would go on by
 * itself to a piece near the place that the speed asks for, chosen so that both have the same
 * shape. At speed 1 the samples pass unchanged.
 */

/** Samples of a cross-fade: 15 ms at 24 kHz, longer than a period of a deep voice. */
const HOP = 360;
/** How far a piece may lie from its place to match in shape: 10 ms either way. */
const REACH = 240;
/** Samples that stay behind the place of playback, for pieces that begin before it. */
const BEHIND = HOP * 2 + REACH;
/** Steps of the first, coarse search. */
const COARSE = 4;

export const MIN_SPEED = 0.5;
export const MAX_SPEED = 2;

const FADE_IN = Float32Array.from({ length: HOP }, (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / HOP));

export class Stretcher {
  readonly #ring: Float32Array;
  readonly #hop = new Float32Array(HOP);
  /** Samples of `#hop` that were not yet taken. */
  #hopLeft = 0;
  #speed = 1;
  /** Samples pushed so far. The sample with index `i` lies at `i % ring.length`. */
  #pushed = 0;
  #ended = false;
  /** Where the sound goes on by itself. */
  #next = 0;
  /** Where playback is by its speed. */
  #place = 0;

  /** `capacity`: samples that may be held; more are refused. */
  constructor(capacity: number) {
    this.#ring = new Float32Array(capacity + BEHIND);
  }

  /** Samples that were pushed and lie before the place of playback. */
  get held(): number {
    return Math.max(0, this.#pushed - Math.ceil(this.position));
  }

  /** Index of the sample that comes next out of `pull`, counted in samples that were pushed. */
  get position(): number {
    if (this.#done) return this.#pushed;
    return this.#place - this.#hopLeft * this.#speed;
  }

  /** Everything was pushed and pulled. */
  get done(): boolean {
    return this.#done;
  }

  set speed(speed: number) {
    const wanted = Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed));
    // A hop that is being taken ends at the new speed's place.
    this.#place += this.#hopLeft * (wanted - this.#speed);
    this.#speed = wanted;
  }

  reset(): void {
    this.#pushed = 0;
    this.#next = 0;
    this.#place = 0;
    this.#hopLeft = 0;
    this.#ended = false;
  }

  push(samples: Float32Array): void {
    const oldest = Math.max(0, Math.floor(Math.min(this.#next, this.#place)) - BEHIND);
    const room = Math.min(samples.length, this.#ring.length - (this.#pushed - oldest));
    for (let i = 0; i < room; i++) this.#ring[(this.#pushed + i) % this.#ring.length] = samples[i]!;
    this.#pushed += room;
  }

  /** No more samples come. */
  end(): void {
    this.#ended = true;
  }

  /** Fills `out` as far as there are samples; returns how many were written. */
  pull(out: Float32Array): number {
    let written = 0;
    while (written < out.length) {
      const more = this.#hopLeft > 0 ? this.#drain(out, written) : this.#advance(out, written);
      if (more === 0) break;
      written += more;
    }
    return written;
  }

  get #done(): boolean {
    return this.#ended && this.#hopLeft === 0 && this.#next >= this.#pushed;
  }

  #drain(out: Float32Array, at: number): number {
    const count = Math.min(this.#hopLeft, out.length - at);
    const from = HOP - this.#hopLeft;
    out.set(this.#hop.subarray(from, from + count), at);
    this.#hopLeft -= count;
    return count;
  }

  /** Copies what comes by itself, or makes a hop; returns samples written to `out` and made. */
  #advance(out: Float32Array, at: number): number {
    // Behind the last sample for a whole hop there is nothing to choose from.
    const isTail = this.#ended && Math.max(this.#next, this.#place + REACH) + HOP > this.#pushed;
    if (this.#speed === 1 || isTail) {
      const count = Math.max(0, Math.min(out.length - at, this.#pushed - this.#next));
      for (let i = 0; i < count; i++) out[at + i] = this.#sample(this.#next + i);
      this.#next += count;
      this.#place = this.#next;
      return count;
    }
    if (Math.max(this.#next, this.#place + REACH) + HOP > this.#pushed) return 0;
    this.#makeHop();
    return this.#drain(out, at);
  }

  #makeHop(): void {
    const begin = this.#bestBegin();
    for (let i = 0; i < HOP; i++) {
      const share = FADE_IN[i]!;
      this.#hop[i] = (1 - share) * this.#sample(this.#next + i) + share * this.#sample(begin + i);
    }
    this.#hopLeft = HOP;
    this.#next = begin + HOP;
    this.#place += HOP * this.#speed;
  }

  /** The piece near the place of playback whose shape is most like what would come by itself. */
  #bestBegin(): number {
    const place = Math.round(this.#place);
    const first = Math.max(0, place - REACH);
    const coarse = this.#search(place, first, place + REACH, COARSE);
    return this.#search(coarse, Math.max(first, coarse - COARSE), coarse + COARSE, 1);
  }

  #search(start: number, from: number, to: number, step: number): number {
    let best = start;
    let bestLikeness = this.#likeness(start, step);
    for (let begin = from; begin <= to; begin += step) {
      const likeness = this.#likeness(begin, step);
      if (likeness > bestLikeness) {
        best = begin;
        bestLikeness = likeness;
      }
    }
    return best;
  }

  /** Correlation with what would come by itself, over the loudness of the piece. */
  #likeness(begin: number, step: number): number {
    let product = 0;
    let energy = 1e-9;
    for (let i = 0; i < HOP; i += step) {
      const sample = this.#sample(begin + i);
      product += sample * this.#sample(this.#next + i);
      energy += sample * sample;
    }
    return product / Math.sqrt(energy);
  }

  #sample(index: number): number {
    return this.#ring[index % this.#ring.length]!;
  }
}
