/** The encoder's seam: samples at 24 kHz, mono, become bytes of a format as they come. */
import type { AudioTags, Chapter } from './tags.js';

/** A codec in a thread of its own needs time. The next call waits for the one before it. */
type Encoded = Uint8Array | Promise<Uint8Array>;

export interface AudioEncoder {
  readonly contentType: string;
  /** Returns the bytes that these samples complete, if any. The first ones include the header. */
  encode(pcm: Int16Array): Encoded;
  /**
   * Returns the rest, so that all bytes are a complete file. Nothing is encoded after it. MP4 has
   * its chapters there.
   */
  end(chapters?: readonly Chapter[]): Encoded;
  /**
   * After `end`: the exact header, with lengths and times of chapters, as long as the first one, so
   * that a file can be overwritten with it. Undefined where the first one was exact.
   */
  settledHead(chapters?: readonly Chapter[]): Uint8Array | undefined;
  /** Frees the codec's memory. Has to be called; may be called at any time, also twice. */
  close(): void;
}

export interface EncoderOptions {
  readonly tags?: AudioTags;
  /** Titles of chapters; `settledHead` takes their times. */
  readonly chapterTitles?: readonly string[];
  /**
   * Ends a WAV whose length its header cannot tell with silence, up to the packets
   * in which ffmpeg reads it: ffmpeg calls a last packet that is shorter corrupt.
   */
  readonly wholePackets?: boolean;
  /** Threads that encode at the same time; as suits the machine where absent. Only MP4 uses it. */
  readonly threads?: number;
  /** The number of samples, if known: it makes the header exact at once. Only WAV uses it. */
  readonly samples?: number;
}

/** A codec. `createEncoder` guards it against calls after its end. */
export type Codec = Omit<AudioEncoder, 'contentType'>;
