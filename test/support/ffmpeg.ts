/** Another decoder than ours: Debian's ffmpeg, to hear and to read what the encoders wrote. */
import { execFileSync, spawnSync } from 'node:child_process';
import { type AudioFormat, audioSpec } from '../../src/audio/format.js';
import { pcmSamples, SAMPLE_RATE } from '../../src/protocol/audio.js';

/** Debian: ffmpeg. */
export const hasFfmpeg = (): boolean => {
  try {
    execFileSync('ffmpeg', ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/**
 * As from a pipe, which cannot be sought in: what a player hears of a stream. `raw` names what has
 * no head.
 */
export function decode(bytes: Uint8Array, { raw = [], rate }: { raw?: readonly string[]; rate?: number } = {}) {
  // A WAV of unknown length ends before its header says so: what it calls broken off is the end of
  // the stream.
  const unended = bytes.length > 44 && Buffer.from(bytes.subarray(40, 44)).readUInt32LE() === 0xffff_ffff;
  const out = execFileSync(
    'ffmpeg',
    [
      ...['-v', unended ? 'fatal' : 'error', ...(unended ? [] : ['-xerror']), ...raw],
      ...['-i', 'pipe:0', '-f', 's16le', '-ac', '1'],
      ...(rate === undefined ? [] : ['-ar', String(rate)]),
      'pipe:1',
    ],
    { input: bytes, maxBuffer: 2 ** 28 },
  );
  return pcmSamples(out);
}

/** What the decoder complains of, its guess of the channels apart. */
export function messagesOf(bytes: Uint8Array): string {
  const options = ['-v', 'warning', '-i', 'pipe:0', '-f', 'null', '-'];
  const { stderr } = spawnSync('ffmpeg', options, { input: bytes, encoding: 'utf8' });
  return stderr
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('Guessed Channel Layout'))
    .join('\n');
}

/** The same from a file, in which the end can be looked at first. */
export function decodeFile(file: string, rate = 24_000): Int16Array {
  return pcmSamples(
    execFileSync('ffmpeg', ['-v', 'error', '-xerror', '-i', file, '-f', 's16le', '-ac', '1', '-ar', `${rate}`, '-'], {
      maxBuffer: 2 ** 28,
    }),
  );
}

export interface Probe {
  readonly streams: readonly { readonly codec_name: string; readonly sample_rate: string; readonly channels: number }[];
  readonly chapters: readonly {
    readonly start_time: string;
    readonly end_time: string;
    readonly tags: { readonly title: string };
  }[];
  readonly format: { readonly duration: string; readonly tags?: Readonly<Record<string, string>> };
}

export function probe(file: string): Probe {
  const out = execFileSync(
    'ffprobe',
    ['-v', 'error', '-of', 'json', '-show_streams', '-show_chapters', '-show_format', file],
    { encoding: 'utf8' },
  );
  return JSON.parse(out) as Probe;
}

/** What the decoder must be told of a format that has no head. */
export function rawOptions(format: AudioFormat): { raw?: string[] } {
  const spec = audioSpec(format);
  if (spec.codec === 'pcm') return { raw: ['-f', 's16le', '-ar', `${spec.sampleRate}`] };
  if (spec.codec === 'ulaw') return { raw: ['-f', 'mulaw', '-ar', '8000'] };
  if (spec.codec === 'alaw') return { raw: ['-f', 'alaw', '-ar', '8000'] };
  return {};
}

/** The rate it decodes to, and how many samples belong together there. */
export function grainOf(format: AudioFormat): { rate: number; frame: number } {
  const spec = audioSpec(format);
  if (spec.codec === 'mp3') return { rate: spec.sampleRate, frame: spec.sampleRate > 24_000 ? 1152 : 576 };
  // A stream of AAC cannot say how much its codec put before the sound.
  if (spec.codec === 'aac') return { rate: SAMPLE_RATE, frame: 3 * 1024 };
  if (spec.codec === 'opus') return { rate: 48_000, frame: 1 };
  if (spec.codec === 'pcm' || spec.codec === 'wav') return { rate: spec.sampleRate, frame: 1 };
  return { rate: spec.codec === 'ulaw' || spec.codec === 'alaw' ? 8_000 : SAMPLE_RATE, frame: 1 };
}
