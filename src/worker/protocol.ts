/** What the gateway's process and an engine's process say to each other. */
import type { KokoroOptions } from '../engine/kokoro-options.js';
import type { Measurement } from '../engine/remembered.js';
import type { SineOptions } from '../engine/sine.js';
import type { ErrorCode } from '../protocol/errors.js';
import type { SegmentJob, SegmentTimings } from '../protocol/job.js';

export type { KokoroOptions, Measurement };

/**
 * The channel is Node's own, with `advanced` serialisation: typed arrays cross it as bytes. Speech is 48 kB a second, so
 * a framing of our own over another pipe would save microseconds, and would have to rebuild what comes free here: message
 * boundaries, the end of the channel as the sign that the other side died, and the same behaviour on Windows.
 */
export type EngineOptions =
  | { readonly engine: 'kokoro'; readonly kokoro: KokoroOptions }
  | { readonly engine: 'sine'; readonly sine: SineOptions };

export type ToWorker =
  | { readonly type: 'start'; readonly options: EngineOptions }
  /** In place of `start`: measure the machine, answer, end. */
  | { readonly type: 'measure'; readonly options: KokoroOptions }
  | { readonly type: 'job'; readonly job: SegmentJob }
  | { readonly type: 'cancel'; readonly id: string }
  /** The consumer took this many samples of the job's audio. */
  | { readonly type: 'taken'; readonly id: string; readonly samples: number };

export type FromWorker =
  | { readonly type: 'ready'; readonly description: string }
  | { readonly type: 'measured'; readonly measurement: Measurement }
  | { readonly type: 'failed'; readonly code: ErrorCode; readonly message: string }
  | {
      readonly type: 'log';
      readonly level: 'info' | 'warn' | 'debug';
      readonly message: string;
      readonly fields: object;
    }
  | { readonly type: 'begin'; readonly id: string; readonly timings: SegmentTimings }
  | { readonly type: 'audio'; readonly id: string; readonly pcm: Int16Array }
  | { readonly type: 'end'; readonly id: string; readonly rssBytes: number }
  | { readonly type: 'error'; readonly id: string; readonly code: ErrorCode | 'aborted'; readonly message: string };

/** How far the engine may run ahead of a job's consumer before it waits: 8 s of speech. */
export const AHEAD_SAMPLES = 24_000 * 8;
/** The consumer reports in steps of this size, so that a report is not a message a chunk. */
export const REPORT_SAMPLES = 24_000;
