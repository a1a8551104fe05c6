/** What the gateway's process and an engine's process say to each other. */
import type { EngineFacts } from '../engine/engine.js';
import type { KokoroOptions } from '../engine/kokoro-options.js';
import type { Measurement } from '../engine/measure/remembered.js';
import type { SineOptions } from '../engine/sine.js';
import type { Gpu } from '../protocol/device.js';
import type { ErrorCode } from '../protocol/errors.js';
import type { SegmentJob, SegmentTimings } from '../protocol/job.js';

export type { EngineFacts, KokoroOptions, Measurement };

/**
 * The channel is Node's own, with `advanced` serialisation: typed arrays cross it as bytes. Speech is 48 kB a second, so
 * a framing of our own over another pipe would save microseconds, and would have to rebuild what comes free here: message
 * boundaries, the end of the channel as the sign that the other side died, and the same behaviour on Windows.
 */
export type EngineOptions =
  | { readonly engine: 'kokoro'; readonly kokoro: KokoroOptions }
  | { readonly engine: 'sine'; readonly sine: SineOptions };

/**
 * Jobs over any channel that carries messages in order. The engine may send as many samples of a job as it has credit for
 * (one chunk more where a chunk does not divide it). It makes one run at a time, and only in a turn: a job comes with one,
 * `waits` asks for another, `ran` gives it back. Every job ends in exactly one `end` or `error`, which is also the answer to
 * a `cancel`, and gives back what turns it had.
 */
export type JobRequest =
  | { readonly type: 'job'; readonly job: SegmentJob; readonly creditSamples: number }
  /** Of turns that wait for one another, those of other gateways among them, the one that is due soonest runs first. */
  | { readonly type: 'turn'; readonly id: string; readonly dueInMs?: number }
  | { readonly type: 'cancel'; readonly id: string }
  /** Whether turns that begin from now on have the machine to themselves. Until it is said they have not. */
  | { readonly type: 'wide'; readonly wide: boolean }
  /** The consumer took this many samples: as many more may come. */
  | { readonly type: 'credit'; readonly id: string; readonly samples: number };

export type JobReply =
  | { readonly type: 'progress'; readonly id: string; readonly loading: boolean }
  | { readonly type: 'waits'; readonly id: string }
  /**
   * What the run took of the engine, and what the engine did since the run before, where the turn was there by then; and what of it went
   * into more than was due.
   */
  | { readonly type: 'ran'; readonly id: string; readonly runMs: number; readonly earlyMs?: number }
  | { readonly type: 'begin'; readonly id: string; readonly timings: SegmentTimings }
  | { readonly type: 'audio'; readonly id: string; readonly pcm: Int16Array }
  | { readonly type: 'end'; readonly id: string }
  | { readonly type: 'error'; readonly id: string; readonly code: ErrorCode | 'aborted'; readonly message: string };

/** What the process itself is told, beside jobs. */
export type ToWorker =
  | { readonly type: 'start'; readonly options: EngineOptions }
  /** In place of `start`: measure the machine, answer, end. */
  | { readonly type: 'measure'; readonly options: KokoroOptions }
  | JobRequest;

export type FromWorker =
  | ({ readonly type: 'ready' } & EngineFacts)
  /** Its engine looks whether this GPU can be used, which may take a minute; `ready` comes behind it, whatever comes of it. */
  | { readonly type: 'tries'; readonly device: Gpu }
  | { readonly type: 'measured'; readonly measurement: Measurement }
  | { readonly type: 'failed'; readonly code: ErrorCode; readonly message: string }
  | {
      readonly type: 'log';
      readonly level: 'info' | 'warn' | 'debug';
      readonly message: string;
      readonly fields: object;
    }
  /** Told after every job. */
  | { readonly type: 'memory'; readonly rssBytes: number }
  | JobReply;
