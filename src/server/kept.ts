/**
 * Voices and words that the operator keeps in the accounts' database, for every server that shares
 * it. Each server looks for changes once a second. Workers need not know them: an order carries its
 * mix of styles, and a segment how its words are read.
 */
import type { KeptEntry, KeptKind, KeptTable } from '../accounts/tables/kept.js';
import type { Logger } from '../log.js';
import type { VoiceCatalogue } from '../models/catalogue.js';
import type { LiveCatalogue } from '../models/live-catalogue.js';
import { parseVoiceFile } from '../models/voice-mix.js';
import { TtsError } from '../protocol/errors.js';
import type { Texts } from '../text/thread/texts.js';

/** Milliseconds between two looks for changes of other servers. */
const LOOK_MS = 1_000;
/** Most voices and words that are kept. */
const MOST: Readonly<Record<KeptKind, number>> = { voice: 200, word: 2_000 };

export interface KeptOptions {
  readonly store: KeptTable;
  readonly catalogue: Pick<LiveCatalogue, 'keep'> & Pick<VoiceCatalogue, 'all'>;
  readonly texts: Pick<Texts, 'keepWords' | 'checkWords'>;
  readonly log: Logger;
}

export class Kept {
  readonly #options: KeptOptions;
  #changes = 0;
  #entries: readonly KeptEntry[] = [];
  /** The look that is under way; looks follow one another. */
  #looking: Promise<void> = Promise.resolve();

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  of(kind: KeptKind): ReadonlyMap<string, string> {
    return new Map(this.#entries.filter((entry) => entry.kind === kind).map(({ name, value }) => [name, value]));
  }

  /** Looks for changes now, and every second until `signal` aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    const timer = setInterval(() => void this.#look(), LOOK_MS).unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    await this.#look();
  }

  /** Throws `invalid_value` with the field that is wrong. */
  async putVoice(id: string, file: unknown): Promise<void> {
    const others = this.#options.catalogue.all.filter(({ voice }) => !this.of('voice').has(voice.id));
    if (others.some(({ voice }) => voice.id === id)) {
      throw new TtsError('invalid_value', `There is a voice "${id}" already. Give this one another name.`, {
        param: 'id',
      });
    }
    parseVoiceFile({ ...(file as object), id });
    await this.#put({ kind: 'voice', name: id, value: JSON.stringify({ ...(file as object), id }) });
  }

  async putWord(word: string, said: string): Promise<void> {
    await this.#options.texts.checkWords({ ...Object.fromEntries(this.of('word')), [word]: said });
    await this.#put({ kind: 'word', name: word, value: said });
  }

  async remove(kind: KeptKind, name: string): Promise<void> {
    if (!(await this.#options.store.remove(kind, name))) {
      throw new TtsError('not_found', `There is no such ${kind} among those that are kept.`);
    }
    await this.#look();
  }

  async #put(entry: KeptEntry): Promise<void> {
    const most = MOST[entry.kind];
    if (!(await this.#options.store.put(entry, most))) {
      throw new TtsError('invalid_value', `${most} are kept already. Remove one first.`);
    }
    await this.#look();
  }

  #look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#read());
    return this.#looking;
  }

  async #read(): Promise<void> {
    const { store, catalogue, texts, log } = this.#options;
    try {
      const changes = await store.changes();
      if (changes === this.#changes) return;
      this.#entries = await store.list();
      catalogue.keep(this.of('voice'));
      await texts.keepWords(Object.fromEntries(this.of('word')));
      this.#changes = changes;
    } catch (error) {
      log.warn({ err: error }, 'voices and words that the operator keeps could not be read; they stay as they were');
    }
  }
}
