/** Formats without compression: PCM at any rate, WAV, and the telephone's μ-law and A-law. */
import { MAX_WAV_DATA_BYTES, pcmBytes, SAMPLE_RATE, samplesToBytes, wavHeader } from '../protocol/audio.js';
import type { Codec, EncoderOptions } from './codec.js';
import type { AudioSpec } from './format.js';
import { toALaw, toMuLaw } from './g711.js';
import { createResampler, toInt16 } from './resampler.js';

type RawSpec = Exclude<AudioSpec, { readonly codec: 'mp3' | 'opus' | 'aac' | 'mp4' | 'flac' }>;

const TELEPHONE_RATE = 8_000;

/** A copy: the caller may overwrite its samples afterwards. */
const bytesOf = (pcm: Int16Array): Uint8Array => Uint8Array.from(pcmBytes(pcm));

const WRITE: Readonly<Record<Exclude<RawSpec['codec'], 'wav'>, (pcm: Int16Array) => Uint8Array>> = {
  pcm: bytesOf,
  ulaw: toMuLaw,
  alaw: toALaw,
};

export function createRaw(spec: RawSpec, options: EncoderOptions): Codec {
  if (spec.codec === 'wav') return createWav(spec.sampleRate, options);
  const resampler = createResampler(spec.codec === 'pcm' ? spec.sampleRate : TELEPHONE_RATE);
  const write = WRITE[spec.codec];
  return {
    encode: (pcm) => write(toInt16(resampler.push(pcm))),
    end: () => write(toInt16(resampler.end())),
    settledHead: () => undefined,
    close() {},
  };
}

/**
 * ffmpeg reads PCM in packets of 4096 bytes, since version 7 in the power of two below a tenth of a
 * second (libavformat/pcm.c). The larger is a multiple of the smaller.
 */
const packetSamples = (sampleRate: number): number => Math.max(2_048, 2 ** Math.floor(Math.log2(sampleRate / 10)));

/** `known` samples at 24 kHz; at another rate the number that comes of them is not. */
function createWav(sampleRate: number, { samples: known, wholePackets = false }: EncoderOptions): Codec {
  const exact = sampleRate === SAMPLE_RATE && known !== undefined ? samplesToBytes(known) : undefined;
  const resampler = createResampler(sampleRate);
  let head: Uint8Array | undefined = wavHeader(exact, sampleRate);
  let samples = 0;
  const withHead = (pcm: Int16Array): Uint8Array => {
    samples += pcm.length;
    const bytes = bytesOf(pcm);
    if (!head) return bytes;
    const whole = Buffer.concat([head, bytes]);
    head = undefined;
    return whole;
  };
  return {
    encode: (pcm) => withHead(toInt16(resampler.push(pcm))),
    end() {
      const rest = withHead(toInt16(resampler.end()));
      if (!wholePackets) return rest;
      const packet = packetSamples(sampleRate);
      return Buffer.concat([rest, withHead(new Int16Array((packet - (samples % packet)) % packet))]);
    },
    settledHead: () =>
      samplesToBytes(samples) > MAX_WAV_DATA_BYTES ? undefined : wavHeader(samplesToBytes(samples), sampleRate),
    close() {},
  };
}
