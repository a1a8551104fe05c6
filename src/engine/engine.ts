/** The seam between the worker process and whatever makes sound of a segment. */
import type { SegmentJob, SpeechEvent } from '../protocol/job.js';

export interface Engine {
  /** Human-readable: what it runs on ("cpu, 2 threads"), for logs and `tts doctor`. */
  readonly description: string;
  /** Reads one segment. Stops between segments, or between windows where the model has them, when `signal` aborts. */
  speak(job: SegmentJob, signal: AbortSignal): AsyncIterable<SpeechEvent>;
  close(): Promise<void>;
}
