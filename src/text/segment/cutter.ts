/** Text in pieces in, segments out, each of which an engine has something to say of. */
import type { Segment } from '../../protocol/job.js';
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

/**
 * With a letter or digit, and nothing that markup and emoticons are made of, a segment has a word
 * to say.
 */
const PLAIN = /[A-Za-z0-9]/;
const MARKED = /[<&[`:;=^]/;
export const surelySounds = (text: string): boolean => PLAIN.test(text) && !MARKED.test(text);

export class LocalCutter implements TextCutter {
  readonly #segmenter: Segmenter;
  readonly #countTokens: SegmenterOptions['countTokens'];

  constructor(options: SegmenterOptions) {
    this.#segmenter = new Segmenter(options);
    this.#countTokens = options.countTokens;
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
      if (span.kind !== 'text' || span.language !== undefined || surelySounds(span.text)) return true;
      return this.#countTokens(span.text) > 0;
    });
  }
}
