/** Text in pieces in, segments out, each of which an engine has something to say of. */
import { DEFAULT_LANGUAGE, type Language, type Segment } from '../../protocol/job.js';
import { codeOf, type LanguageCode } from '../../protocol/languages.js';
import { Segmenter, type SegmenterOptions } from './segment.js';

/** One text being cut, on this thread or another; one call at a time. */
export interface TextCutter {
  /** Characters taken in and not yet part of a segment. */
  readonly pendingChars: number;
  /** The SSML met so far that changes nothing. */
  readonly ignoredMarkup: readonly string[];
  /** Throws `invalid_ssml` where the markup is wrong. */
  push(text: string): Segment[] | Promise<Segment[]>;
  /** Cuts what is pending. */
  flush(): Segment[] | Promise<Segment[]>;
  /** Cuts what is pending, and nothing follows. */
  end(): Segment[] | Promise<Segment[]>;
  /** Gives back what it holds. Idempotent. */
  close(): void;
}

const MARKED = /[<&[`:;=^]/;
const LATIN = /[A-Za-z0-9]/;
const KANA = /[あいうえおか-ぢつ-もやゆよ-ろわんアイウエオカ-ヂツ-モヤユヨ-ロワン]/;
/** Letters that are surely heard where a language is read: a consonant, a vowel, a syllable. */
const HEARD: Partial<Readonly<Record<LanguageCode, RegExp>>> = {
  hi: /[A-Za-z0-9\u0905-\u0939]/,
  ja: new RegExp(`${LATIN.source}|${KANA.source}`),
  zh: /[A-Za-z0-9]|[\u4e00-\u9fa5]{2}/,
};

/**
 * Whether a text has a word to say, as far as that can be told without reading it: it has such a
 * letter, and nothing that markup and emoticons are made of.
 */
export const surelySounds = (text: string, language: Language = DEFAULT_LANGUAGE): boolean =>
  (HEARD[codeOf(language)] ?? LATIN).test(text) && !MARKED.test(text);

export class LocalCutter implements TextCutter {
  readonly #segmenter: Segmenter;
  readonly #countTokens: SegmenterOptions['countTokens'];
  readonly #language: Language | undefined;

  constructor(options: SegmenterOptions) {
    this.#segmenter = new Segmenter(options);
    this.#countTokens = options.countTokens;
    this.#language = options.language;
  }

  get pendingChars(): number {
    return this.#segmenter.pendingChars;
  }

  get ignoredMarkup(): readonly string[] {
    return this.#segmenter.ignoredMarkup;
  }

  push(text: string): Segment[] {
    return this.#sounding(this.#segmenter.push(text));
  }

  flush(): Segment[] {
    return this.#sounding(this.#segmenter.flush());
  }

  end(): Segment[] {
    return this.#sounding(this.#segmenter.end());
  }

  close(): void {}

  #sounding(segments: readonly Segment[]): Segment[] {
    return segments.map((segment) => (this.#sounds(segment) ? segment : { ...segment, spans: [] }));
  }

  /** Whether an engine has anything to do with it, as the reader finds. */
  #sounds({ spans }: Segment): boolean {
    return spans.some((span) => {
      if (span.kind !== 'text' || span.language !== undefined || surelySounds(span.text, this.#language)) return true;
      return this.#countTokens(span.text) > 0;
    });
  }
}
