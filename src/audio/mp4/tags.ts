/** Tags of MP4 as iTunes writes them, and the list of chapters that Nero introduced. */
import { FRAME_SAMPLES, PRIMING_SAMPLES } from '../aac-frames.js';
import type { AudioTags, Chapter } from '../tags.js';
import { ascii, box, fullBox, u8, u16, u32, u64 } from './boxes.js';

/** Types of values in `data` boxes. */
const UTF8 = 1;
const JPEG = 13;
const PNG = 14;
const INTEGER = 21;
/** The kind of media that is an audiobook. */
const AUDIOBOOK = 2;
const MAX_LISTED = 255;

const data = (type: number, value: Uint8Array): Buffer => box('data', u32(type, 0), value);
const text = (name: string, value: string | undefined): Buffer[] =>
  value === undefined ? [] : [box(name, data(UTF8, Buffer.from(value)))];

const freeForm = (name: string, value: string): Buffer =>
  box(
    '----',
    fullBox('mean', 0, 0, ascii('com.apple.iTunes')),
    fullBox('name', 0, 0, ascii(name)),
    data(UTF8, ascii(value)),
  );

/** How much of the frames is sound: priming, padding and exact length, in hexadecimal. */
function gapless(samples: number, frames: number): string {
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0');
  const padding = Math.max(0, frames * FRAME_SAMPLES - PRIMING_SAMPLES - samples);
  const rest = Array.from({ length: 8 }, () => hex(0, 8)).join(' ');
  return ` ${hex(0, 8)} ${hex(PRIMING_SAMPLES, 8)} ${hex(padding, 8)} ${hex(samples, 16)} ${rest}`;
}

export interface Mp4TagOptions {
  readonly tags: AudioTags;
  readonly chapters: readonly Chapter[];
  readonly samples: number;
  readonly frames: number;
}

export function userData({ tags, chapters, samples, frames }: Mp4TagOptions): Buffer {
  const { title, artist, album, composer, genre, track, cover } = tags;
  const list = box(
    'ilst',
    ...text('\u00a9nam', title),
    ...text('\u00a9ART', artist),
    ...text('aART', album === undefined ? undefined : artist),
    ...text('\u00a9alb', album),
    ...text('\u00a9wrt', composer),
    ...text('\u00a9nrt', composer),
    ...text('\u00a9gen', genre),
    ...(track ? [box('trkn', data(0, u16(0, track.number, track.of, 0)))] : []),
    ...(album === undefined ? [] : [box('stik', data(INTEGER, u8(AUDIOBOOK)))]),
    ...(cover ? [box('covr', data(cover.mediaType === 'image/png' ? PNG : JPEG, cover.bytes))] : []),
    freeForm('iTunSMPB', gapless(samples, frames)),
  );
  const handler = fullBox('hdlr', 0, 0, u32(0), ascii('mdirappl'), u32(0, 0), u8(0));
  return box('udta', fullBox('meta', 0, 0, handler, list), ...(chapters.length > 0 ? [chapterList(chapters)] : []));
}

/** Times in units of 100 ns; titles of at most 255 bytes. */
function chapterList(chapters: readonly Chapter[]): Buffer {
  const listed = chapters.slice(0, MAX_LISTED);
  const entries = listed.map(({ title, startMs }) => {
    const name = cut(title, 255);
    return Buffer.concat([u64(Math.round(startMs * 10_000)), u8(name.length), name]);
  });
  return fullBox('chpl', 1, 0, u32(0), u8(listed.length), ...entries);
}

/** At most so many bytes of UTF-8, whole characters. */
export function cut(title: string, bytes: number): Buffer {
  let kept = '';
  for (const char of title) {
    if (Buffer.byteLength(kept + char) > bytes) break;
    kept += char;
  }
  return Buffer.from(kept);
}
