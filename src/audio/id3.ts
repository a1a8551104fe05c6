/** ID3v2.3, the tags of mp3 files, with chapters and their table of contents. */
import { type AudioTags, type Chapter, iso639_2 } from './tags.js';

/** UTF-16 with a byte order mark, the only Unicode that all readers of this version know. */
function unicode(text: string): Buffer {
  return Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
}

function frame(id: string, body: Buffer): Buffer {
  const header = Buffer.alloc(10);
  header.write(id, 0, 'latin1');
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

const textFrame = (id: string, text: string): Buffer => frame(id, unicode(text));
const elementId = (name: string): Buffer => Buffer.from(`${name}\0`, 'latin1');
/** No byte offsets: a chapter's place is given by its times. */
const NO_OFFSETS = Buffer.alloc(8, 0xff);

function chapterFrame({ title, startMs, endMs }: Chapter, index: number): Buffer {
  const times = Buffer.alloc(8);
  times.writeUInt32BE(Math.round(startMs), 0);
  times.writeUInt32BE(Math.round(endMs), 4);
  return frame('CHAP', Buffer.concat([elementId(`ch${index}`), times, NO_OFFSETS, textFrame('TIT2', title)]));
}

/** Most entries of a table of contents. */
const MAX_TABLE = 255;
const TOP_LEVEL_ORDERED = 3;

function contentsFrame(count: number): Buffer {
  const entries = Math.min(count, MAX_TABLE);
  const ids = Array.from({ length: entries }, (_, i) => elementId(`ch${i}`));
  return frame('CTOC', Buffer.concat([elementId('toc'), Buffer.from([TOP_LEVEL_ORDERED, entries]), ...ids]));
}

/** The frames of tags, in the order of this list. */
const TEXT_FRAMES: readonly (readonly [id: string, text: (tags: AudioTags) => string | undefined])[] = [
  ['TIT2', ({ title }) => title],
  ['TPE1', ({ artist }) => artist],
  ['TALB', ({ album }) => album],
  ['TCOM', ({ composer }) => composer],
  ['TRCK', ({ track }) => track && `${track.number}/${track.of}`],
  ['TLAN', ({ language }) => language && iso639_2(language)],
  ['TCON', ({ genre }) => genre],
];

const FRONT_COVER = 3;

function pictureFrame({ mediaType, bytes }: NonNullable<AudioTags['cover']>): Buffer {
  const head = Buffer.concat([Buffer.from([0]), elementId(mediaType), Buffer.from([FRONT_COVER, 0])]);
  return frame('APIC', Buffer.concat([head, bytes]));
}

/** Empty where there are no tags. */
export function id3Tag(tags: AudioTags, chapters: readonly Chapter[]): Buffer {
  const frames: Buffer[] = [];
  for (const [id, text] of TEXT_FRAMES) {
    const value = text(tags);
    if (value !== undefined) frames.push(textFrame(id, value));
  }
  if (tags.cover) frames.push(pictureFrame(tags.cover));
  if (chapters.length > 0) frames.push(contentsFrame(chapters.length), ...chapters.map(chapterFrame));
  if (frames.length === 0) return Buffer.alloc(0);
  const body = Buffer.concat(frames);
  const header = Buffer.alloc(10);
  header.write('ID3', 0, 'latin1');
  header[3] = 3;
  // Seven bits a byte, so that no byte looks like the beginning of an audio frame.
  for (let i = 0; i < 4; i += 1) header[6 + i] = (body.length >> (7 * (3 - i))) & 0x7f;
  return Buffer.concat([header, body]);
}
