/** Opus in Ogg (RFC 7845), 20 ms a packet. The first and the last page make the length exact. */
import { Application, createEncoder, Signal } from 'libopus-wasm';
import { SAMPLE_RATE } from '../protocol/audio.js';
import { concat, utf8, viewOf } from './bytes.js';
import type { Codec, EncoderOptions } from './codec.js';
import type { AudioSpec } from './format.js';
import { OggWriter } from './ogg.js';
import { type Chapter, untimed } from './tags.js';
import { vorbisComment } from './vorbis-comment.js';

const FRAME_SAMPLES = SAMPLE_RATE / 50;
/** Ogg counts Opus at 48 kHz, whatever the input's rate. */
const CLOCK = 48_000 / SAMPLE_RATE;
/** 0 to 10; above 5 speech gains little for the processor time it costs. */
const COMPLEXITY = 5;
/** At most a second a page, for fine seeking. */
const PACKETS_PER_PAGE = 50;

type OpusSpec = Extract<AudioSpec, { readonly codec: 'opus' }>;

function idHeader(preSkip: number): Uint8Array {
  const header = new Uint8Array(19);
  const view = viewOf(header);
  header.set(utf8('OpusHead'));
  header[8] = 1;
  header[9] = 1;
  view.setUint16(10, preSkip, true);
  view.setUint32(12, SAMPLE_RATE, true);
  return header;
}

export async function createOpus(
  { kbps }: OpusSpec,
  { tags = {}, chapterTitles = [] }: EncoderOptions,
): Promise<Codec> {
  const opus = await createEncoder({
    sampleRate: SAMPLE_RATE,
    channels: 1,
    application: Application.Audio,
    signal: Signal.Voice,
    bitrate: kbps * 1000,
    complexity: COMPLEXITY,
    frameSize: FRAME_SAMPLES,
  });
  const lookahead = opus.getLookahead();
  const ogg = new OggWriter();
  const frame = new Int16Array(FRAME_SAMPLES);
  let filled = 0;
  let taken = 0;
  let encoded = 0;
  let begun = false;

  function headOf(writer: OggWriter, chapters: readonly Chapter[]): Uint8Array {
    const comment = concat([utf8('OpusTags'), vorbisComment(tags, chapters)]);
    return concat([writer.head(idHeader(lookahead * CLOCK), true), writer.head(comment, false)]);
  }
  function begin(): Uint8Array[] {
    if (begun) return [];
    begun = true;
    return [headOf(ogg, untimed(chapterTitles))];
  }
  function packetsOf(pcm: Int16Array): Uint8Array[] {
    const packets: Uint8Array[] = [];
    for (let at = 0; at < pcm.length; ) {
      const part = pcm.subarray(at, at + FRAME_SAMPLES - filled);
      frame.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < FRAME_SAMPLES) continue;
      packets.push(opus.encode(frame));
      filled = 0;
    }
    return packets;
  }

  return {
    encode(pcm) {
      taken += pcm.length;
      const packets = packetsOf(pcm);
      const pages = begin();
      for (let at = 0; at < packets.length; at += PACKETS_PER_PAGE) {
        const some = packets.slice(at, at + PACKETS_PER_PAGE);
        encoded += some.length * FRAME_SAMPLES;
        pages.push(ogg.page(some, encoded * CLOCK, false));
      }
      return concat(pages);
    },
    end() {
      // The codec looks ahead: the end of the audio comes out behind as much silence, so that
      // there is always another packet.
      const left = taken + lookahead - encoded;
      const packets = packetsOf(new Int16Array(Math.ceil(left / FRAME_SAMPLES) * FRAME_SAMPLES - filled));
      return concat([...begin(), ogg.page(packets, (taken + lookahead) * CLOCK, true)]);
    },
    settledHead: (chapters = untimed(chapterTitles)) => headOf(new OggWriter(), chapters),
    close: () => opus.free(),
  };
}
