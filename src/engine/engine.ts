/** The seam between the worker process and whatever makes sound of a segment. */
import type { Device } from '../protocol/device.js';
import type { SegmentJob, SpeechEvent } from '../protocol/job.js';

/** What is told about an engine: plain data, so that it can cross a process boundary. */
export interface EngineFacts {
  /** What its vocoders run on. */
  readonly device: Exclude<Device, 'auto'>;
  /** Human-readable: what it runs on ("cpu, 2 threads"), for logs and `tts doctor`. */
  readonly description: string;
  /** Two engines of one version make the same samples of a job, so one can go on where the other broke off. */
  readonly version: string;
  /** Seconds of work for a second of its slowest model's speech, where that was measured before. */
  readonly realTimeFactor: number | undefined;
  /** How many turns it takes at once. Absent: they run one after the other, and a second one hides the hand-over. */
  readonly capacity?: number;
}

/** What work in a turn may do and has to know. */
export interface Grant {
  /** Nobody else is at work on this machine, so all of its cores may be used. */
  readonly wide: boolean;
  /** The job was cancelled: what was not begun yet need not be. */
  readonly signal: AbortSignal;
  /** When somebody runs dry without it, on the clock of `performance.now`: of work that waits inside an engine, the soonest goes first. */
  readonly dueMs: number;
  /** What the work cost, where that is not the time it took: it shared a run, or cores, with others. */
  spent(ms: number): void;
  /** Of the time it took, what went into more than was due: there was enough of it. */
  early(ms: number): void;
}

/** Of work that nobody schedules: a measurement, a test. */
export const FREE: Grant = {
  wide: false,
  signal: new AbortController().signal,
  dueMs: 0,
  spent: () => undefined,
  early: () => undefined,
};

/** Leave to use the processor. Whoever schedules decides when, over all jobs of all engines. */
export interface Turn {
  /**
   * Runs `work` when it is this job's turn, and nothing else beside it unless the engine has a `capacity`; throws when the job
   * was cancelled meanwhile.
   */
  run<T>(work: (grant: Grant) => Promise<T>): Promise<T>;
}

export interface Engine extends EngineFacts {
  /**
   * Reads one segment. Everything that takes time happens in a turn: a front, a window of a vocoder. Stops between two of
   * them when `signal` aborts.
   */
  speak(job: SegmentJob, turn: Turn, signal: AbortSignal): AsyncIterable<SpeechEvent>;
  close(): Promise<void>;
}
