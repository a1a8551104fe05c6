/** A FLAC stream: a header, and a frame for each block of 85 ms. */
import { createHash } from 'node:crypto';
import { pcmBytes, SAMPLE_RATE } from '../protocol/audio.js';
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
  readonly md5: Buffer;
}

/** Zero means unknown. */
function streamInfo({ samples, md5 }: Known): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(BLOCK_SAMPLES, 0);
  info.writeUInt16BE(BLOCK_SAMPLES, 2);
  // 20 bits of rate, 3 of channels less one, 5 of bits less one, 36 of samples.
  info.writeBigUInt64BE((BigInt(SAMPLE_RATE) << 44n) | (15n << 36n) | BigInt(samples), 10);
  md5.copy(info, 18);
  return info;
}

function metadata(type: number, body: Buffer, last: boolean): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE((((type | (last ? LAST_BLOCK : 0)) << 24) >>> 0) + body.length);
  return Buffer.concat([header, body]);
}

export function createFlac({ tags = {}, chapterTitles = [] }: EncoderOptions): Codec {
  const block = new Int16Array(BLOCK_SAMPLES);
  const md5 = createHash('md5');
  let filled = 0;
  let samples = 0;
  let frames = 0;
  let begun = false;

  function headOf(known: Known, chapters: readonly Chapter[]): Buffer {
    return Buffer.concat([
      Buffer.from('fLaC', 'latin1'),
      metadata(STREAM_INFO, streamInfo(known), false),
      metadata(VORBIS_COMMENT, vorbisComment(tags, chapters), true),
    ]);
  }
  function begin(): Uint8Array[] {
    if (begun) return [];
    begun = true;
    return [headOf({ samples: 0, md5: Buffer.alloc(16) }, untimed(chapterTitles))];
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
      md5.update(pcmBytes(pcm));
      samples += pcm.length;
      for (let at = 0; at < pcm.length; ) {
        const part = pcm.subarray(at, at + BLOCK_SAMPLES - filled);
        block.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled === BLOCK_SAMPLES) parts.push(frame());
      }
      return Buffer.concat(parts);
    },
    end: () => Buffer.concat([...begin(), ...(filled > 0 ? [frame()] : [])]),
    settledHead: (chapters = untimed(chapterTitles)) =>
      headOf({ samples, md5: md5.copy().digest() as Buffer }, chapters),
    close() {},
  };
}
