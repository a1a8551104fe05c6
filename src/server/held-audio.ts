/** The memory of answers that are held whole until their readers took them: one budget for all of them together. */
import { SAMPLE_RATE, samplesToBytes } from '../protocol/audio.js';
import { TtsError } from '../protocol/errors.js';

/** Ordinary speech: 14 characters a second. */
const BYTES_PER_CHAR = samplesToBytes(SAMPLE_RATE) / 14;
const MAX_RETRY_S = 60;

export interface HeldAnswer {
  /** Tells how many bytes there are; throws `overloaded` where they are more than was expected and more than there is room for. */
  grow(bytes: number): void;
  /** Idempotent. */
  release(): void;
}

export class HeldAudio {
  readonly #limitBytes: number;
  #takenBytes = 0;
  /** A running mean of how long an answer is held, for an honest `Retry-After`. */
  #meanHeldMs = 2_000;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Takes what a text of this length is likely to need, or throws `overloaded`. */
  take(chars: number): HeldAnswer {
    let bytes = Math.min(Math.ceil(chars * BYTES_PER_CHAR), this.#limitBytes);
    this.#reserve(bytes);
    const sinceMs = performance.now();
    let held = true;
    return {
      grow: (actual) => {
        if (!held || actual <= bytes) return;
        this.#reserve(actual - bytes);
        bytes = actual;
      },
      release: () => {
        if (!held) return;
        held = false;
        this.#takenBytes -= bytes;
        this.#meanHeldMs += (performance.now() - sinceMs - this.#meanHeldMs) / 10;
      },
    };
  }

  #reserve(bytes: number): void {
    if (this.#takenBytes + bytes > this.#limitBytes) {
      const retryAfterS = Math.min(MAX_RETRY_S, Math.max(1, Math.ceil(this.#meanHeldMs / 1000)));
      throw new TtsError(
        'overloaded',
        `Too many answers are being held for their readers. Try again in ${retryAfterS} seconds, or with "stream": true.`,
        { retryAfterS },
      );
    }
    this.#takenBytes += bytes;
  }
}
