/** What travels between the gateway and an engine: one segment of text in, its samples and times out. */

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

/** One of the styles that voices are made of, and its share; the shares of a voice add up to 1. */
export interface StyleShare {
  readonly style: string;
  readonly weight: number;
}

/** Where a segment ends decides how long the reader rests after it. */
/** `carried`: the sentence goes on behind a cut that only the model's limit asked for. */
export type PauseKind = 'none' | 'carried' | 'clause' | 'sentence' | 'item' | 'paragraph';

export type SayAs = 'characters' | 'cardinal' | 'ordinal' | 'date' | 'telephone';

/**
 * A stretch of a segment as it is to be read. `start` and `end` are offsets in code points into the segment's `text`
 * (the text as sent); what no span covers (SSML tags) is silent.
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
}

/** How slowly and how fast a voice can be asked to speak. */
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
}

/** When the first sound of a stream is due, also after a pause of its writer: sooner than anybody has time to wonder. */
export const FIRST_SOUND_MS = 150;

export interface SegmentJob {
  readonly id: string;
  readonly model: BaseModel;
  readonly language: Language;
  /** The voice: what it is made of, so that it can be spoken where nobody knows its name. */
  readonly mix: readonly StyleShare[];
  /** 0 is the canonical reading. */
  readonly seed: number;
  /** 1 is the voice's own pace, 2 twice as fast; 0.25 to 4. */
  readonly speed: number;
  /** How much louder or softer than the model speaks it, so that all voices are equally loud. */
  readonly gainDb: number;
  readonly segment: Segment;
  /** How soon its listener needs it, counted from when it is handed over; left out where nobody is in a hurry. */
  readonly dueInMs?: number;
  /** The gateway's span of this segment, as W3C Trace Context writes it: the engine's own span is a part of it. */
  readonly traceparent?: string;
}

/** Times of the code points of `segment.text`, in samples from the segment's first sample. Unspoken ones last 0. */
export interface SegmentTimings {
  readonly startSamples: readonly number[];
  readonly durationSamples: readonly number[];
}

/**
 * An engine answers a job with exactly one `begin`, then audio in order. A silent segment may have no audio. `progress`
 * may come at any time: work was done that cannot be heard yet, or a model is loaded next, which takes as long as it takes.
 */
export type SpeechEvent =
  | { readonly type: 'progress'; readonly loading: boolean }
  | { readonly type: 'begin'; readonly timings: SegmentTimings }
  | { readonly type: 'audio'; readonly pcm: Int16Array };

/**
 * The models count a phoneme in steps of 25 ms, one at least. Faster than this there are too few steps to tell phonemes
 * apart, slower they begin to stammer: both were heard with the recogniser of the tests.
 */
const MODEL_FASTEST = 1.25;
const MODEL_SLOWEST = 0.5;

/** How much faster than its model spoke it speech of a speed is heard: a second of it takes as many of the model's. */
export const stretchOf = (speed: number): number => speed / Math.max(MODEL_SLOWEST, Math.min(MODEL_FASTEST, speed));
