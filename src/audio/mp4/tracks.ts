/** The two tracks of an audiobook in MP4: the sound, and the titles of its chapters. */
import { SAMPLE_RATE } from '../../protocol/audio.js';
import { FRAME_SAMPLES, PRIMING_SAMPLES } from '../aac-frames.js';
import { ascii, box, descriptor, fullBox, longBox, packedLanguage, UNITY_MATRIX, u8, u16, u32, u64 } from './boxes.js';

export const SOUND_TRACK = 1;
export const CHAPTER_TRACK = 2;

/** Samples (in the sense of MP4: frames or titles) and where they lie in the file. */
export interface Samples {
  readonly sizes: readonly number[] | Uint16Array;
  /** Offset of the first one; the others follow. */
  readonly offset: number;
  /** Runs of [count, duration], in ticks of the sample rate. */
  readonly durations: readonly (readonly [count: number, ticks: number])[];
}

export interface SoundTrack extends Samples {
  /** Length of what is heard. */
  readonly heardTicks: number;
  readonly kbps: number;
  /** Three letters. */
  readonly language: string;
  /** Whether there is a track of chapters. */
  readonly hasChapters: boolean;
}

/** Frames of a chunk, about two seconds: players read that much at once. */
const CHUNK_SAMPLES = 47;

const ticksOf = ({ durations }: Samples): number => durations.reduce((sum, [count, ticks]) => sum + count * ticks, 0);

/** Version 1 boxes throughout: 50 hours do not fit into 32 bits. */
export function soundTrack(track: SoundTrack): Uint8Array[] {
  const edit = fullBox('elst', 1, 0, u32(1), u64(track.heardTicks, PRIMING_SAMPLES), u16(1, 0));
  return longBox(
    'trak',
    trackHeader(SOUND_TRACK, 7, track.heardTicks, 0x0100),
    box('edts', edit),
    ...(track.hasChapters ? [box('tref', box('chap', u32(CHAPTER_TRACK)))] : []),
    media(track, {
      language: track.language,
      handler: ['soun', 'SoundHandler'],
      header: fullBox('smhd', 0, 0, u32(0)),
      entry: soundEntry(track.kbps),
    }),
  );
}

/** Not shown by itself: the sound refers to it. */
export function chapterTrack(samples: Samples, language: string): Uint8Array[] {
  const textBox = box('text', u16(1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x4000, 0, 0));
  return longBox(
    'trak',
    trackHeader(CHAPTER_TRACK, 0, ticksOf(samples), 0),
    media(samples, {
      language,
      handler: ['text', 'ChapterHandler'],
      header: box('gmhd', fullBox('gmin', 0, 0, u16(0x40, 0x8000, 0x8000, 0x8000, 0, 0)), textBox),
      entry: box(
        'text',
        u32(0),
        u16(0, 1),
        u32(1, 1),
        Buffer.alloc(6),
        Buffer.alloc(8),
        Buffer.alloc(8),
        Buffer.alloc(13),
      ),
    }),
  );
}

function trackHeader(id: number, flags: number, ticks: number, volume: number): Buffer {
  const times = [u64(0, 0), u32(id, 0), u64(ticks), u32(0, 0)];
  return fullBox('tkhd', 1, flags, ...times, u16(0, 0, volume, 0), UNITY_MATRIX, u32(0, 0));
}

interface MediaParts {
  readonly language: string;
  readonly handler: readonly [type: string, name: string];
  readonly header: Buffer;
  /** How the samples are to be read. */
  readonly entry: Buffer;
}

function media(samples: Samples, { language, handler: [type, name], header, entry }: MediaParts): Uint8Array[] {
  const mdhd = fullBox(
    'mdhd',
    1,
    0,
    u64(0, 0),
    u32(SAMPLE_RATE),
    u64(ticksOf(samples)),
    u16(packedLanguage(language), 0),
  );
  const hdlr = fullBox('hdlr', 0, 0, u32(0), ascii(type), u32(0, 0, 0), ascii(`${name}\0`));
  const here = fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1));
  return longBox('mdia', mdhd, hdlr, longBox('minf', header, box('dinf', here), sampleTable(samples, entry)));
}

function sampleTable({ sizes, offset, durations }: Samples, entry: Buffer): Uint8Array[] {
  const count = sizes.length;
  const chunks = Math.ceil(count / CHUNK_SAMPLES);
  const last = count - (chunks - 1) * CHUNK_SAMPLES;
  const runs = [
    ...(chunks > 1 ? [[1, CHUNK_SAMPLES, 1]] : []),
    ...(chunks > 0 && (chunks === 1 || last !== CHUNK_SAMPLES) ? [[chunks, last, 1]] : []),
  ];
  const sizeTable = Buffer.alloc(count * 4);
  const offsets = Buffer.alloc(chunks * 8);
  let at = offset;
  for (let i = 0; i < count; i += 1) {
    if (i % CHUNK_SAMPLES === 0) offsets.writeBigUInt64BE(BigInt(at), (i / CHUNK_SAMPLES) * 8);
    sizeTable.writeUInt32BE(sizes[i]!, i * 4);
    at += sizes[i]!;
  }
  return longBox(
    'stbl',
    fullBox('stsd', 0, 0, u32(1), entry),
    fullBox('stts', 0, 0, u32(durations.length, ...durations.flat())),
    fullBox('stsc', 0, 0, u32(runs.length, ...runs.flat())),
    longBox('stsz', u32(0), u32(0, count), sizeTable),
    longBox('co64', u32(0), u32(chunks), offsets),
  );
}

const AAC_LC = 2;
/** Index of 24 kHz in the list of rates of ISO/IEC 14496-3. */
const RATE_INDEX = 6;

function soundEntry(kbps: number): Buffer {
  const config = u16((AAC_LC << 11) | (RATE_INDEX << 7) | (1 << 3));
  const decoder = descriptor(4, u8(0x40, 0x15, 0, 0, 0), u32(kbps * 1000, kbps * 1000), descriptor(5, config));
  const esds = fullBox('esds', 0, 0, descriptor(3, u16(1), u8(0), decoder, descriptor(6, u8(2))));
  return box('mp4a', Buffer.alloc(6), u16(1), u32(0, 0), u16(1, 16, 0, 0), u32(SAMPLE_RATE << 16), esds);
}

/** The last frame lasts as long as it is heard: decoders leave the padding out. */
export function frameDurations(frames: number, heardTicks: number): Samples['durations'] {
  if (frames === 0) return [];
  const last = Math.max(1, Math.min(FRAME_SAMPLES, heardTicks + PRIMING_SAMPLES - (frames - 1) * FRAME_SAMPLES));
  return frames === 1
    ? [[1, last]]
    : [
        [frames - 1, FRAME_SAMPLES],
        [1, last],
      ];
}
