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

export interface Engine extends EngineFacts {
  /** Reads one segment. Stops between segments, or between windows where the model has them, when `signal` aborts. */
  speak(job: SegmentJob, signal: AbortSignal): AsyncIterable<SpeechEvent>;
  close(): Promise<void>;
}
