/** The seam where samples become bytes of a format, as they come: 24 kHz mono in, something a player opens out. */
import type { AudioTags, Chapter } from './tags.js';

export interface AudioEncoder {
  readonly contentType: string;
  /** The bytes that these samples complete; none where they complete none. The first ones bring the head along. */
  encode(pcm: Int16Array): Uint8Array;
  /** What is left, so that all bytes together are a whole file. Nothing is encoded after it. */
  end(): Uint8Array;
  /**
   * After `end`: the very first bytes again, as they would have been had everything been known then (lengths, times of
   * chapters). Of the same length, so that a file can be made exact by writing over them; undefined where there are none.
   */
  settledHead(chapters?: readonly Chapter[]): Uint8Array | undefined;
  /** Gives the codec's memory back. Must be called in every case; may be called at any time, also twice. */
  close(): void;
}

export interface EncoderOptions {
  readonly tags?: AudioTags;
  /** The titles of chapters to come, whose times `settledHead` is told. */
  readonly chapterTitles?: readonly string[];
  /** Where the length is known: the head is exact at once. WAV alone needs it. */
  readonly samples?: number;
}

/** A codec without the care for what was closed or ended: `createEncoder` takes that. */
export type Codec = Omit<AudioEncoder, 'contentType'>;
