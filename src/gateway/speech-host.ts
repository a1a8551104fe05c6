/** What a stream asks of the gateway that it belongs to. */
import type { BaseModel, Segment, SegmentJob } from '../protocol/job.js';
import type { Want } from './admission.js';
import type { SegmentTask } from './segment-task.js';
import type { SpeechOrder } from './types.js';
import type { Wants } from './wants.js';

/** What is known of the engines' pace, and told of it. */
export interface StreamIntake {
  /** What a character lasts, as measured. */
  readonly msPerChar: number;
  /** About what an engine takes to the first sound of a segment, and for a run that goes on with it. */
  leadMs(job: SegmentJob): number;
  runMs(job: SegmentJob): number;
  /** What a message takes to the workers and back, about. */
  readonly roundTripMs: number;
  /** Nobody is taken in who would wait longer than this for his first sound. */
  withinMs(model: BaseModel): number;
  /** Notes what is wanted of a segment; and of speech that is not cut into segments yet. */
  note(wants: Wants, model: BaseModel, speed: number, want: Want): void;
  noteUncut(wants: Wants, model: BaseModel, speed: number, want: Want): void;
  /** An engine ran for so long. */
  ran(runMs: number): void;
  /** A listener ran dry though his text was there. */
  broke(model: BaseModel): void;
}

export interface SpeechHost<Stream> {
  /** Segments of one stream that may be queued, running or not yet handed over. */
  readonly lookahead: number;
  /** What a listener should have in hand when he begins to hear. */
  readonly cushionMs: number;
  readonly intake: StreamIntake;
  /** What the engine is told of one segment. */
  job(order: SpeechOrder, segment: Segment): SegmentJob;
  submit(task: SegmentTask): void;
  cancel(task: SegmentTask): void;
  closed(stream: Stream): void;
}
