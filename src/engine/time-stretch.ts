/** Speech made shorter or longer after it was spoken, its pitch untouched: pieces laid over each other where they fit best (WSOLA). */
import { msToSamples } from '../protocol/audio.js';

/** Two periods of the lowest voice fit in. */
const FRAME = msToSamples(30);
const HOP = FRAME / 2;
/** How far a piece may be moved to fit: a period of a low voice to either side. */
const SEARCH = msToSamples(9);
const COARSE = 4;

const FADE = Float32Array.from({ length: FRAME }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / FRAME));

export interface TimeStretch {
  /** The samples that these complete. */
  push(pcm: Int16Array): Int16Array;
  /** The rest: all together are `1 / rate` times as many as went in. */
  end(): Int16Array;
}

/** `rate` 2 makes it half as long. */
export function createTimeStretch(rate: number): TimeStretch {
  /** Input from sample `dropped` on; before the beginning there is silence. */
  let held: Int16Array<ArrayBufferLike> = new Int16Array(SEARCH + HOP);
  let dropped = -(SEARCH + HOP);
  let taken = 0;
  /** The sum of the pieces so far, of which the first half is finished by the next one. */
  const sum = new Float32Array(FRAME);
  let pieces = 0;
  let made = 0;
  /** Where the piece after the last one would begin if nothing was left out. */
  let natural = -HOP;

  function append(pcm: Int16Array): void {
    const joined = new Int16Array(held.length + pcm.length);
    joined.set(held);
    joined.set(pcm, held.length);
    held = joined;
  }

  /** All pieces whose input is there, up to `limit` samples of output. */
  function run(limit: number): Int16Array {
    const out: Int16Array[] = [];
    for (;;) {
      // The first piece lies half before the beginning, so that the sound begins at its full size.
      const target = Math.round(pieces * HOP * rate) - HOP;
      // All that is looked at has to be there, lest it matters how the samples come: slow sound goes on beyond where its next piece is.
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
    return joinedOf(out);
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

/** Where, around `target`, the input goes on most as it does at `natural`. */
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

function joinedOf(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
