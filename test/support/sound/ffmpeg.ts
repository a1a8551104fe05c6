/** Another decoder than ours: Debian's ffmpeg, to hear and to read what the encoders wrote. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type AudioFormat, audioSpec } from '../../../src/audio/format.js';
import { pcmSamples, SAMPLE_RATE } from '../../../src/protocol/audio.js';

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
 * A WAV of unknown length ends before its header says so: what the decoder calls broken off is the
 * end of the stream.
 */
const isUnended = (bytes: Uint8Array): boolean =>
  bytes.length > 44 && Buffer.from(bytes.subarray(40, 44)).readUInt32LE() === 0xffff_ffff;

const strictly = (unended: boolean): readonly string[] => (unended ? ['-v', 'fatal'] : ['-v', 'error', '-xerror']);

const SAMPLES = ['-f', 's16le', '-ac', '1'];

/**
 * As from a pipe, which cannot be sought in: what a player hears of a stream. `raw` names what has
 * no head.
 */
export function decode(bytes: Uint8Array, { raw = [], rate }: { raw?: readonly string[]; rate?: number } = {}) {
  const at = rate === undefined ? [] : ['-ar', String(rate)];
  const options = [...strictly(isUnended(bytes)), ...raw, '-i', 'pipe:0', ...SAMPLES, ...at, 'pipe:1'];
  return pcmSamples(execFileSync('ffmpeg', options, { input: bytes, maxBuffer: 2 ** 28 }));
}

export interface Decoding {
  /** A stream, which is read as from a pipe, or the name of a file. */
  readonly of: Uint8Array | string;
  readonly raw?: readonly string[];
  /** It is decoded to each of these; undefined is the rate that it has. */
  readonly rates: readonly (number | undefined)[];
}

/** Several at once, whatever they are: the decoder takes longer to start than for a second of sound. */
export function decodeAll(decodings: readonly Decoding[]): Int16Array[][] {
  const hasEnd = ({ of }: Decoding): boolean => typeof of === 'string' || !isUnended(of);
  // One that breaks off is no excuse for the others.
  const made = new Map<Decoding, Int16Array[]>();
  for (const unended of [false, true]) {
    const alike = decodings.filter((each) => hasEnd(each) !== unended);
    for (const [i, samples] of decodeAlike(alike, unended).entries()) made.set(alike[i]!, samples);
  }
  return decodings.map((each) => made.get(each)!);
}

function decodeAlike(decodings: readonly Decoding[], unended: boolean): Int16Array[][] {
  if (decodings.length === 0) return [];
  const folder = mkdtempSync(path.join(tmpdir(), 'tts-decoded-'));
  const handles: number[] = [];
  try {
    const inputs = decodings.flatMap(({ of, raw = [] }, i) => {
      if (typeof of === 'string') return [...raw, '-i', of];
      const file = path.join(folder, `${i}.stream`);
      writeFileSync(file, of);
      // By its handle it is not sought in, as a pipe is not; those of a child count from 3 on.
      return [...raw, '-i', `pipe:${2 + handles.push(openSync(file, 'r'))}`];
    });
    const fileOf = (i: number, place: number): string => path.join(folder, `${i}-${place}.pcm`);
    const outputs = decodings.flatMap(({ rates }, i) =>
      rates.flatMap((rate, place) => {
        const at = rate === undefined ? [] : ['-ar', String(rate)];
        return ['-map', `${i}:a`, ...SAMPLES, ...at, fileOf(i, place)];
      }),
    );
    const stdio = ['ignore', 'pipe', 'pipe', ...handles] as const;
    execFileSync('ffmpeg', [...strictly(unended), ...inputs, ...outputs], { stdio: [...stdio] });
    return decodings.map(({ rates }, i) => rates.map((_, place) => pcmSamples(readFileSync(fileOf(i, place)))));
  } finally {
    for (const handle of handles) closeSync(handle);
    rmSync(folder, { recursive: true });
  }
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
