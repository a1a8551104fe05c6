/**
 * Text work on a thread of its own. Normalising and counting a segment can take a tenth of a second
 * for words that nobody wrote before; on the thread that answers requests it would hold up the
 * audio of everybody.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { TtsError } from '../../protocol/errors.js';
import type { Language, Segment } from '../../protocol/job.js';
import type { Explanation } from '../explain.js';
import type { LanguageFiles } from '../front-end.js';
import { surelySounds, type TextCutter } from '../segment/cutter.js';
import { LazyCutter } from '../segment/lazy-cutter.js';
import type {
  CutOptions,
  ExplainOptions,
  TextPiece,
  TextReply,
  TextRequest,
  TextResults,
  TextThreadOptions,
  TextWork,
  Words,
} from './text-messages.js';

/** The compiled entry of the text thread (`imports` in package.json). */
const ENTRY = createRequire(import.meta.url).resolve('#dist/bundle/text-thread.js');

interface Waiting {
  readonly done: (result: never) => void;
  readonly failed: (error: unknown) => void;
}

export interface Texts {
  /** Resolves when it can work at once; rejects where the operator's pronunciations are wrong. */
  ready(): Promise<void>;
  cutter(options: CutOptions): TextCutter;
  /** What of a text is left out, in words, where that is all of it. */
  soundless(text: string, language: Language): Promise<string | undefined>;
  explain(text: string, options: ExplainOptions): Promise<Explanation>;
  /**
   * How the operator has words read, in texts that begin from now on. Segments carry it, so that
   * every worker reads them so. Rejects with `invalid_value`, and changes nothing.
   */
  keepWords(words: Words): Promise<void>;
  /** Rejects with `invalid_value` where words could not be kept. */
  checkWords(words: Words): Promise<void>;
  close(): Promise<void>;
}

export interface TextsOptions extends Partial<Omit<TextThreadOptions, 'words'>> {
  /**
   * Where the files of a language lie, fetched first where they are not there; '' for a language
   * that needs none.
   */
  readonly files?: LanguageFiles;
}

export const createTexts = ({ lexicon = '', lazy = false, files = async () => '' }: TextsOptions = {}): Texts =>
  new TextThread({ lexicon, lazy, words: {} }, files);

class TextThread implements Texts {
  #options: TextThreadOptions;
  readonly #files: LanguageFiles;
  /** Languages whose files the thread was told of. */
  #told = new Set<Language>();
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #requests = 0;
  #sessions = 0;

  constructor(options: TextThreadOptions, files: LanguageFiles) {
    this.#options = options;
    this.#files = files;
    // Soon, not when it is first needed: it takes a moment to load. A command may need none.
    if (!options.lazy || options.lexicon !== '') this.#worker = this.#start();
  }

  async ready(): Promise<void> {
    if (this.#worker !== undefined) await this.#ask({ type: 'open' });
  }

  /** Until a command needs a reader, which it rarely does, its text is cut without a thread. */
  cutter(options: CutOptions): TextCutter {
    const isPlain = !options.ssml && options.words === undefined;
    if (this.#isThreaded || !isPlain) return this.#threadCutter(options);
    return new UnthreadedCutter(options, () => this.#threadCutter(options));
  }

  /** A reader is used already, or words are kept that change segments. */
  get #isThreaded(): boolean {
    const { lazy, words } = this.#options;
    return !lazy || this.#worker !== undefined || Object.keys(words).length > 0;
  }

  #threadCutter(options: CutOptions): TextCutter {
    const session = ++this.#sessions;
    return new ThreadCutter(
      async (piece, first) => {
        if (first) await this.#tell(options.language);
        return this.#ask({ type: 'cut', session, piece, ...(first && { options }) });
      },
      () => this.#worker?.postMessage({ id: undefined, session } satisfies TextRequest),
    );
  }

  async soundless(text: string, language: Language): Promise<string | undefined> {
    if (!this.#isThreaded && surelySounds(text, language)) return undefined;
    await this.#tell(language);
    return this.#ask({ type: 'soundless', text, language });
  }

  async explain(text: string, options: ExplainOptions): Promise<Explanation> {
    await this.#tell(options.language);
    return this.#ask({ type: 'explain', text, options });
  }

  async keepWords(words: Words): Promise<void> {
    await this.#ask({ type: 'words', words, check: false });
    // For the thread that follows, should this one be lost.
    this.#options = { ...this.#options, words };
  }

  async checkWords(words: Words): Promise<void> {
    await this.#ask({ type: 'words', words, check: true });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** Tells the thread where the files of a language are, once. English has none. */
  async #tell(language: Language): Promise<void> {
    if (language.startsWith('en-') || this.#told.has(language)) return;
    const folder = await this.#files(language);
    await this.#ask({ type: 'files', language, folder });
    this.#told.add(language);
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, { workerData: this.#options });
    worker.on('message', (reply: TextReply) => this.#receive(reply));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, new Error('the text thread has ended')));
    // A request that waits keeps the process; a thread alone does not.
    worker.unref();
    return worker;
  }

  #ask<W extends TextWork>(work: W): Promise<TextResults[W['type']]> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = ++this.#requests;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done, failed });
      worker.ref();
      worker.postMessage({ id, work } satisfies TextRequest);
    });
  }

  #receive(reply: TextReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if ('error' in reply) waiting?.failed(new TtsError(reply.error.code, reply.error.message));
    else waiting?.done(reply.result as never);
  }

  /** The next request starts another; sessions of this one end with the error. */
  #lose(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#told = new Set();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { failed } of waiting) failed(error);
  }
}

class ThreadCutter implements TextCutter {
  pendingChars = 0;
  ignoredMarkup: readonly string[] = [];
  readonly #cut: (piece: TextPiece, first: boolean) => Promise<TextResults['cut']>;
  readonly #close: () => void;
  #state: 'new' | 'open' | 'closed' = 'new';

  constructor(cut: (piece: TextPiece, first: boolean) => Promise<TextResults['cut']>, close: () => void) {
    this.#cut = cut;
    this.#close = close;
  }

  push(text: string): Promise<Segment[]> {
    return this.#ask({ kind: 'push', text });
  }

  flush(): Promise<Segment[]> {
    return this.#ask({ kind: 'flush' });
  }

  end(): Promise<Segment[]> {
    return this.#ask({ kind: 'end' });
  }

  close(): void {
    if (this.#state === 'open') this.#close();
    this.#state = 'closed';
  }

  async #ask(piece: TextPiece): Promise<Segment[]> {
    const first = this.#state === 'new';
    if (first) this.#state = 'open';
    const { segments, pendingChars, ignoredMarkup } = await this.#cut(piece, first);
    this.pendingChars = pendingChars;
    this.ignoredMarkup = ignoredMarkup;
    return segments;
  }
}

/** Cuts on the thread of its caller, and on the text thread once a reader is needed. */
class UnthreadedCutter implements TextCutter {
  readonly #cutter: LazyCutter;

  constructor(options: CutOptions, threadCutter: () => TextCutter) {
    this.#cutter = new LazyCutter(options, async () => threadCutter());
  }

  get pendingChars(): number {
    return this.#cutter.pendingChars;
  }

  get ignoredMarkup(): readonly string[] {
    return this.#cutter.ignoredMarkup;
  }

  push(text: string): Promise<Segment[]> {
    return this.#cutter.take({ kind: 'push', text });
  }

  flush(): Promise<Segment[]> {
    return this.#cutter.take({ kind: 'flush' });
  }

  end(): Promise<Segment[]> {
    return this.#cutter.take({ kind: 'end' });
  }

  close(): void {
    this.#cutter.close();
  }
}
