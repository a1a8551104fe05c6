/** The engine's seam: what a worker process runs to make sound of a segment. */
import type { Device } from '../protocol/device.js';
import type { SegmentJob, SpeechEvent } from '../protocol/job.js';

/** What an engine reports about itself: plain data that can cross a process boundary. */
export interface EngineFacts {
  /** The device its vocoders run on. */
  readonly device: Exclude<Device, 'auto'>;
  /** The device in words ("cpu, 2 threads"), for logs and `tts doctor`. */
  readonly description: string;
  /**
   * Engines of one version make the same samples of a job, so that one can go on where another
   * broke off.
   */
  readonly version: string;
  /** Seconds of work for a second of its slowest model's speech, if that was measured. */
  readonly realTimeFactor: number | undefined;
  /** Steps it takes at once. Absent: they run one after the other; a second hides the hand-over. */
  readonly capacity?: number;
}

/** What the work of one step may do and has to know. */
export interface StepGrant {
  /** No other stream has work on this machine, so the step may use all of its cores. */
  readonly multiThreaded: boolean;
  /** Aborts when the job is cancelled: what has not begun by then need not begin. */
  readonly signal: AbortSignal;
  /**
   * When the listener runs dry without this step, on the clock of `performance.now`; Infinity where
   * nobody listens yet. Of steps that wait inside an engine, the soonest due goes first.
   */
  readonly dueMs: number;
  /** Reports what the step cost, where that is not the time it took: it shared a run, or cores. */
  spent(ms: number): void;
  /** Reports which share of the step's cost went into audio that was not due yet. */
  early(share: number): void;
}

/** The grant of work that no scheduler orders: a measurement, a test. */
export const UNSCHEDULED: StepGrant = {
  multiThreaded: false,
  signal: new AbortController().signal,
  dueMs: 0,
  spent: () => undefined,
  early: () => undefined,
};

/** Where a job runs its steps. The gateway decides when, over all jobs of all engines. */
export interface StepRunner {
  /**
   * Runs `work` when the scheduler has given this job a step, and no other step beside it unless
   * the engine has a `capacity`. Throws when the job was cancelled meanwhile.
   */
  run<T>(work: (grant: StepGrant) => Promise<T>): Promise<T>;
}

export interface Engine extends EngineFacts {
  /**
   * Reads one segment. Everything that takes time happens in a step: a run of the acoustic
   * model, or of the vocoder on a window. Stops between two of them when `signal` aborts. Audio
   * comes in events of a second at most.
   */
  speak(job: SegmentJob, steps: StepRunner, signal: AbortSignal): AsyncIterable<SpeechEvent>;
  close(): Promise<void>;
}
