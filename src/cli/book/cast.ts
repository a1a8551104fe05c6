/** The cast of a book: read from a file and checked, or written from the text, to be edited. */
import { readFile, writeFile } from 'node:fs/promises';
import type { Block, Book } from '../../book/book.js';
import type { Cast } from '../../book/cast/cast.js';
import type { VoicedStretch } from '../../book/cast/voices.js';
import type { Config } from '../../config.js';
import type { CatalogueVoice } from '../../models/voice-file.js';
import { TtsError } from '../../protocol/errors.js';
import { codeOf, LANGUAGE_NAMES, localeOf } from '../../protocol/languages.js';
import { noSuchVoice } from '../names.js';
import { ownCatalogue } from '../own-voices.js';
import { complain } from '../terminal.js';
import { languageOf } from '../voice-choice.js';

/** A cast that was read, and what its voices read of each chapter. */
export interface ReadCast extends Cast {
  readonly voices: readonly ReadonlyMap<Block, readonly VoicedStretch[]>[];
}

/** Of a server elsewhere the voices are not known here, so that it has to check them. */
export async function readCast(file: string, book: Book, config: Config, quiet: boolean): Promise<ReadCast> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'there is no such file' : cause.message;
    throw new TtsError('usage', `The cast ${file} cannot be read: ${why}. --cast-draft FILE writes one.`, { cause });
  });
  const [{ parseCast, characterOf }, { bookSpeech, castVoices, countSpeech }, { voiceOfStyle }, { all }] =
    await Promise.all([
      import('../../book/cast/cast.js'),
      import('../../book/cast/voices.js'),
      import('../../models/catalogue.js'),
      ownCatalogue(config),
    ]);
  const ids = all.map(({ voice }) => voice.id);
  const cast = parseCast(text, file, (name) => {
    const id = ids.includes(name) ? name : voiceOfStyle(all, name)?.voice.id;
    if (id === undefined && config.server === '') throw noSuchVoice(name, ids);
    return id ?? name;
  });
  const speech = bookSpeech(book);
  if (!quiet) {
    const found = new Set([...countSpeech(speech).times.keys()].map((speaker) => characterOf(cast, speaker)));
    const mute = cast.characters.filter((character) => !found.has(character)).map(({ names }) => names[0]!);
    if (mute.length > 0) complain(`Of the cast, nothing is said by: ${mute.join(', ')}.`);
    await remarkLanguage(book);
  }
  return { ...cast, voices: speech.map((chapter) => castVoices(chapter, cast)) };
}

async function remarkLanguage({ language }: Book): Promise<void> {
  const locale = localeOf(language?.split('-')[0] ?? 'en');
  if (locale === undefined || codeOf(locale) === 'en') return;
  complain(`Speakers are found in English alone; this book is ${LANGUAGE_NAMES[codeOf(locale)]}.`);
}

/** Refuses to replace a file, which a person may have edited. `-` is stdout. */
export async function writeCastDraft(file: string, book: Book, narrator: string, config: Config): Promise<void> {
  const [{ castDraft, countedSpeakers }, { bookSpeech, countSpeech }, { all }] = await Promise.all([
    import('../../book/cast/cast.js'),
    import('../../book/cast/voices.js'),
    ownCatalogue(config),
  ]);
  const { times, quotations, attributed } = countSpeech(bookSpeech(book));
  const speakers = countedSpeakers(times);
  const language = (await languageOf(config, narrator)) ?? 'en-US';
  const able = all.filter((entry) => codeOf(entry.language) === codeOf(language) && entry.voice.id !== narrator);
  const draft = castDraft({
    title: book.title,
    narrator,
    speakers,
    quotations,
    attributed,
    voices: varied(able).map(({ voice }) => voice.id),
  });
  if (file === '-') {
    process.stdout.write(draft);
    return;
  }
  await writeFile(file, draft, { flag: 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EEXIST' ? 'it is there already, and may have been edited' : cause.message;
    throw new TtsError('output_failed', `The cast ${file} was not written: ${why}. Name another file.`, { cause });
  });
  await remarkLanguage(book);
}

/** Neighbours differ in gender and accent as far as there are such voices. */
function varied(voices: readonly CatalogueVoice[]): CatalogueVoice[] {
  const kinds = new Map<string, CatalogueVoice[]>();
  for (const voice of voices) {
    const kind = `${voice.voice.gender} ${voice.language}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), voice]);
  }
  const longest = Math.max(0, ...[...kinds.values()].map((list) => list.length));
  const ranks = Array.from({ length: longest }, (_, rank) => [...kinds.values()].flatMap((list) => list[rank] ?? []));
  return ranks.flat();
}
