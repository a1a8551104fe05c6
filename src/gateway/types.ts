/** The gateway as the server sees it: segments in, speech in order out. */
import type { DeliveryStyle, SentencePlace } from '../protocol/delivery/delivery.js';
import type { BaseModel, Language, Segment, SegmentTimings } from '../protocol/job.js';
import type { TraceSpan } from '../trace.js';
import type { Unusable, WorkerState } from './workers/worker.js';

export interface SpeechOrder {
  readonly model: BaseModel;
  readonly voice: string;
  readonly seed: number;
  /** Relative to the voice's own pace; 1 where absent. */
  readonly speed?: number;
  /** How the text is delivered; as the voice does by itself where absent. */
  readonly style?: DeliveryStyle;
  /** The place of a sentence in its paragraph, where the text is that sentence alone. */
  readonly place?: SentencePlace | undefined;
  /** The locale to read in; the voice's own where absent. */
  readonly language?: Language;
  /** Key id: work is shared fairly between owners. */
  readonly owner: string;
  readonly requestId: string;
  /** A buffered response: no listener hears it before all of it is made. */
  readonly whole?: boolean;
  /** Characters of the whole text; absent where a writer sends it in pieces. */
  readonly chars?: number;
  /** Parent span of its segments. */
  readonly trace?: TraceSpan;
}

/** In order: a `segment`, its `audio`, the next `segment`, … */
export type GatewayEvent =
  | { readonly type: 'segment'; readonly segment: Segment; readonly timings: SegmentTimings }
  | { readonly type: 'audio'; readonly pcm: Int16Array }
  | { readonly type: 'segment-end'; readonly segment: Segment };

/** What operators see of a speech so far. */
export interface SpeechRecord {
  /** Stalls that the listener heard. */
  readonly breaks: number;
  /** Ids of the first few workers that had its segments. */
  readonly workers: readonly string[];
}

/** An admitted request or session. */
export interface Speech {
  /** Milliseconds from admission to the first segment's start; undefined until then. */
  readonly queueMs: number | undefined;
  readonly record: SpeechRecord;
  /**
   * Speaks the segments as they come. Pulling drives it: a consumer that stops pulling stops the
   * synthesis. Ends when `segments` ended and all was delivered. May be called once.
   */
  speak(segments: AsyncIterable<Segment>, signal: AbortSignal): AsyncIterable<GatewayEvent>;
  /** `chars` more were written, and none follow the `last`: admission counts on them. */
  wrote(chars: number, last: boolean): void;
  /** Gives its place back. Idempotent; must be called in every case. */
  close(): void;
}

export interface Gateway {
  /**
   * Throws `overloaded`, also where one more live stream would make others stall; `shutting_down`;
   * or `no_worker_ready` when no worker can come up in bounded time.
   */
  open(order: SpeechOrder): Speech;
  /** True while there is a worker that can be used. */
  readonly ready: boolean;
  /** In words: why it is not ready, or why workers cannot be used; '' where all is well. */
  readonly readiness: string;
  /** Refuses new work; resolves when all open streams have ended. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Events of the gateway, for metrics. */
export interface GatewayObserver {
  /** A segment left the queue for an engine. */
  segmentStarted(info: { readonly model: BaseModel; readonly waitMs: number }): void;
  /** A segment was spoken to its end. */
  segmentSpoken(info: { readonly model: BaseModel; readonly runMs: number; readonly samples: number }): void;
  segmentRetried(info: { readonly model: BaseModel }): void;
  segmentFailed(info: { readonly model: BaseModel }): void;
  /** A listener heard a stall. */
  stalled(info: { readonly model: BaseModel }): void;
}

/** What operators see of the gateway at this moment. */
export interface GatewayStats {
  /** Open streams, and the most there may be. */
  readonly open: number;
  readonly limit: number;
  /** Segments that wait for a worker. */
  readonly queuedSegments: number;
  readonly runningSegments: number;
  readonly workers: Readonly<Record<WorkerState, number>>;
  /** Workers that can be used, by model, and the text version they share. */
  readonly usable: { readonly textVersion: string; readonly models: Readonly<Record<BaseModel, number>> };
  /** Ready workers that are given nothing, by reason. */
  readonly unusable: Readonly<Record<Unusable, number>>;
  /** The most workers there may be. */
  readonly mostWorkers: number;
  readonly restarts: number;
}

/** What open streams want of the workers, and what those can give: both in workers. */
export interface GatewayLoad {
  /** Demand over the next seconds, by measured costs. */
  readonly demand: number;
  /** Usable workers and those that would start, as far as they may be filled without a stall. */
  readonly capacity: number;
}

/** The gateway as its owner sees it. */
export interface ObservableGateway extends Gateway {
  readonly stats: GatewayStats;
  /** In words: why a ready worker is given nothing, by its id. */
  readonly unusable: ReadonlyMap<string, string>;
  readonly load: GatewayLoad;
  /** Measured seconds of a worker for a second of speech under load. */
  readonly costs: Readonly<Partial<Record<BaseModel, number>>>;
}
