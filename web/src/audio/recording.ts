/** The audio of one run: its samples, and the peaks of its waveform. */
import { computed, signal } from '@preact/signals';
import { SAMPLE_RATE } from '../../../src/protocol/audio.js';

export { SAMPLE_RATE };

const PEAK_SAMPLES = 480;
/** Peaks that a coarse peak sums up: hours of audio are drawn from these. */
const COARSE_PEAKS = 64;
/** Audio is kept in blocks, so that hours of it are never copied to grow. */
const BLOCK_SAMPLES = SAMPLE_RATE * 20;

export class Recording {
  /** Samples so far. */
  readonly length = signal(0);
  readonly finished = signal(false);
  /** What pages show of the length, so that they are not rendered for each message. */
  readonly hasAudio = computed(() => this.length.value > 0);
  readonly wholeSeconds = computed(() => Math.round(this.length.value / SAMPLE_RATE));
  readonly #blocks: Int16Array<ArrayBuffer>[] = [];
  /** The peak of every 20 ms, 0 to 1, and of 64 of these. */
  readonly #peaks: number[] = [];
  readonly #coarsePeaks: number[] = [];

  add(pcm: Int16Array): void {
    const from = this.length.peek();
    for (let at = 0; at < pcm.length; ) {
      const into = (from + at) % BLOCK_SAMPLES;
      if (into === 0) this.#blocks.push(new Int16Array(BLOCK_SAMPLES));
      const part = pcm.subarray(at, at + BLOCK_SAMPLES - into);
      this.#blocks.at(-1)!.set(part, into);
      at += part.length;
    }
    this.#raisePeaks(pcm, from);
    this.length.value = from + pcm.length;
  }

  finish(): void {
    this.finished.value = true;
  }

  samples(from = 0, to = this.length.peek()): Int16Array<ArrayBuffer> {
    const out = new Int16Array(Math.max(0, to - from));
    for (let at = from; at < to; ) {
      const begin = at % BLOCK_SAMPLES;
      const part = this.#blocks[Math.floor(at / BLOCK_SAMPLES)]!.subarray(begin, begin + to - at);
      out.set(part, at - from);
      at += part.length;
    }
    return out;
  }

  /** All samples as they are kept: views, nothing is copied. */
  parts(): Int16Array<ArrayBuffer>[] {
    const length = this.length.peek();
    return this.#blocks.map((block, i) => block.subarray(0, Math.min(BLOCK_SAMPLES, length - i * BLOCK_SAMPLES)));
  }

  /** The highest peak between two samples, 0 to 1; 0 where nothing came yet. */
  peak(from: number, to: number): number {
    const first = Math.floor(from / PEAK_SAMPLES);
    const last = Math.max(first + 1, Math.ceil(to / PEAK_SAMPLES));
    const isLong = last - first > COARSE_PEAKS * 2;
    const peaks = isLong ? this.#coarsePeaks : this.#peaks;
    const each = isLong ? COARSE_PEAKS : 1;
    let highest = 0;
    for (let at = Math.floor(first / each); at < last / each && at < peaks.length; at++) {
      highest = Math.max(highest, peaks[at]!);
    }
    return highest;
  }

  #raisePeaks(pcm: Int16Array, from: number): void {
    for (let at = 0; at < pcm.length; ) {
      const index = Math.floor((from + at) / PEAK_SAMPLES);
      const end = Math.min(pcm.length, (index + 1) * PEAK_SAMPLES - from);
      let highest = 0;
      for (; at < end; at++) highest = Math.max(highest, Math.abs(pcm[at]!));
      const coarse = Math.floor(index / COARSE_PEAKS);
      this.#peaks[index] = Math.max(this.#peaks[index] ?? 0, highest / 32_768);
      this.#coarsePeaks[coarse] = Math.max(this.#coarsePeaks[coarse] ?? 0, highest / 32_768);
    }
  }
}
