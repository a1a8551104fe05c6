/** Tags of Opus and FLAC: a list of NAME=value, with chapters whose times have a fixed width. */
import type { AudioTags, Chapter } from './tags.js';

const VENDOR = 'tts';

function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function clock(ms: number): string {
  const pad = (value: number, width: number) => String(Math.floor(value)).padStart(width, '0');
  return `${pad(ms / 3_600_000, 2)}:${pad((ms / 60_000) % 60, 2)}:${pad((ms / 1000) % 60, 2)}.${pad(ms % 1000, 3)}`;
}

export function vorbisComment(tags: AudioTags, chapters: readonly Chapter[]): Buffer {
  const fields: string[] = [];
  for (const [name, value] of [
    ['TITLE', tags.title],
    ['ARTIST', tags.artist],
    ['ALBUM', tags.album],
    ['PERFORMER', tags.composer],
    ['TRACKNUMBER', tags.track?.number],
    ['TRACKTOTAL', tags.track?.of],
    ['LANGUAGE', tags.language],
    ['GENRE', tags.genre],
  ] as const) {
    if (value !== undefined) fields.push(`${name}=${value}`);
  }
  for (const [i, { title, startMs }] of chapters.entries()) {
    const name = `CHAPTER${String(i + 1).padStart(3, '0')}`;
    fields.push(`${name}=${clock(startMs)}`, `${name}NAME=${title}`);
  }
  const count = Buffer.alloc(4);
  count.writeUInt32LE(fields.length);
  return Buffer.concat([lengthPrefixed(VENDOR), count, ...fields.map(lengthPrefixed)]);
}
