/** One run of `tts book`: reads the book, shows it, and makes it, going on where a run broke. */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Book, BookChapter } from '../../book/book.js';
import type { Maker } from '../../book/make/maker.js';
import type { Utterance } from '../../book/make/utterances.js';
import type { Config, Sources } from '../../config.js';
import type { SpeechModel } from '../../protocol/contract.js';
import { BOOK_STYLE } from '../../protocol/delivery/delivery.js';
import { TtsError } from '../../protocol/errors.js';
import { DEFAULT_LANGUAGE } from '../../protocol/job.js';
import { LANGUAGE_CODES, localeOf } from '../../protocol/languages.js';
import type { Preparation } from '../../protocol/preparation.js';
import { type Connection, closeSoon, connect, lostSettings, ofOwnServer } from '../connection.js';
import { orAbort } from '../interrupt.js';
import { checkModel, withVoiceSuggestion } from '../names.js';
import { chooseModel, knownChoice } from '../service/model-choice.js';
import { complain, liveLines } from '../terminal.js';
import { chooseVoice, languageOf, languageRemark, needsStandardModel } from '../voice-choice.js';
import { workInBackground } from './background.js';
import { type ReadCast, readCast, writeCastDraft } from './cast.js';
import { chapterIndices } from './chapter-range.js';
import type { BookDestination } from './destination.js';
import { measuredFactor, overviewOf, overviewText } from './overview.js';
import { BookProgress, CLEAR } from './progress.js';
import { soundOf } from './sound.js';
import { type BookOutput, BookWriter } from './writer.js';

export interface BookRequest {
  readonly settings: Sources;
  readonly file: string;
  readonly destination: BookDestination;
  readonly speed: number;
  /** Which chapters, as they are written behind `--chapters`. */
  readonly range: string | undefined;
  readonly notes: 'skip' | 'end';
  /** What lights up at once in an EPUB. */
  readonly overlay: 'sentence' | 'word';
  readonly skipBroken: boolean;
  /** A file that gives characters voices of their own. */
  readonly cast?: string | undefined;
  /** Where a cast is written from the text, and nothing is made. */
  readonly castDraft?: string | undefined;
  /** Only shows what the book holds. */
  readonly list: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  /** Called for each sentence that was written. */
  readonly onSentence?: (done: number, all: number, chapter: string) => void;
}

export interface MadeBook {
  readonly voice: string;
  readonly model: SpeechModel;
  readonly files: readonly string[];
  readonly chapters: readonly string[];
  readonly audioMs: number;
}

/** Sentences at once on a server of this machine, for each core; a GPU takes many. */
const PER_CORE = 4;
const MOST_AT_ONCE = 64;
/** On another machine: below what a key may have at once there by default. */
const AT_ONCE_REMOTE = 6;

/** Engine processes of a book; a further one has 120 MB of its own, and all of it 500. */
const FAST_WORKERS = 2;

/** A core is left to the encoder and the command; the processes divide the cores as threads. */
function workersFor(model: SpeechModel, { workers }: Config): Config['workers'] {
  const isFast = model.replace(/:free$/, '') === 'base-tts-fast';
  return workers === 'auto' && isFast ? Math.max(1, Math.min(FAST_WORKERS, availableParallelism() - 1)) : workers;
}

/** Undefined where nothing was to be made. */
export async function runBook(request: BookRequest, signal: AbortSignal): Promise<MadeBook | undefined> {
  const { settings, file, skipBroken, notes, quiet } = request;
  const { readBook } = await import('../../book/read-book.js');
  const book = await readBook(file, { notes, skipBroken });
  for (const problem of book.problems) complain(problem);
  const indices = chapterIndices(request.range, book.chapters.length);
  const { config, sources } = settings;
  const chosen = await voiceFor(book, settings);
  if (request.castDraft !== undefined) {
    await writeCastDraft(request.castDraft, book, chosen, config);
    return undefined;
  }
  const cast = request.cast === undefined ? undefined : await readCast(request.cast, book, config, quiet);
  const voice = sources.voice === 'flag' ? chosen : (cast?.narrator ?? chosen);
  const voices = [voice, ...(cast?.characters.map((character) => character.voice) ?? [])];
  const asked =
    checkModel(config.model) ??
    ((await needsStandardModel(config, ...voices)) ? 'base-tts' : await knownChoice(config));
  await show(request, book, indices, asked);
  if (request.list) return undefined;
  const remark = await languageRemark(config, voice, sampleOf(book));
  if (remark !== undefined && !quiet) complain(remark);
  workInBackground();
  return make({ ...request, book, indices, voice, asked, readCast: cast }, signal);
}

/** The voice that was chosen, else the default one of the book's language. */
async function voiceFor({ language }: Book, settings: Sources): Promise<string> {
  const code = language?.toLowerCase().split('-')[0];
  const isKnown = LANGUAGE_CODES.some((known) => known === code);
  return chooseVoice(settings, settings.sources.voice === 'default' && isKnown ? code : undefined);
}

function sampleOf({ chapters }: Book): string {
  const middle = chapters[Math.floor(chapters.length / 2)]!;
  return middle.blocks
    .slice(0, 40)
    .flatMap(({ runs }) => runs.map(({ text }) => text))
    .join(' ');
}

async function show(
  { settings, destination, speed, list, json, quiet }: BookRequest,
  book: Book,
  indices: readonly number[],
  model: SpeechModel | undefined,
): Promise<void> {
  const realTimeFactor = await measuredFactor(settings.config, model);
  const overview = await overviewOf({ book, indices, format: destination.format, speed, realTimeFactor });
  if (json) process.stdout.write(`${JSON.stringify({ event: 'book', ...overview })}\n`);
  else if (list) process.stdout.write(await overviewText(overview));
  else if (liveLines(quiet)) process.stderr.write(await overviewText(overview));
}

interface Making extends BookRequest {
  readonly book: Book;
  readonly indices: readonly number[];
  /** The narrator's. */
  readonly voice: string;
  readonly readCast: ReadCast | undefined;
  readonly asked: SpeechModel | undefined;
}

async function make(making: Making, signal: AbortSignal): Promise<MadeBook> {
  const { settings, voice, asked, quiet } = making;
  const { config } = settings;
  const remark = lostSettings(settings);
  if (remark !== undefined && !quiet) complain(remark);
  let connection: Connection | undefined;
  try {
    const used = asked
      ? { ...settings, config: { ...config, model: asked, workers: workersFor(asked, config) } }
      : settings;
    const onPreparation = preparing(making);
    // Without a model the machine is measured first. Else an engine starts when there is work.
    const speech = asked === undefined;
    connection = await connect(used, { speech, crowd: true, unheard: true, onPreparation }, signal);
    if (speech) await orAbort(connection.ready(), signal);
    const model = asked ?? (await chooseModel(config));
    signal.throwIfAborted();
    return await speakBook(making, connection, model, signal);
  } catch (error) {
    const named = connection && { voice, model: asked ?? ('base-tts' as const), address: connection };
    const told = named ? await withVoiceSuggestion(error, named, signal) : error;
    throw connection?.kind === 'embedded' ? ofOwnServer(told) : told;
  } finally {
    await closeSoon(connection, signal);
  }
}

/** Shows what a first run fetches and measures. */
function preparing({ json, quiet }: BookRequest): (preparation: Preparation) => void {
  const live = liveLines(quiet) && !json;
  return ({ stage, model, done, total }) => {
    const share = total > 0 ? ` ${Math.floor((100 * done) / total)} %` : '';
    if (live) process.stderr.write(`${CLEAR}${stage} ${model}${share}`);
  };
}

async function speakBook(
  making: Making,
  connection: Connection,
  model: SpeechModel,
  signal: AbortSignal,
): Promise<MadeBook> {
  const { settings, book, indices, voice, speed, destination, file } = making;
  const { config, sources } = settings;
  const style = sources.style === 'default' ? BOOK_STYLE : config.style;
  const [{ SentenceStore }, { Maker: BookMaker }, { utterancesOf }, { SentenceSpeaker }] = await Promise.all([
    import('../../book/make/sentence-store.js'),
    import('../../book/make/maker.js'),
    import('../../book/make/utterances.js'),
    import('../../client/speak-sentence.js'),
  ]);
  const language = (await languageOf(config, voice)) ?? localeOf(book.language ?? '') ?? DEFAULT_LANGUAGE;
  const { readCast: cast } = making;
  const voicesIn = (index: number) => {
    const voiced = cast?.voices[index];
    return voiced && book.chapters[index]!.blocks.map((block) => voiced.get(block));
  };
  const said = (chapter: BookChapter, index: number, places = false) =>
    utterancesOf(chapter, language, { places, voices: voicesIn(index), style });
  const spoken = await Promise.all(indices.map((index) => said(book.chapters[index]!, index)));
  if (spoken.every((list) => list.length === 0))
    throw new TtsError('empty_input', 'There is nothing to say in these chapters.');
  const address = { ...connection, unheard: true, delivery: { style } };
  const speaker = new SentenceSpeaker({ address, model, voice, speed });
  const maxBytes = config.bookMb * 1_000_000;
  const store = await SentenceStore.open({ root: config.bookDir, book: path.resolve(file), maxBytes });
  try {
    const maker = new BookMaker({
      store,
      sound: await soundOf({ config, connection, model, voice, speed, style }),
      castSound: new Map(
        await Promise.all(
          (cast?.characters ?? []).map(
            async (character) =>
              [
                character.voice,
                await soundOf({ config, connection, model, voice: character.voice, speed, style }),
              ] as const,
          ),
        ),
      ),
      inFlight:
        connection.kind === 'remote' ? AT_ONCE_REMOTE : Math.min(MOST_AT_ONCE, PER_CORE * availableParallelism()),
      speak: (utterance, each) => speaker.speak(utterance, each),
    });
    if (!spoken.flat().every((utterance) => maker.isKept(utterance))) await orAbort(connection.ready(), signal);
    const chapters = indices.map((index) => ({ title: book.chapters[index]!.title, index }));
    const options = { book, chapters, destination, voice };
    const writer =
      destination.kind === 'epub'
        ? await (await import('./epub-writer.js')).EpubWriter.open({
            ...options,
            file,
            language,
            said,
            by: making.overlay,
            pictures: 'beside',
          })
        : new BookWriter(options);
    await write({ ...making, maker, writer, spoken, chapters }, signal);
    const { files, audioMs } = writer;
    return { voice, model, files, audioMs, chapters: chapters.map(({ title }) => title) };
  } finally {
    speaker.close();
    await store.close();
  }
}

interface Writing extends Making {
  readonly maker: Maker;
  readonly writer: BookOutput;
  /** By chapter. */
  readonly spoken: readonly (readonly Utterance[])[];
  readonly chapters: readonly { readonly title: string; readonly index: number }[];
}

async function write(writing: Writing, signal: AbortSignal): Promise<void> {
  const { maker, writer, spoken, chapters, json, quiet, speed } = writing;
  const utterances = spoken.flat();
  const live = liveLines(quiet);
  const progress = new BookProgress({
    chapters,
    chapterCount: writing.book.chapters.length,
    utterances,
    isKept: (utterance) => maker.isKept(utterance),
    show: json ? 'json' : live ? 'line' : 'nothing',
  });
  await progress.open();
  let done = 0;
  let chapter = -1;
  let left = 0;
  const begin = async () => {
    while (left === 0 && chapter < spoken.length - 1) {
      chapter += 1;
      left = spoken[chapter]!.length;
      await writer.chapter(signal);
      progress.chapter(chapter, writer.audioMs);
    }
  };
  try {
    for await (const made of maker.make(utterances, signal)) {
      await begin();
      await writer.write(made, made.utterance.restMs / speed, signal);
      progress.sentence(made);
      left -= 1;
      done += 1;
      writing.onSentence?.(done, utterances.length, chapters[chapter]!.title);
    }
    await begin();
    await writer.finish(signal);
  } catch (error) {
    progress.close();
    throw keptWords(error, done, utterances.length, live && signal.aborted);
  } finally {
    await writer.discard();
  }
  progress.close();
  await ended(writing);
}

/** Adds to a failure that nothing is lost. */
function keptWords(error: unknown, done: number, all: number, isInterrupted: boolean): unknown {
  const kept = `${done} of ${all} sentences are kept; the same command goes on from there.`;
  if (isInterrupted) process.stderr.write(`${kept}\n`);
  if (!(error instanceof TtsError) || done === 0) return error;
  const { code, requestId, retryAfterS } = error;
  return new TtsError(code, `${error.message} ${kept}`, {
    cause: error,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  });
}

async function ended({ writer, json, quiet, destination, chapters }: Writing): Promise<void> {
  const { files, audioMs } = writer;
  if (json) process.stdout.write(`${JSON.stringify({ event: 'done', files, audioMs: Math.round(audioMs) })}\n`);
  if (json || quiet) return;
  const { clockText } = await import('../../client/ui/format.js');
  const count = `${chapters.length} chapter${chapters.length === 1 ? '' : 's'}`;
  process.stderr.write(`wrote ${destination.path}, ${clockText(audioMs)}, ${count}\n`);
}
