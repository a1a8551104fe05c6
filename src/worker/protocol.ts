/** Messages between the gateway's process and an engine's process. */
import type { EngineFacts } from '../engine/engine.js';
import type { KokoroOptions } from '../engine/kokoro-options.js';
import type { Measurement } from '../engine/measure/remembered.js';
import type { SineOptions } from '../engine/sine.js';
import type { Gpu } from '../protocol/device.js';
import type { ErrorCode } from '../protocol/errors.js';
import type { SegmentJob, SegmentTimings } from '../protocol/job.js';

export type { EngineFacts, KokoroOptions, Measurement };

/**
 * The channel is Node's own, with `advanced` serialisation: typed arrays cross it as bytes. Speech
 * is 48 kB a second: framing of our own over another pipe would save microseconds, and would have
 * to rebuild message boundaries, the end of the channel when a side dies, and Windows support.
 */
export type EngineOptions =
  | { readonly engine: 'kokoro'; readonly kokoro: KokoroOptions }
  | { readonly engine: 'sine'; readonly sine: SineOptions };

/**
 * Jobs over any channel that carries messages in order. The engine may send as many samples of a
 * job as it has credit for (one chunk more where a chunk does not divide it). It runs one step at a
 * time, and only when given: a job comes with one, `waits` asks for another, `ran` reports that one
 * is used up. Every job ends in exactly one `end` or `error`, which also answers a `cancel`, and
 * gives its steps back. On the wire a step is a `turn`, and multi-threaded is `wide`.
 */
export type JobRequest =
  | { readonly type: 'job'; readonly job: SegmentJob; readonly creditSamples: number }
  /** Of steps that wait, also those of other gateways, the one that is due soonest runs first. */
  | { readonly type: 'turn'; readonly id: string; readonly dueInMs?: number }
  | { readonly type: 'cancel'; readonly id: string }
  /** Whether steps that begin from now on may use all cores; false at first. */
  | { readonly type: 'wide'; readonly wide: boolean }
  /** The consumer took this many samples, so as many more may be sent. */
  | { readonly type: 'credit'; readonly id: string; readonly samples: number };

export type JobReply =
  | { readonly type: 'progress'; readonly id: string; readonly loading: boolean }
  | { readonly type: 'waits'; readonly id: string }
  /**
   * Engine time of a step, since the end of the one before where it waited for that; and the part
   * that went into audio that was not due yet.
   */
  | { readonly type: 'ran'; readonly id: string; readonly runMs: number; readonly earlyMs?: number }
  | { readonly type: 'begin'; readonly id: string; readonly timings: SegmentTimings }
  | { readonly type: 'audio'; readonly id: string; readonly pcm: Int16Array }
  | { readonly type: 'end'; readonly id: string }
  | { readonly type: 'error'; readonly id: string; readonly code: ErrorCode | 'aborted'; readonly message: string };

/** Messages to the process itself, beside jobs. */
export type ToWorker =
  | { readonly type: 'start'; readonly options: EngineOptions }
  /** In place of `start`: measures the machine, answers, ends. */
  | { readonly type: 'measure'; readonly options: KokoroOptions }
  | JobRequest;

export type FromWorker =
  | ({ readonly type: 'ready' } & EngineFacts)
  /** Its engine checks whether this GPU can be used, up to a minute; `ready` follows anyway. */
  | { readonly type: 'tries'; readonly device: Gpu }
  | { readonly type: 'measured'; readonly measurement: Measurement }
  | { readonly type: 'failed'; readonly code: ErrorCode; readonly message: string }
  | {
      readonly type: 'log';
      readonly level: 'info' | 'warn' | 'debug';
      readonly message: string;
      readonly fields: object;
    }
  /** Sent after every job. */
  | { readonly type: 'memory'; readonly rssBytes: number }
  | JobReply;
