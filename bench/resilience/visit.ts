/** A visit to a speech server as the visitor sees it, and what every visitor uses. */

/** Where they go, and what lets them in. */
export interface Door {
  readonly baseUrl: string;
  readonly key: string;
  /** With it some knock with a Free key where none is let in. */
  readonly freeKey?: string;
}

export const VOICE = 'english_female_professional';
export const MULTI_PATH = `/elevenlabs/v1/text-to-speech/${VOICE}/multi-stream-input`;
export const MODEL = 'base-tts-fast';

export const TEXTS = [
  'Sure, here is what happened next. The two of them walked along the river until the lights of the town were far behind.',
  'It was cold for the time of year, wasn’t it? "Read it," she said.\n\nHe shook his head, and put it into his coat.',
  'On 3 March 2024 it cost $1,250.75, about 12% more than Dr. Smith had thought. Nobody minded. Nobody ever did, there.',
  'One. Two. Three. At the old bridge they stopped, because somebody had left a lantern on the wall, still burning, with a letter.',
];

/**
 * How a visit ended, as the visitor saw it. `open`: it was admitted, and the visitor left or was
 * shown out; `put off`: told in the middle to come back later.
 */
export type Ending = 'completed' | 'open' | 'put off' | 'refused' | 'unknown' | 'failed' | 'hung' | 'other sound';
export interface Visit {
  readonly manner: string;
  readonly requestId: string;
  /** Characters a completed visit is charged. */
  readonly chars: number;
  readonly ending: Ending;
  /** What the server last said, where that says more. */
  readonly said?: string;
}

let visits = 0;
export const newId = () => `visit-${++visits}`;
export const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;
export const length = (text: string) => [...text].length;
export const headersOf = ({ key }: Door, id: string) => ({ authorization: `Bearer ${key}`, 'x-request-id': id });
