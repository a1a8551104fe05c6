/** Messages between gateway and engine: one segment of text in, its samples and times out. */
import type { Delivery, SentencePlace } from './delivery/delivery.js';

export type BaseModel = 'base-tts' | 'base-tts-fast';
export const BASE_MODELS: readonly BaseModel[] = ['base-tts', 'base-tts-fast'];

/** The languages and accents that are read, by their tags. */
export type Language =
  | 'en-US'
  | 'en-GB'
  | 'es-ES'
  | 'es-419'
  | 'fr-FR'
  | 'it-IT'
  | 'pt-BR'
  | 'hi-IN'
  | 'ja-JP'
  | 'zh-CN';
export const LANGUAGES: readonly Language[] = [
  'en-US',
  'en-GB',
  'es-ES',
  'es-419',
  'fr-FR',
  'it-IT',
  'pt-BR',
  'hi-IN',
  'ja-JP',
  'zh-CN',
];
export const DEFAULT_LANGUAGE: Language = 'en-US';

/** A style and its share of a voice; the shares add up to 1. */
export interface StyleShare {
  readonly style: string;
  readonly weight: number;
}

/**
 * What a segment ends with decides the rest after it. `carried`: the sentence goes on in the next
 * segment, because it exceeds the model's limit. `joined`: the sentence goes on without a rest,
 * because the segment was cut off to be heard sooner.
 */
export const PAUSE_KINDS = ['none', 'carried', 'joined', 'clause', 'sentence', 'item', 'paragraph', 'heading'] as const;
export type PauseKind = (typeof PAUSE_KINDS)[number];

export type SayAs = 'characters' | 'cardinal' | 'ordinal' | 'date' | 'telephone';

/**
 * A part of a segment as it is to be read. `start` and `end` are offsets in code points into the
 * segment's `text` (the text as sent). Characters without a span (SSML tags) are silent.
 */
export type SegmentSpan =
  | (SpokenSpan & { readonly kind: 'text'; readonly text: string })
  | { readonly kind: 'break'; readonly ms: number; readonly start: number; readonly end: number }
  | (SpokenSpan & { readonly kind: 'phoneme'; readonly ipa: string; readonly text: string })
  | (SpokenSpan & { readonly kind: 'sub'; readonly alias: string })
  | (SpokenSpan & { readonly kind: 'say-as'; readonly as: SayAs; readonly text: string });

interface SpokenSpan {
  readonly start: number;
  readonly end: number;
  /** The language to read it in, where it is not the text's own. */
  readonly language?: Language;
  /** How it is delivered, where that is not as the voice does by itself. */
  readonly prosody?: Prosody;
}

/** Delivery that differs from the voice's own; what is absent is the voice's own. */
export interface Prosody {
  /** Times the pace. */
  readonly rate?: number;
  /** Semitones higher. */
  readonly pitch?: number;
  /** Times the movement of the pitch around its mean. */
  readonly range?: number;
  /** Decibels louder. */
  readonly volume?: number;
}

/** The least and the most of each. */
export const PROSODY_LIMITS: Readonly<Record<keyof Prosody, readonly [number, number]>> = {
  rate: [0.5, 2],
  pitch: [-12, 12],
  range: [0, 2],
  volume: [-60, 10],
};

/** Bounds of a request's speed. */
export const MIN_SPEED = 0.25;
export const MAX_SPEED = 4;

/** One unit of scheduling. Joined in order, the `text`s of all segments are the text as sent. */
export interface Segment {
  /** The text as sent, markup included. */
  readonly text: string;
  /** Offset of this segment in the whole text, in code points. */
  readonly offset: number;
  /** How `text` is to be read. Empty where nothing in it is spoken. */
  readonly spans: readonly SegmentSpan[];
  readonly pause: PauseKind;
  /**
   * What its first sentence began with in earlier segments, where that was cut inside a sentence;
   * of a long one, the beginning.
   */
  readonly before?: string;
  /**
   * The pause that parts it from `before`, where that is the whole sentence so far, was said by the
   * same voice and is still being heard: the melody goes on from there.
   */
  readonly follows?: PauseKind;
  /** Words of the next segment, where the voice goes on to them without a rest (`joined`). */
  readonly ahead?: string;
  /**
   * Its listener may wait for its first sound: little was said before it, for its own length, in a
   * text that is heard while it is made. So it is with the first one, and behind a flush.
   */
  readonly awaited?: true;
  /** The id of the voice that speaks it, where the text names another than its order does. */
  readonly voice?: string;
  /** Where it stands in its text; absent where nobody cut it from one. */
  readonly place?: SegmentPlace;
}

/** Where a segment stands, by the text up to its end: how that arrived makes no difference. */
export interface SegmentPlace extends SentencePlace {
  /** What the segment before it ended with; absent where nothing was said before, or a flush. */
  readonly after?: PauseKind;
  /** Another voice spoke before it. */
  readonly turn?: boolean;
  /** Letters of its sentence so far, those of earlier segments included. */
  readonly letters: number;
  /** How often its words were said before. */
  readonly repeats: number;
}

/** When the first audio of a stream is due (ms), also after a pause of its writer. */
export const FIRST_SOUND_MS = 150;

export interface SegmentJob {
  readonly id: string;
  readonly model: BaseModel;
  readonly language: Language;
  /** The voice by its styles, so that a worker need not know the catalogue. */
  readonly mix: readonly StyleShare[];
  /** 0 is the canonical reading. */
  readonly seed: number;
  /** 1 is the voice's own speed, 2 twice as fast; 0.25 to 4. */
  readonly speed: number;
  /** Gain that makes all voices equally loud. */
  readonly gainDb: number;
  readonly segment: Segment;
  /** How it is delivered; as the voice does by itself where absent. */
  readonly delivery?: Delivery;
  /** Of a buffered response: nobody hears it while it is made. */
  readonly whole?: boolean;
  /** When its listener needs it, from its hand-over on. Absent where nothing is urgent. */
  readonly dueInMs?: number;
  /** The gateway's span of this segment (W3C Trace Context), the parent of the engine's. */
  readonly traceparent?: string;
}

/** Times of the code points of `segment.text`, in samples from the segment's first one. */
export interface SegmentTimings {
  readonly startSamples: readonly number[];
  readonly durationSamples: readonly number[];
}

/**
 * An engine answers a job with exactly one `begin`, then audio in order. A silent segment may have
 * no audio. `progress` may come at any time: work was done that cannot be heard yet, or a model is
 * loaded next, which may take long.
 */
export type SpeechEvent =
  | { readonly type: 'progress'; readonly loading: boolean }
  | { readonly type: 'begin'; readonly timings: SegmentTimings }
  | { readonly type: 'audio'; readonly pcm: Int16Array };
