/** Where a book goes: a file with chapters, a folder with a file for each, or an EPUB. */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { AudioFormat } from '../../audio/format.js';
import { TtsError } from '../../protocol/errors.js';

export interface BookDestination {
  readonly kind: 'file' | 'folder' | 'epub';
  readonly path: string;
  /** Of the sound. */
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
/** Sound that every reader of EPUB 3 plays. AAC has exact times everywhere. */
const EPUB_ENDINGS = ['m4a', 'mp3'];
/** Files of a folder go to players that need not know audiobooks. */
const FOLDER_ENDING = 'mp3';

export function bookDestination(output: string | undefined, ending: string | undefined, file: string): BookDestination {
  const target = output ?? `${path.parse(file).name}.${ending ?? DEFAULT_ENDING}`;
  const isFolder = /[/\\]$/.test(target) || statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  const named = isFolder ? undefined : path.extname(target).slice(1).toLowerCase();
  if (named === 'epub') return epubDestination(target, ending ?? EPUB_ENDINGS[0]!);
  if (named !== undefined && ending !== undefined && FORMATS[named] !== FORMATS[ending]) {
    throw new TtsError('usage', `${target} and --format ${ending} do not agree. Leave one of them out.`);
  }
  const chosen = named ?? ending ?? FOLDER_ENDING;
  const format = FORMATS[chosen];
  if (format === undefined) {
    const names = [...BOOK_ENDINGS, 'epub'].map((each) => `.${each}`).join(', ');
    throw new TtsError('usage', `What should ${target} be? Name it ${names}, or FOLDER/ for a file a chapter.`);
  }
  return { kind: isFolder ? 'folder' : 'file', path: target, format, ending: chosen };
}

function epubDestination(target: string, ending: string): BookDestination {
  if (!EPUB_ENDINGS.includes(ending)) {
    throw new TtsError('usage', `The sound of an EPUB is ${EPUB_ENDINGS.join(' or ')}, not ${ending}.`);
  }
  return { kind: 'epub', path: target, format: FORMATS[ending]!, ending };
}

/** A name that every file system takes. */
export const safeName = (title: string): string =>
  title
    .replace(/[\p{Cc}/\\:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .slice(0, 80)
    .trim() || 'untitled';
