/** How long an engine may be silent over a segment: by what it was measured to need, so that slow is not taken for dead. */
import type { BaseModel, SegmentJob } from '../protocol/job.js';

/** An engine at work is silent this many times longer than it was measured to be only if something is wrong. */
const MARGIN = 4;
/** A model on a slow disk takes its time. */
const LOADING_MS = 120_000;
/** About what a character lasts in speech. */
const SPOKEN_MS_PER_CHAR = 70;
/** Assumed where nothing is known: a machine that speaks at a third of the pace of a listener. */
const UNKNOWN_FACTOR = 3;
/** What a segment costs however short it is, in characters. */
const FIXED_CHARS = 4;
/** With every segment an earlier, slower one counts for less. */
const FORGET = 0.8;

const sizeOf = (job: SegmentJob): number => job.segment.text.length + FIXED_CHARS;

export class Pace {
  readonly #leastMs: number;
  #assumed = UNKNOWN_FACTOR * SPOKEN_MS_PER_CHAR;
  /** The longest silence of a run, in milliseconds a character. */
  readonly #measured = new Map<BaseModel, number>();

  constructor(leastMs: number) {
    this.#leastMs = leastMs;
  }

  /** What is known of the machine before a segment was timed. */
  assume(realTimeFactor: number): void {
    this.#assumed = realTimeFactor * SPOKEN_MS_PER_CHAR;
  }

  /** A run of `job` has ended, in which the engine was silent for at most `silentMs` at a time. */
  learn(job: SegmentJob, silentMs: number): void {
    const before = this.#measured.get(job.model) ?? this.#assumed;
    this.#measured.set(job.model, Math.max(silentMs / sizeOf(job), before * FORGET));
  }

  /** An engine was given up after `silentMs`: if it was only slow, whoever tries again has twice as long. */
  doubt(job: SegmentJob, silentMs: number): void {
    this.#measured.set(job.model, (2 * silentMs) / MARGIN / sizeOf(job));
  }

  allowedMs(job: SegmentJob, loading: boolean): number {
    const msPerChar = this.#measured.get(job.model) ?? this.#assumed;
    return Math.max(this.#leastMs, loading ? LOADING_MS : 0, MARGIN * msPerChar * sizeOf(job));
  }
}
