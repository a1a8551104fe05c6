/** Formats without compression: PCM at any rate, WAV, and the telephone's μ-law and A-law. */
import { MAX_WAV_DATA_BYTES, pcmBytes, samplesToBytes, wavHeader } from '../protocol/audio.js';
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

const NOTHING = new Uint8Array(0);

export function createRaw(spec: RawSpec, { samples: known }: EncoderOptions): Codec {
  if (spec.codec === 'wav') return createWav(known);
  const resampler = createResampler(spec.codec === 'pcm' ? spec.sampleRate : TELEPHONE_RATE);
  const write = WRITE[spec.codec];
  return {
    encode: (pcm) => write(toInt16(resampler.push(pcm))),
    end: () => write(toInt16(resampler.end())),
    settledHead: () => undefined,
    close() {},
  };
}

function createWav(known: number | undefined): Codec {
  let head: Uint8Array | undefined = wavHeader(known === undefined ? undefined : samplesToBytes(known));
  let samples = 0;
  const withHead = (bytes: Uint8Array): Uint8Array => {
    if (!head) return bytes;
    const whole = Buffer.concat([head, bytes]);
    head = undefined;
    return whole;
  };
  return {
    encode(pcm) {
      samples += pcm.length;
      return withHead(bytesOf(pcm));
    },
    end: () => withHead(NOTHING),
    settledHead: () => (samplesToBytes(samples) > MAX_WAV_DATA_BYTES ? undefined : wavHeader(samplesToBytes(samples))),
    close() {},
  };
}
