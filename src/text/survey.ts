/**
 * What a text loses when it is read: the characters that are not spoken, and the markup that
 * changes nothing. Told from the text alone, without the pronouncing engine, so that a client may
 * say it as well as a server.
 */
import { DEFAULT_LANGUAGE, type Language, type Segment, type SegmentSpan } from '../protocol/job.js';
import { frontEnd } from './languages.js';
import type { Lexicon } from './lexicon.js';
import { normalize } from './normalize.js';
import { READABLE } from './reading-pieces.js';
import { Segmenter } from './segment/segment.js';
import type { Unspoken } from './unspoken.js';

export interface SurveyOptions {
  readonly ssml?: boolean;
  /** A lexicon may give words to what has none otherwise. */
  readonly lexicon?: Lexicon;
  /** The language it is read in; its front end is loaded. */
  readonly language?: Language;
}

/** Gathers what the segments of a text leave out. */
export class Survey {
  readonly #lexicon: Lexicon | undefined;
  readonly #language: Language;
  readonly #readable: RegExp;
  readonly #unspoken: Record<string, number> = {};
  #spoken = false;

  constructor({ lexicon, language = DEFAULT_LANGUAGE }: Omit<SurveyOptions, 'ssml'> = {}) {
    this.#lexicon = lexicon;
    this.#language = language;
    this.#readable = frontEnd(language).readable ?? READABLE;
  }

  /** Whether anything at all is spoken. */
  get spoken(): boolean {
    return this.#spoken;
  }

  get unspoken(): Unspoken {
    return this.#unspoken;
  }

  add({ spans }: Pick<Segment, 'spans'>): void {
    for (const span of spans) this.#span(span);
  }

  #span(span: SegmentSpan): void {
    if (span.kind === 'phoneme' || (span.kind !== 'break' && span.language !== undefined)) this.#spoken = true;
    else if (span.kind === 'sub') this.#text(span.alias);
    else if (span.kind === 'say-as') this.#gather(normalize(span.text, { sayAs: span.as, language: this.#language }));
    else if (span.kind === 'text') this.#text(span.text);
  }

  #text(text: string): void {
    let from = 0;
    for (const { index, length } of this.#lexicon?.find(text) ?? []) {
      this.#spoken = true;
      this.#gather(normalize(text.slice(from, index), { language: this.#language }));
      from = index + length;
    }
    this.#gather(normalize(text.slice(from), { language: this.#language }));
  }

  #gather({ text, skipped }: { readonly text: string; readonly skipped: Unspoken }): void {
    if (READABLE.test(text) || this.#readable.test(text)) this.#spoken = true;
    for (const [kind, chars] of Object.entries(skipped)) this.#unspoken[kind] = (this.#unspoken[kind] ?? 0) + chars;
  }
}

export interface TextSurvey {
  readonly spoken: boolean;
  readonly unspoken: Unspoken;
  /** The elements and attributes of SSML that change nothing: `<audio>`, `say-as format`. */
  readonly ignoredMarkup: readonly string[];
}

/** Surveys a whole text. Throws `invalid_ssml` where its markup is wrong. */
export function surveyText(text: string, options: SurveyOptions = {}): TextSurvey {
  // What is left out hangs on no cut: the limit of a segment is of no account here.
  const { ssml = false, language = DEFAULT_LANGUAGE } = options;
  const segmenter = new Segmenter({ countTokens: () => 0, ssml, language });
  const survey = new Survey(options);
  for (const segment of [...segmenter.push(text), ...segmenter.end()]) survey.add(segment);
  return { spoken: survey.spoken, unspoken: survey.unspoken, ignoredMarkup: segmenter.ignoredMarkup };
}
