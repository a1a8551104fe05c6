/** How a text is delivered: the styles that a request may name, and what they make of a segment. */

export type DeliveryStyle = 'narration' | 'assistant' | 'news' | 'plain';
export const DELIVERY_STYLES: readonly DeliveryStyle[] = ['narration', 'assistant', 'news', 'plain'];
/** Of a server that was told nothing else. */
export const DEFAULT_STYLE: DeliveryStyle = 'assistant';
/** Of books. */
export const BOOK_STYLE: DeliveryStyle = 'narration';

/** Where a sentence stands in its paragraph. */
export interface SentencePlace {
  /** Sentences of the paragraph before it. */
  readonly sentence: number;
  /** The paragraph ends with it. */
  readonly last: boolean;
}

/** A part of a text that is sent in several requests, cut inside a paragraph. */
export interface TextPart {
  /** Its first paragraph began in the request before. */
  readonly continues: boolean;
  /** Its last paragraph goes on in the next request. */
  readonly goesOn: boolean;
}

/** What a style, a place and a seed make of one segment. */
export interface Delivery {
  /** Times the pace. */
  readonly rate: number;
  /** Semitones higher. */
  readonly pitch: number;
  /** Times the movement of the pitch around its mean. */
  readonly range: number;
  /** Silence before the voice, at the pace of the order (ms). */
  readonly leadMs: number;
  /** Silence behind the voice, at the pace of the order (ms). */
  readonly restMs: number;
  /** Times the rests at marks inside the segment; the same seed moves them alike. */
  readonly rests: number;
  readonly spread: number;
}

/** The least and the most of each. */
export const DELIVERY_LIMITS: Readonly<Record<keyof Delivery, readonly [number, number]>> = {
  rate: [0.5, 2],
  pitch: [-12, 12],
  range: [0, 2],
  leadMs: [0, 5_000],
  restMs: [0, 5_000],
  rests: [0.25, 4],
  spread: [0, 1],
};
