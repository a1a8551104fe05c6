/** The seam between the gateway and whatever runs an engine: a child process today, a machine on a bus later. */
import type { TtsError } from '../protocol/errors.js';
import type { SegmentJob, SpeechEvent } from '../protocol/job.js';

export type WorkerState = 'starting' | 'ready' | 'dead' | 'closed';

/** The worker died, froze or was never there: the segment is as it was and can be run again, here or elsewhere. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

export interface Worker {
  readonly id: string;
  readonly state: WorkerState;
  /** How many jobs it takes at once before more would only wait inside it. */
  readonly capacity: number;
  /**
   * Places taken. A job that waits for nothing but its own consumer takes none; one that was cancelled keeps its place
   * until the engine said that it stopped.
   */
  readonly busy: number;
  /** Restarts since it was made. */
  readonly restarts: number;
  /** What the engine runs on, once it is ready. */
  readonly description: string | undefined;
  /** Workers of one version make the same samples of a job. */
  readonly version: string | undefined;
  /** Why it is not ready. */
  readonly lastError: TtsError | undefined;
  /**
   * Runs one segment: takes a place at once, holds no more audio than a few seconds, and goes on as it is pulled. Fails
   * with `WorkerLost` when the engine is not there any more, with a TtsError when it failed on the segment, with the
   * signal's reason when that aborted.
   */
  run(job: SegmentJob, signal: AbortSignal): AsyncIterable<SpeechEvent>;
  /** Calls back when the state changed or a place became free, until the returned function is called. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
