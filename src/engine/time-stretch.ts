/** Changes the length of speech but not its pitch, by overlapping pieces that fit (WSOLA). */
import { joinPcm, msToSamples } from '../protocol/audio.js';

/** Length of a piece: two periods of the lowest voice. */
const FRAME = msToSamples(30);
const HOP = FRAME / 2;
/** How far a piece may be moved to fit: a period of a low voice to either side. */
const SEARCH = msToSamples(9);
/** Samples between the positions and values that the first, coarse search looks at. */
const COARSE = 4;

const FADE = Float32Array.from({ length: FRAME }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / FRAME));

export interface TimeStretch {
  /** Returns the samples that `pcm` completes. */
  push(pcm: Int16Array): Int16Array;
  /** Returns the remaining samples. All together are `1 / rate` times as many as went in. */
  end(): Int16Array;
}

/** A `rate` of 2 makes speech half as long. */
export function createTimeStretch(rate: number): TimeStretch {
  /** Input from the sample `dropped` on. Before the beginning there is silence. */
  let held: Int16Array<ArrayBufferLike> = new Int16Array(SEARCH + HOP);
  let dropped = -(SEARCH + HOP);
  let taken = 0;
  /** The overlapping pieces so far; the next one completes the first half. */
  const sum = new Float32Array(FRAME);
  let pieces = 0;
  let made = 0;
  /** Where the next piece would begin if nothing was left out. */
  let natural = -HOP;

  function append(pcm: Int16Array): void {
    const joined = new Int16Array(held.length + pcm.length);
    joined.set(held);
    joined.set(pcm, held.length);
    held = joined;
  }

  /** Lays all pieces whose input has come, up to `limit` samples of output. */
  function run(limit: number): Int16Array {
    const out: Int16Array[] = [];
    for (;;) {
      // The first piece lies half before the beginning, so that sound begins at full level.
      const target = Math.round(pieces * HOP * rate) - HOP;
      // All input of the search has to be there, so that the output does not depend on how the
      // input arrives. Below a rate of 1 the natural position lies beyond the target.
      const needed = Math.max(target + SEARCH + COARSE, natural) + FRAME;
      if (needed > dropped + held.length || made >= limit) break;
      const start = pieces === 0 ? target : bestFit(held, target - dropped, natural - dropped) + dropped;
      const at = start - dropped;
      for (let i = 0; i < FRAME; i += 1) sum[i]! += FADE[i]! * (held[at + i] ?? 0);
      if (pieces > 0) {
        const ready = Int16Array.from(sum.subarray(0, Math.min(HOP, limit - made)), clamp);
        made += ready.length;
        out.push(ready);
      }
      sum.copyWithin(0, HOP);
      sum.fill(0, HOP);
      natural = start + HOP;
      pieces += 1;
      const next = Math.min(natural, Math.round(pieces * HOP * rate) - HOP) - SEARCH;
      if (next > dropped) {
        held = held.subarray(Math.min(held.length, next - dropped));
        dropped = next;
      }
    }
    return joinPcm(out);
  }

  return {
    push(pcm) {
      taken += pcm.length;
      append(pcm);
      return run(Number.POSITIVE_INFINITY);
    },
    end() {
      const total = Math.round(taken / rate);
      append(new Int16Array(Math.ceil(2 * SEARCH + 2 * FRAME + HOP * rate)));
      return run(total);
    },
  };
}

/** The position around `target` whose input is most like that at `natural`. */
function bestFit(input: Int16Array, target: number, natural: number): number {
  let best = target;
  let most = Number.NEGATIVE_INFINITY;
  const look = (at: number, grain: number) => {
    let product = 0;
    let energy = 1;
    for (let i = 0; i < FRAME; i += grain) {
      const sample = input[at + i] ?? 0;
      product += sample * (input[natural + i] ?? 0);
      energy += sample * sample;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > most) {
      most = likeness;
      best = at;
    }
  };
  for (let shift = -SEARCH; shift <= SEARCH; shift += COARSE) look(target + shift, COARSE);
  const around = best;
  most = Number.NEGATIVE_INFINITY;
  for (let shift = 1 - COARSE; shift < COARSE; shift += 1) look(around + shift, 1);
  return best;
}

const clamp = (value: number): number => Math.max(-32_768, Math.min(32_767, Math.round(value)));
