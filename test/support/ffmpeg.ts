/** Another decoder than ours: Debian's ffmpeg, to hear and to read what the encoders wrote. */
import { execFileSync } from 'node:child_process';
import { pcmSamples } from '../../src/protocol/audio.js';

/** Debian: ffmpeg. */
export const hasFfmpeg = (): boolean => {
  try {
    execFileSync('ffmpeg', ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** As from a pipe, which cannot be sought in: what a player hears of a stream. `raw` names what has no head. */
export function decode(bytes: Uint8Array, { raw = [], rate }: { raw?: readonly string[]; rate?: number } = {}) {
  // A WAV of unknown length ends before its header says so: what it calls broken off is the end of the stream.
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
