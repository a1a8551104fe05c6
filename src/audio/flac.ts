/** A FLAC stream: a header, and a frame for each block of 85 ms. */
import { SAMPLE_RATE } from '../protocol/audio.js';
import { concat, utf8, viewOf } from './bytes.js';
import type { Codec, EncoderOptions } from './codec.js';
import { flacFrame } from './flac-frame.js';
import { type Chapter, untimed } from './tags.js';
import { vorbisComment } from './vorbis-comment.js';

const BLOCK_SAMPLES = 2048;

const STREAM_INFO = 0;
const VORBIS_COMMENT = 4;
const LAST_BLOCK = 0x80;

interface Known {
  readonly samples: number;
  readonly md5: Uint8Array;
}

/** MD5 of the samples. */
export interface Checksum {
  update(bytes: Uint8Array): void;
  digest(): Uint8Array;
}

/** Sixteen zeros say that the sum is not known (RFC 9639, section 8.2). */
const UNKNOWN: Checksum = { update() {}, digest: () => new Uint8Array(16) };

/** Zero means unknown. */
function streamInfo({ samples, md5 }: Known): Uint8Array {
  const info = new Uint8Array(34);
  const view = viewOf(info);
  view.setUint16(0, BLOCK_SAMPLES);
  view.setUint16(2, BLOCK_SAMPLES);
  // 20 bits of rate, 3 of channels less one, 5 of bits less one, 36 of samples.
  view.setBigUint64(10, (BigInt(SAMPLE_RATE) << 44n) | (15n << 36n) | BigInt(samples));
  info.set(md5, 18);
  return info;
}

function metadata(type: number, body: Uint8Array, last: boolean): Uint8Array {
  const header = new Uint8Array(4);
  viewOf(header).setUint32(0, (((type | (last ? LAST_BLOCK : 0)) << 24) >>> 0) + body.length);
  return concat([header, body]);
}

export function createFlac({ tags = {}, chapterTitles = [] }: EncoderOptions, md5: Checksum = UNKNOWN): Codec {
  const block = new Int16Array(BLOCK_SAMPLES);
  let filled = 0;
  let samples = 0;
  let frames = 0;
  let begun = false;

  function headOf(known: Known, chapters: readonly Chapter[]): Uint8Array {
    return concat([
      utf8('fLaC'),
      metadata(STREAM_INFO, streamInfo(known), false),
      metadata(VORBIS_COMMENT, vorbisComment(tags, chapters), true),
    ]);
  }
  function begin(): Uint8Array[] {
    if (begun) return [];
    begun = true;
    return [headOf({ samples: 0, md5: UNKNOWN.digest() }, untimed(chapterTitles))];
  }
  function frame(): Uint8Array {
    const bytes = flacFrame(block.subarray(0, filled), frames);
    frames += 1;
    filled = 0;
    return bytes;
  }

  return {
    encode(pcm) {
      const parts = begin();
      md5.update(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength));
      samples += pcm.length;
      for (let at = 0; at < pcm.length; ) {
        const part = pcm.subarray(at, at + BLOCK_SAMPLES - filled);
        block.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled === BLOCK_SAMPLES) parts.push(frame());
      }
      return concat(parts);
    },
    end: () => concat([...begin(), ...(filled > 0 ? [frame()] : [])]),
    settledHead: (chapters = untimed(chapterTitles)) => headOf({ samples, md5: md5.digest() }, chapters),
    close() {},
  };
}
