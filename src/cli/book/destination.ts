/** Where a book goes: one file with chapters, or a folder with a file for each. */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { AudioFormat } from '../../audio/format.js';
import { TtsError } from '../../protocol/errors.js';

export interface BookDestination {
  readonly kind: 'file' | 'folder';
  readonly path: string;
  readonly format: AudioFormat;
  /** The ending of the files' names, without the dot. */
  readonly ending: string;
}

const FORMATS: Readonly<Record<string, AudioFormat>> = {
  m4b: 'm4b',
  m4a: 'm4a',
  mp3: 'mp3',
  opus: 'opus',
  ogg: 'opus',
  flac: 'flac',
};
export const BOOK_ENDINGS = Object.keys(FORMATS);
const DEFAULT_ENDING = 'm4b';
/** Files of a folder go to players that need not know audiobooks. */
const FOLDER_ENDING = 'mp3';

export function bookDestination(output: string | undefined, ending: string | undefined, file: string): BookDestination {
  const target = output ?? `${path.parse(file).name}.${ending ?? DEFAULT_ENDING}`;
  const isFolder = /[/\\]$/.test(target) || statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  const named = isFolder ? undefined : path.extname(target).slice(1).toLowerCase();
  if (named !== undefined && ending !== undefined && FORMATS[named] !== FORMATS[ending]) {
    throw new TtsError('usage', `${target} and --format ${ending} do not agree. Leave one of them out.`);
  }
  const chosen = named ?? ending ?? FOLDER_ENDING;
  const format = FORMATS[chosen];
  if (format === undefined) {
    const names = BOOK_ENDINGS.map((each) => `.${each}`).join(', ');
    throw new TtsError('usage', `What should ${target} be? Name it ${names}, or FOLDER/ for a file a chapter.`);
  }
  return { kind: isFolder ? 'folder' : 'file', path: target, format, ending: chosen };
}

/** A name that every file system takes. */
export const safeName = (title: string): string =>
  title
    .replace(/[\p{Cc}/\\:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .slice(0, 80)
    .trim() || 'untitled';
