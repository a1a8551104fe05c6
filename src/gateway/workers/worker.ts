/** The seam between gateway and engine: a child process, or `tts worker` on another machine. */
import type { Gpu } from '../../protocol/device.js';
import type { TtsError } from '../../protocol/errors.js';
import type { BaseModel, SegmentJob, SpeechEvent } from '../../protocol/job.js';
import type { EngineFacts } from '../../worker/protocol.js';

export type WorkerState = 'starting' | 'ready' | 'dead' | 'closed';

/** The worker died, froze or was never there: the segment can be run again, here or elsewhere. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
  /** The connection broke, or the worker left: no segment caused it, or is given up for it. */
  readonly blameless: boolean;

  constructor(message: string, { blameless = false } = {}) {
    super(message);
    this.blameless = blameless;
  }
}

/**
 * Speech, and a report of every step: its time by the engine's own clock, and the part of that
 * which went into audio that was not due yet.
 */
export type WorkerEvent = SpeechEvent | { readonly type: 'ran'; readonly runMs: number; readonly earlyMs: number };

/** Why a ready worker is given nothing: text version, model or styles differ, or it stops. */
export const UNUSABLE = ['text_version', 'model', 'styles', 'draining'] as const;
export type Unusable = (typeof UNUSABLE)[number];

export interface Runnable {
  /** Id of the job. */
  readonly id: string;
  /** Steps it has already: 0 where it waits. */
  readonly steps: number;
}

export interface Worker {
  readonly id: string;
  readonly state: WorkerState;
  /** Steps it takes at once: one that runs, one that hides the hand-over, and those on the way. */
  readonly capacity: number;
  /** Steps that one job may have where no other needs them; two where absent. */
  readonly stepsPerJob?: number;
  /** Round trip of a message; 0 where absent. */
  readonly roundTripMs?: number;
  /**
   * Steps that were given and not used up. A job that waits only for its own consumer holds none; a
   * cancelled job holds a place until the engine has acknowledged it.
   */
  readonly busy: number;
  /** Those among them of buffered responses: its engine runs steps of live streams before them. */
  readonly background: number;
  /** It has no job, not even a cancelled one that its engine has not acknowledged. */
  readonly idle: boolean;
  /** Jobs that could use another step. */
  readonly runnable: Iterable<Runnable>;
  /** Restarts since it was made. */
  readonly restarts: number;
  /** In words: what the engine runs on, once it is ready. */
  readonly description: string | undefined;
  /** The GPU that an engine process of this machine checks before it is ready. */
  readonly trying?: Gpu | undefined;
  /** The device of an engine process of this machine, once it is ready. */
  readonly device?: EngineFacts['device'] | undefined;
  /** Workers of one version make the same samples of a job. */
  readonly version: string | undefined;
  /** Whether it has the job's model and styles, and reads text as this gateway does. */
  takes(job: Pick<SegmentJob, 'model' | 'mix'>): boolean;
  /** Why it is given no job of a model; undefined where it may be. Absent where it always may. */
  readonly unusable?: (model: BaseModel) => Unusable | undefined;
  /** Its version of reading text, once known. Absent where it reads as this gateway does. */
  readonly textVersion?: string | undefined;
  /** Steps that other gateways have in it, which run before one that is given now. */
  readonly others: number;
  /** Why it is not ready. */
  readonly lastError: TtsError | undefined;
  /**
   * Runs one segment: the first step at once, then as steps are granted, and no further ahead of
   * its consumer than a few seconds. Fails with `WorkerLost` when the engine is gone, with a
   * TtsError when it failed on the segment, with the signal's reason when that aborted.
   */
  run(job: SegmentJob, signal: AbortSignal): AsyncIterable<WorkerEvent>;
  /** Gives a job another step, which is due in `dueInMs`. */
  grant(jobId: string, dueInMs: number): void;
  /** Whether its next steps may use all cores of its machine. Absent where that is fixed. */
  readonly setMultiThreaded?: (multiThreaded: boolean) => void;
  /** Calls back on a new state, a used step, or a job that asks for one. Returns its end. */
  onChange(listener: () => void): () => void;
  /** Closes it for good. Its jobs fail with `WorkerLost` and can run elsewhere. */
  close(): Promise<void>;
}
