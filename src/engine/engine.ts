/** The seam between the worker process and whatever makes sound of a segment. */
import type { SegmentJob, SpeechEvent } from '../protocol/job.js';

/** What is told about an engine: plain data, so that it can cross a process boundary. */
export interface EngineFacts {
  /** Human-readable: what it runs on ("cpu, 2 threads"), for logs and `tts doctor`. */
  readonly description: string;
  /** Two engines of one version make the same samples of a job, so one can go on where the other broke off. */
  readonly version: string;
  /** Seconds of work for a second of its slowest model's speech, where that was measured before. */
  readonly realTimeFactor: number | undefined;
}

/** Leave to use the processor. Whoever schedules decides when, over all jobs of all engines. */
export interface Turn {
  /**
   * Runs `work` when it is this job's turn, and nothing else beside it; throws when the job was cancelled meanwhile. `wide`:
   * nobody else is at work on this machine, so all of its cores may be used.
   */
  run<T>(work: (wide: boolean) => Promise<T>): Promise<T>;
}

export interface Engine extends EngineFacts {
  /**
   * Reads one segment. Everything that takes time happens in a turn: a front, a window of a vocoder. Stops between two of
   * them when `signal` aborts.
   */
  speak(job: SegmentJob, turn: Turn, signal: AbortSignal): AsyncIterable<SpeechEvent>;
  close(): Promise<void>;
}
