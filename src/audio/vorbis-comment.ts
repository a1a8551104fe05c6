/** Tags of Opus and FLAC: a list of NAME=value, with chapters whose times have a fixed width. */
import { concat, utf8, viewOf } from './bytes.js';
import type { AudioTags, Chapter } from './tags.js';

const VENDOR = 'tts';

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value, true);
  return bytes;
}

function lengthPrefixed(text: string): Uint8Array {
  const bytes = utf8(text);
  return concat([uint32(bytes.length), bytes]);
}

function clock(ms: number): string {
  const pad = (value: number, width: number) => String(Math.floor(value)).padStart(width, '0');
  return `${pad(ms / 3_600_000, 2)}:${pad((ms / 60_000) % 60, 2)}:${pad((ms / 1000) % 60, 2)}.${pad(ms % 1000, 3)}`;
}

export function vorbisComment(tags: AudioTags, chapters: readonly Chapter[]): Uint8Array {
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
  return concat([lengthPrefixed(VENDOR), uint32(fields.length), ...fields.map(lengthPrefixed)]);
}
