/** Audio formats by the names that clients use. */
import { SAMPLE_RATE, samplesToBytes } from '../protocol/audio.js';

type Mp3Rate = 22_050 | 24_000 | 44_100;
export const PCM_RATES = [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const;

export type AudioSpec =
  | { readonly codec: 'mp3'; readonly sampleRate: Mp3Rate; readonly kbps: Mp3Kbps }
  | { readonly codec: 'opus'; readonly kbps: number }
  | { readonly codec: 'aac'; readonly kbps: number }
  | { readonly codec: 'mp4'; readonly kbps: number; readonly brand: 'M4A ' | 'M4B ' }
  | { readonly codec: 'flac' }
  | { readonly codec: 'wav'; readonly sampleRate: (typeof PCM_RATES)[number] }
  | { readonly codec: 'pcm'; readonly sampleRate: (typeof PCM_RATES)[number] }
  | { readonly codec: 'ulaw' }
  | { readonly codec: 'alaw' };
type AudioCodec = AudioSpec['codec'];

type Mp3Kbps = 32 | 48 | 64 | 96 | 128 | 192;

/** A codec's bare name has a rate that suits speech; others are named `codec_rate_kbps`. */
const SPECS = {
  mp3: { codec: 'mp3', sampleRate: 24_000, kbps: 64 },
  opus: { codec: 'opus', kbps: 48 },
  aac: { codec: 'aac', kbps: 64 },
  m4a: { codec: 'mp4', kbps: 64, brand: 'M4A ' },
  m4b: { codec: 'mp4', kbps: 64, brand: 'M4B ' },
  flac: { codec: 'flac' },
  wav: { codec: 'wav', sampleRate: 24_000 },
  pcm: { codec: 'pcm', sampleRate: 24_000 },
  mp3_22050_32: { codec: 'mp3', sampleRate: 22_050, kbps: 32 },
  mp3_24000_48: { codec: 'mp3', sampleRate: 24_000, kbps: 48 },
  mp3_44100_32: { codec: 'mp3', sampleRate: 44_100, kbps: 32 },
  mp3_44100_64: { codec: 'mp3', sampleRate: 44_100, kbps: 64 },
  mp3_44100_96: { codec: 'mp3', sampleRate: 44_100, kbps: 96 },
  mp3_44100_128: { codec: 'mp3', sampleRate: 44_100, kbps: 128 },
  mp3_44100_192: { codec: 'mp3', sampleRate: 44_100, kbps: 192 },
  opus_48000_32: { codec: 'opus', kbps: 32 },
  opus_48000_64: { codec: 'opus', kbps: 64 },
  opus_48000_96: { codec: 'opus', kbps: 96 },
  opus_48000_128: { codec: 'opus', kbps: 128 },
  opus_48000_192: { codec: 'opus', kbps: 192 },
  pcm_8000: { codec: 'pcm', sampleRate: 8_000 },
  pcm_16000: { codec: 'pcm', sampleRate: 16_000 },
  pcm_22050: { codec: 'pcm', sampleRate: 22_050 },
  pcm_24000: { codec: 'pcm', sampleRate: 24_000 },
  pcm_32000: { codec: 'pcm', sampleRate: 32_000 },
  pcm_44100: { codec: 'pcm', sampleRate: 44_100 },
  pcm_48000: { codec: 'pcm', sampleRate: 48_000 },
  wav_8000: { codec: 'wav', sampleRate: 8_000 },
  wav_16000: { codec: 'wav', sampleRate: 16_000 },
  wav_22050: { codec: 'wav', sampleRate: 22_050 },
  wav_24000: { codec: 'wav', sampleRate: 24_000 },
  wav_32000: { codec: 'wav', sampleRate: 32_000 },
  wav_44100: { codec: 'wav', sampleRate: 44_100 },
  wav_48000: { codec: 'wav', sampleRate: 48_000 },
  ulaw_8000: { codec: 'ulaw' },
  alaw_8000: { codec: 'alaw' },
} as const satisfies Record<string, AudioSpec>;

export type AudioFormat = keyof typeof SPECS;
export const AUDIO_FORMATS = Object.keys(SPECS) as readonly AudioFormat[];

export const isAudioFormat = (name: string): name is AudioFormat => Object.hasOwn(SPECS, name);
export const audioSpec = (format: AudioFormat): AudioSpec => SPECS[format];

const CONTENT_TYPES: Readonly<Record<AudioCodec, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  mp4: 'audio/mp4',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  ulaw: 'audio/basic',
  alaw: 'audio/x-alaw-basic',
};

/** The content type of a format. */
export const contentTypeOf = (format: AudioFormat): string => CONTENT_TYPES[SPECS[format].codec];

/** Room for headers of pages or frames, and for a variable bit rate above its mean. */
const VARIABLE_MARGIN = 1.15;

/** Most bytes of a second of speech. */
export function bytesPerSecond(format: AudioFormat): number {
  const spec = audioSpec(format);
  switch (spec.codec) {
    case 'mp3':
      return spec.kbps * 125;
    case 'opus':
    case 'aac':
    case 'mp4':
      return spec.kbps * 125 * VARIABLE_MARGIN;
    case 'flac':
      return samplesToBytes(SAMPLE_RATE);
    case 'wav':
    case 'pcm':
      return samplesToBytes(spec.sampleRate);
    default:
      return 8_000;
  }
}
