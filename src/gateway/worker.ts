/** The seam between the gateway and whatever runs an engine: a child process today, a machine on a bus later. */
import type { SegmentJob, SpeechEvent } from '../protocol/job.js';

export type WorkerState = 'starting' | 'ready' | 'dead' | 'closed';

export interface Worker {
  readonly id: string;
  readonly state: WorkerState;
  /** How many jobs it takes at once before more would only wait inside it. */
  readonly capacity: number;
  /** Restarts since it was made. */
  readonly restarts: number;
  /** What the engine runs on, once it is ready. */
  readonly description: string | undefined;
  /** Why it is not ready, in words for an operator. */
  readonly lastError: string | undefined;
  /**
   * Runs one segment. Rejects with `synthesis_failed` when the engine failed on it, with `no_worker_ready` when the
   * process died under it (the caller may run it again elsewhere if nothing of it was heard), with an AbortError when
   * `signal` aborted.
   */
  run(job: SegmentJob, signal: AbortSignal): AsyncIterable<SpeechEvent>;
  /** Calls back on every change of state until the returned function is called. */
  onStateChange(listener: (state: WorkerState) => void): () => void;
  close(): Promise<void>;
}
