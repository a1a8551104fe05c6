/**
 * The thread that reads or makes the book of one job: cutting, keeping and encoding hours of sound
 * would hold up the audio of live listeners. The process speaks the sentences.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Book, BookChapter } from '../../book/book.js';
import type { Spoken } from '../../book/make/maker.js';
import type { Utterance } from '../../book/make/utterances.js';
import type { BookTask, SpokenMessage, ThreadMessage } from '../../jobs/thread-messages.js';
import { countChars } from '../../protocol/characters.js';
import { BOOK_STYLE } from '../../protocol/delivery/delivery.js';
import { TtsError } from '../../protocol/errors.js';
import type { Language } from '../../protocol/job.js';
import { workInBackground } from '../book/background.js';
import { chapterIndices } from '../book/chapter-range.js';
import { bookDestination } from '../book/destination.js';
import { type BookOutput, BookWriter, type WriterOptions } from '../book/writer.js';

const port = parentPort!;
const say = (message: ThreadMessage) => port.postMessage(message);

/** Pause between two reports (ms). */
const REPORT_MS = 500;
/** UTF-16 units by which the language of a book is told. */
const SAMPLE_UNITS = 4_000;

const charsOf = (utterances: readonly Utterance[]): number =>
  utterances.reduce((sum, { shown }) => sum + countChars(shown), 0);

async function open({ file, notes, skipBroken, chapters }: BookTask) {
  const { readBook } = await import('../../book/read-book.js');
  const book = await readBook(file, { notes, skipBroken });
  return { book, indices: chapterIndices(chapters, book.chapters.length) };
}

async function spokenOf(book: Book, indices: readonly number[], language: Language) {
  const { utterancesOf } = await import('../../book/make/utterances.js');
  const spoken = await Promise.all(
    indices.map((index) => utterancesOf(book.chapters[index]!, language, { style: BOOK_STYLE })),
  );
  if (spoken.every((list) => list.length === 0)) {
    throw new TtsError('empty_input', 'There is nothing to say in this text.', { param: 'input' });
  }
  return spoken;
}

function sampleOf({ chapters }: Book): string {
  const middle = chapters[Math.floor(chapters.length / 2)]!;
  const texts = middle.blocks.slice(0, 40).flatMap(({ runs }) => runs.map(({ text }) => text));
  return texts.join(' ').slice(0, SAMPLE_UNITS);
}

async function read(task: Extract<BookTask, { type: 'read' }>): Promise<void> {
  const { book, indices } = await open(task);
  const code = book.language?.toLowerCase().split('-')[0] ?? '';
  const { voice, language } = task.voices[code] ?? task.voice;
  const spoken = await spokenOf(book, indices, language);
  const chapters = indices.map((index, at) => ({
    title: book.chapters[index]!.title,
    characters: charsOf(spoken[at]!),
  }));
  const characters = chapters.reduce((sum, chapter) => sum + chapter.characters, 0);
  const { title, author = null } = book;
  say({ type: 'read', facts: { title, author, voice, language, characters, chapters, sample: sampleOf(book) } });
}

/** Sentences that the process speaks, by their numbers. */
const waiting = new Map<number, (spoken: Spoken) => void>();
let numbers = 0;

const speak = ({ text, ssml, place }: Utterance): Promise<Spoken> =>
  new Promise((resolve) => {
    const number = ++numbers;
    waiting.set(number, resolve);
    say({ type: 'speak', number, text, ssml, place });
  });

port.on('message', ({ number, pcm, startsMs }: SpokenMessage) => {
  waiting.get(number)?.({ pcm, startsMs });
  waiting.delete(number);
});

async function make(task: Extract<BookTask, { type: 'make' }>): Promise<void> {
  if (process.platform === 'linux') workInBackground();
  const { speaker, speed, sound, inFlight, keepIn, output } = task;
  const { book, indices } = await open(task);
  const spoken = await spokenOf(book, indices, speaker.language);
  const [{ SentenceStore }, { Maker }] = await Promise.all([
    import('../../book/make/sentence-store.js'),
    import('../../book/make/maker.js'),
  ]);
  const chapters = indices.map((index) => ({ title: book.chapters[index]!.title, index }));
  const destination = bookDestination(output, undefined, task.file);
  const writer = await writerOf({ book, chapters, destination, voice: speaker.voice }, task.file, speaker.language);
  // The folder is this job's alone, and counted as the key's.
  const store = await SentenceStore.open({ root: keepIn, book: keepIn, maxBytes: Number.MAX_SAFE_INTEGER });
  const maker = new Maker({ store, sound, inFlight, speak });
  await write({ maker, writer, spoken, chapters, speed });
}

async function writerOf(options: WriterOptions, file: string, language: Language): Promise<BookOutput> {
  if (options.destination.kind !== 'epub') return new BookWriter(options);
  const [{ EpubWriter }, { utterancesOf }] = await Promise.all([
    import('../book/epub-writer.js'),
    import('../../book/make/utterances.js'),
  ]);
  const said = (chapter: BookChapter) => utterancesOf(chapter, language, { places: true });
  // The files beside the source are the server's: an HTML page gets none of them.
  return EpubWriter.open({ ...options, file, language, said, by: 'sentence', pictures: 'inside' });
}

interface Writing {
  readonly maker: InstanceType<typeof import('../../book/make/maker.js').Maker>;
  readonly writer: BookOutput;
  readonly spoken: readonly (readonly Utterance[])[];
  readonly chapters: readonly { readonly title: string }[];
  readonly speed: number;
}

async function write({ maker, writer, spoken, chapters, speed }: Writing): Promise<void> {
  const { signal } = new AbortController();
  let [chapter, left, characters, audibleCharacters, newCharacters] = [-1, 0, 0, 0, 0];
  let reportedMs = Number.NEGATIVE_INFINITY;
  const begin = async () => {
    while (left === 0 && chapter < spoken.length - 1) {
      chapter += 1;
      left = spoken[chapter]!.length;
      await writer.chapter(signal);
    }
  };
  for await (const made of maker.make(spoken.flat(), signal)) {
    const { utterance, pcm, isNew } = made;
    await begin();
    await writer.write(made, utterance.restMs / speed, signal);
    left -= 1;
    const chars = countChars(utterance.shown);
    characters += chars;
    // What yields no sample costs nothing.
    if (pcm.length > 0) audibleCharacters += chars;
    if (isNew) newCharacters += chars;
    if (performance.now() - reportedMs < REPORT_MS) continue;
    reportedMs = performance.now();
    const { audioMs } = writer;
    say({ type: 'progress', progress: { characters, newCharacters, audioMs, chapter: chapters[chapter]!.title } });
  }
  await begin();
  await writer.finish(signal);
  say({ type: 'made', characters: audibleCharacters, audioMs: writer.audioMs });
}

const task = workerData as BookTask;
try {
  await (task.type === 'read' ? read(task) : make(task));
} catch (error) {
  const code = error instanceof TtsError ? error.code : undefined;
  say({ type: 'failed', code, message: error instanceof Error ? error.message : String(error) });
}
port.close();
