/** What a stream asks of the gateway that it belongs to. */
import type { Clock } from '../clock.js';
import type { BaseModel, Segment, SegmentJob } from '../protocol/job.js';
import type { Want } from './admission-model.js';
import type { SegmentTask } from './segment-task.js';
import type { SpeechOrder } from './types.js';
import type { Wants } from './wants.js';

/** The admission controller as streams see it: its estimates, and what they report to it. */
export interface StreamAdmission {
  /** Measured duration of a character. */
  readonly msPerChar: number;
  /** Expected engine time to the first audio of a segment, and of a later step of it. */
  leadMs(job: SegmentJob): number;
  stepMs(job: SegmentJob): number;
  /** Mean round trip of a message to the workers. */
  readonly roundTripMs: number;
  /** The longest expected wait for first audio of a stream that is admitted. */
  withinMs(model: BaseModel): number;
  /** Notes the wants of a segment; and of text that is not cut into segments yet. */
  note(wants: Wants, model: BaseModel, speed: number, want: Want): void;
  noteUncut(wants: Wants, model: BaseModel, speed: number, want: Want): void;
  /** An engine spent this much time on a step. */
  ran(runMs: number): void;
  /** A listener heard a stall though the text was there. */
  stalled(model: BaseModel): void;
}

export interface SpeechHost<Stream> {
  readonly clock: Clock;
  /** Segments of one stream that may be queued, running or not yet handed over. */
  readonly lookahead: number;
  /** Audio that a stream holds back before its first is handed over. */
  readonly prebufferMs: number;
  readonly admission: StreamAdmission;
  /** The job for one segment. */
  job(order: SpeechOrder, segment: Segment): SegmentJob;
  submit(task: SegmentTask): void;
  cancel(task: SegmentTask): void;
  closed(stream: Stream): void;
}
