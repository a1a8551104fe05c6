/** An audiobook of a text: its sentences spoken a few at once, as `tts book` does it. */
import type { KeyRecord } from '../../../accounts/types.js';
import { type Book, textOf } from '../../../book/book.js';
import { Maker, type Spoken } from '../../../book/make/maker.js';
import { type Utterance, utterancesOf } from '../../../book/make/utterances.js';
import { readTextBook } from '../../../book/text-book.js';
import type { ToolCall } from '../../../mcp/host.js';
import { MAX_BOOK_CHARS } from '../../../mcp/tools.js';
import { joinPcm, msToSamples, samplesToMs } from '../../../protocol/audio.js';
import { BOOK_STYLE } from '../../../protocol/delivery/delivery.js';
import { nothingToSay, TtsError } from '../../../protocol/errors.js';
import type { ServerParts } from '../../door.js';
import { spokenInput } from '../../speech/spoken-input.js';
import type { AudioFile } from './audio-file.js';
import { type Speaker, speech } from './speech.js';

export interface ServerBook {
  readonly parts: ServerParts;
  readonly key: KeyRecord;
  readonly speaker: Speaker;
  readonly text: string;
  readonly title: string | undefined;
  readonly speed: number;
}

/** Sentences at once: fewer than a key of each tier may have by default. */
const AT_ONCE = { partner: 4, free: 1 } as const;
/** Attempts where the server is busy or the key at its limit, about a minute. */
const ATTEMPTS = 6;
const LONGEST_WAIT_S = 20;

/** Writes the book; the result are the titles of its chapters. */
export async function makeBook(order: ServerBook, file: AudioFile, call: ToolCall): Promise<readonly string[]> {
  const { speaker, key, speed } = order;
  const book = read(order);
  const spoken = await Promise.all(
    book.chapters.map((chapter) => utterancesOf(chapter, speaker.language, { style: BOOK_STYLE })),
  );
  const all = spoken.flat();
  if (all.length === 0) throw nothingToSay('', 'text');
  const titles = book.chapters.map(({ title }) => title);
  await file.begin({ title: book.title, album: book.title, genre: 'Audiobook', composer: speaker.voice }, titles);
  const maker = new Maker({
    store: new Passing(),
    sound: [],
    inFlight: AT_ONCE[key.tier],
    speak: (utterance, signal) => patiently(order, utterance, signal),
  });
  /** The sample at which each chapter that was begun begins, and the sentence behind the last. */
  const starts: number[] = [];
  let chapterEnd = 0;
  let done = 0;
  for await (const { pcm, utterance } of maker.make(all, call.signal)) {
    while (done >= chapterEnd && starts.length < spoken.length) {
      chapterEnd += spoken[starts.length]!.length;
      starts.push(file.samples);
    }
    await file.write(pcm);
    await file.write(new Int16Array(msToSamples(utterance.restMs / speed)));
    done += 1;
    call.progress(done, all.length, `${titles[starts.length - 1]}: sentence ${done} of ${all.length}`);
  }
  const at = (i: number) => samplesToMs(starts[i] ?? file.samples);
  await file.finish(titles.map((title, i) => ({ title, startMs: at(i), endMs: at(i + 1) })));
  return titles;
}

function read({ text, title }: ServerBook): Book {
  // Checked as every text is; a book without any is no fault of the server's.
  const { text: trimmed } = spokenInput(text, 'text', MAX_BOOK_CHARS);
  const book = readTextBook(trimmed, `${title ?? 'Book'}.md`);
  if (book.chapters.every(({ blocks }) => blocks.every((block) => textOf(block) === '')))
    throw nothingToSay('', 'text');
  return { ...book, title: title ?? book.title };
}

async function patiently(order: ServerBook, utterance: Utterance, signal: AbortSignal): Promise<Spoken> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await spokenOnce(order, utterance, signal);
    } catch (error) {
      const isBusy = error instanceof TtsError && ['concurrency_limit_exceeded', 'overloaded'].includes(error.code);
      if (!isBusy || attempt === ATTEMPTS || signal.aborted) throw error;
      await order.parts.clock.sleep(1_000 * Math.min(LONGEST_WAIT_S, error.retryAfterS ?? attempt), signal);
    }
  }
}

async function spokenOnce(order: ServerBook, utterance: Utterance, signal: AbortSignal): Promise<Spoken> {
  const { parts, key, speaker, speed } = order;
  const { text, ssml, place } = utterance;
  const input = spokenInput(text, 'text', MAX_BOOK_CHARS);
  const pieces: Int16Array[] = [];
  const asked = { ...speaker, key, input, ssml, speed, unheard: true, style: BOOK_STYLE, place, route: 'mcp_book' };
  for await (const event of speech(parts, asked, signal)) if (event.type === 'audio') pieces.push(event.pcm);
  return { pcm: joinPcm(pieces), startsMs: [] };
}

/** Holds a sentence from when it is made to when it is written. */
class Passing {
  readonly #made = new Map<string, Spoken>();

  has(key: string): boolean {
    return this.#made.has(key);
  }

  async get(key: string): Promise<Spoken | undefined> {
    const sentence = this.#made.get(key);
    this.#made.delete(key);
    return sentence;
  }

  async put(key: string, sentence: Spoken): Promise<void> {
    this.#made.set(key, sentence);
  }
}
