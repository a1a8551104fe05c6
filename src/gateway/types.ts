/** The gateway as the server sees it: segments in, speech in order out. */
import type { BaseModel, Language, Segment, SegmentTimings } from '../protocol/job.js';
import type { TraceSpan } from '../trace.js';
import type { Unusable, WorkerState } from './workers/worker.js';

export interface SpeechOrder {
  readonly model: BaseModel;
  readonly voice: string;
  readonly seed: number;
  /** 1, where it is left out, is the voice's own pace. */
  readonly speed?: number;
  /** The locale to read in; the voice's own where it is left out. */
  readonly language?: Language;
  /** Whose turn it is: work is shared fairly between owners (key ids). */
  readonly owner: string;
  readonly requestId: string;
  /** Nobody listens before all of it is there: audio that was made buys no time. */
  readonly whole?: boolean;
  /** Characters known before the first is written; absent where they come as somebody writes them. */
  readonly chars?: number;
  /** The span that its segments are parts of. */
  readonly trace?: TraceSpan;
}

/** In order: a `segment`, its `audio`, the next `segment`, … */
export type GatewayEvent =
  | { readonly type: 'segment'; readonly segment: Segment; readonly timings: SegmentTimings }
  | { readonly type: 'audio'; readonly pcm: Int16Array }
  | { readonly type: 'segment-end'; readonly segment: Segment };

/** What became of a speech so far, for an operator's eyes. */
export interface SpeechRecord {
  /** Silences that a listener heard because audio came late. */
  readonly breaks: number;
  /** Ids of the workers that it was given to, the first few. */
  readonly workers: readonly string[];
}

/** A place in the queue, taken at once or refused at once. */
export interface Speech {
  /** Milliseconds between admission and the first segment's start in an engine; undefined until then. */
  readonly queueMs: number | undefined;
  readonly record: SpeechRecord;
  /**
   * Speaks the segments as they come. Pulling drives it: a consumer that stops pulling stops the synthesis after what is
   * in flight. Ends when `segments` ended and all was delivered. May be called once.
   */
  speak(segments: AsyncIterable<Segment>, signal: AbortSignal): AsyncIterable<GatewayEvent>;
  /** So many more characters were written, and none will follow if they are the last: what it will still want of the engines. */
  wrote(chars: number, last: boolean): void;
  /** Gives the place back. Idempotent; must be called in every case. */
  close(): void;
}

export interface Gateway {
  /** Throws `overloaded` also where one more live stream would make others stall, `shutting_down`, or `no_worker_ready` when no worker can come up in bounded time. */
  open(order: SpeechOrder): Speech;
  /** True while there is a worker that can be used. */
  readonly ready: boolean;
  /** Why it is not ready, or what workers cannot be used for; '' where all is well. */
  readonly readiness: string;
  /** Stops taking new work; resolves when what runs is done. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** What the gateway reports as it happens; the metrics listen. */
export interface GatewayObserver {
  /** A segment left the queue for an engine. */
  segmentStarted(info: { readonly model: BaseModel; readonly waitMs: number }): void;
  /** A segment came out of an engine whole. */
  segmentSpoken(info: { readonly model: BaseModel; readonly runMs: number; readonly samples: number }): void;
  segmentRetried(info: { readonly model: BaseModel }): void;
  segmentFailed(info: { readonly model: BaseModel }): void;
  /** A listener heard silence because more of a stream came late. */
  stalled(info: { readonly model: BaseModel }): void;
}

/** The gateway at this moment, for an operator's eyes. */
export interface GatewayStats {
  /** Places taken, and how many there are. */
  readonly open: number;
  readonly limit: number;
  /** Segments that wait for a worker. */
  readonly queuedSegments: number;
  readonly runningSegments: number;
  readonly workers: Readonly<Record<WorkerState, number>>;
  /** Those that can be used, by model; and how text is read here, which they agree with. */
  readonly usable: { readonly textVersion: string; readonly models: Readonly<Record<BaseModel, number>> };
  /** Those that are ready and are given nothing, by why. */
  readonly unusable: Readonly<Record<Unusable, number>>;
  /** As many as there may be. */
  readonly mostWorkers: number;
  readonly restarts: number;
}

/** What open streams want of the workers, against what those can give: both in workers. */
export interface GatewayLoad {
  /** Over the next seconds, as far as it was measured what speech costs. */
  readonly demand: number;
  /** Of the workers that can be used and those that would start here, what may be filled without a stall. */
  readonly capacity: number;
}

/** The gateway as whoever put it together sees it. */
export interface ObservableGateway extends Gateway {
  readonly stats: GatewayStats;
  /** Workers that are ready and are given nothing: why, in words, by their ids. */
  readonly unusable: ReadonlyMap<string, string>;
  readonly load: GatewayLoad;
  /** What was measured: seconds of a worker for a second of a model's speech when most workers have work. */
  readonly costs: Readonly<Partial<Record<BaseModel, number>>>;
}
