/** The seam between the gateway and an engine: a child process, or `tts worker` on another machine over NATS. */
import type { Gpu } from '../../protocol/device.js';
import type { TtsError } from '../../protocol/errors.js';
import type { BaseModel, SegmentJob, SpeechEvent } from '../../protocol/job.js';
import type { EngineFacts } from '../../worker/protocol.js';

export type WorkerState = 'starting' | 'ready' | 'dead' | 'closed';

/** The worker died, froze or was never there: the segment is as it was and can be run again, here or elsewhere. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
  /** The way to it broke, or it left in peace: no segment was the reason, and none is given up over it. */
  readonly blameless: boolean;

  constructor(message: string, { blameless = false } = {}) {
    super(message);
    this.blameless = blameless;
  }
}

/**
 * Speech, and word of every run that was made for it, with what it took of the engine by the engine's own clock, and what of that went
 * into more than was due.
 */
export type WorkerEvent = SpeechEvent | { readonly type: 'ran'; readonly runMs: number; readonly earlyMs: number };

/** Why a worker that is ready is given nothing: it reads text another way, lacks the model or the styles, or is about to stop. */
export const UNUSABLE = ['text_version', 'model', 'styles', 'draining'] as const;
export type Unusable = (typeof UNUSABLE)[number];

export interface Runnable {
  /** Of the job. */
  readonly id: string;
  /** What it has already: 0 where it stands still. */
  readonly turns: number;
}

export interface Worker {
  readonly id: string;
  readonly state: WorkerState;
  /** How many turns it takes at once: one that runs, what hides the hand-over of the next, and what is on its way there and back. */
  readonly capacity: number;
  /** How many of them one job may have where no other needs them; two where it is left out. */
  readonly turnsOfAJob?: number;
  /** What a message takes there and back; nothing where it is left out. */
  readonly roundTripMs?: number;
  /**
   * Turns that were given and not used up. A job that waits for nothing but its own consumer holds none; one that was
   * cancelled holds a place until the engine said that it stopped.
   */
  readonly busy: number;
  /** It has no job at all, not even a cancelled one that its engine still has to notice. */
  readonly idle: boolean;
  /** Jobs that could use another turn. */
  readonly runnable: Iterable<Runnable>;
  /** Restarts since it was made. */
  readonly restarts: number;
  /** What the engine runs on, once it is ready, in words. */
  readonly description: string | undefined;
  /** The GPU that an engine process of this machine looks at before it is ready: nobody knows for how long. */
  readonly trying?: Gpu | undefined;
  /** The device of an engine process of this machine, once it is ready. */
  readonly device?: EngineFacts['device'] | undefined;
  /** Workers of one version make the same samples of a job. */
  readonly version: string | undefined;
  /** Whether it has what the job needs: the model and the styles, and reads as this gateway does. */
  takes(job: Pick<SegmentJob, 'model' | 'mix'>): boolean;
  /** Why it is given nothing of a model, as far as is known; undefined where it may be. Absent where it always may. */
  readonly unusable?: (model: BaseModel) => Unusable | undefined;
  /** How it reads text, once that is known. Absent where it reads as this gateway does. */
  readonly textVersion?: string | undefined;
  /** Turns that others have in it, which run before one that is given now. */
  readonly others: number;
  /** Why it is not ready. */
  readonly lastError: TtsError | undefined;
  /**
   * Runs one segment: with its first turn at once, then turn by turn as they are granted, and no further ahead of whoever
   * pulls than a few seconds. Fails with `WorkerLost` when the engine is not there any more, with a TtsError when it failed
   * on the segment, with the signal's reason when that aborted.
   */
  run(job: SegmentJob, signal: AbortSignal): AsyncIterable<WorkerEvent>;
  /** Another turn for a job, that is needed so soon. */
  grant(jobId: string, dueInMs: number): void;
  /**
   * Whether its turns may use every core of its machine from now on, because nobody else is at work there. Absent where it
   * runs in one way only.
   */
  readonly setWide?: (wide: boolean) => void;
  /** Calls back when the state changed, a turn was used up or a job asks for one, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** For good. What it had fails with `WorkerLost`: it can be run elsewhere. */
  close(): Promise<void>;
}
