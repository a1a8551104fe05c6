/** How long an engine may be silent over a segment, by what it was measured to need. */
import type { BaseModel, SegmentJob } from '../../protocol/job.js';
import { MS_PER_CHAR, SILENCE } from '../tuning.js';

const sizeOf = (job: SegmentJob): number => job.segment.text.length + SILENCE.fixedChars;

export class SilenceLimit {
  readonly #leastMs: number;
  #assumedMsPerChar = SILENCE.unknownFactor * MS_PER_CHAR.silence;
  /** The longest silence of a run, in milliseconds a character. */
  readonly #measured = new Map<BaseModel, number>();

  constructor(leastMs: number) {
    this.#leastMs = leastMs;
  }

  /** Sets what is known of the machine before a segment was timed. */
  assume(realTimeFactor: number): void {
    this.#assumedMsPerChar = realTimeFactor * MS_PER_CHAR.silence;
  }

  /** A run of `job` has ended, in which the engine was silent for at most `silentMs` at a time. */
  learn(job: SegmentJob, silentMs: number): void {
    const before = this.#measured.get(job.model) ?? this.#assumedMsPerChar;
    this.#measured.set(job.model, Math.max(silentMs / sizeOf(job), before * SILENCE.forget));
  }

  /** An engine was given up after `silentMs`, perhaps only slow: the next has twice as long. */
  doubt(job: SegmentJob, silentMs: number): void {
    this.#measured.set(job.model, (2 * silentMs) / SILENCE.margin / sizeOf(job));
  }

  allowedMs(job: SegmentJob, loading: boolean): number {
    const msPerChar = this.#measured.get(job.model) ?? this.#assumedMsPerChar;
    return Math.max(this.#leastMs, loading ? SILENCE.loadingMs : 0, SILENCE.margin * msPerChar * sizeOf(job));
  }
}
