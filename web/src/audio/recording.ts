/** The audio of one run: its samples, and the peaks of its waveform. */
import { signal } from '@preact/signals';

export const SAMPLE_RATE = 24_000;
export const PEAK_SAMPLES = 480;

export class Recording {
  /** Samples so far. */
  readonly length = signal(0);
  readonly finished = signal(false);
  /** The peak of every 20 ms, 0 to 1. */
  readonly peaks: number[] = [];
  #pcm = new Int16Array(SAMPLE_RATE * 30);

  add(pcm: Int16Array): void {
    const from = this.length.peek();
    const length = from + pcm.length;
    if (length > this.#pcm.length) {
      const grown = new Int16Array(Math.max(length, this.#pcm.length * 2));
      grown.set(this.#pcm);
      this.#pcm = grown;
    }
    this.#pcm.set(pcm, from);
    for (let i = 0; i < pcm.length; i++) {
      const at = Math.floor((from + i) / PEAK_SAMPLES);
      const value = Math.abs(pcm[i]!) / 32_768;
      if (value > (this.peaks[at] ?? -1)) this.peaks[at] = value;
    }
    this.length.value = length;
  }

  finish(): void {
    this.finished.value = true;
  }

  samples(from = 0, to = this.length.peek()): Int16Array {
    return this.#pcm.subarray(from, to);
  }
}
