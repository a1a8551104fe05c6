/** Speaks the parts of messages through a server, or from what is ready made. */
import type { ServerAddress } from '../client/address.js';
import type { HttpClient } from '../client/http.js';
import { openSpeechSocket } from '../client/speech-socket.js';
import { joinPcm, msToSamples } from '../protocol/audio.js';
import { escapeMarkup } from '../protocol/characters.js';
import { parseModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import { keptName, keptTexts } from './kept-words.js';
import type { Mark, Utterance } from './message.js';
import { partsOf, type Sound } from './parameters.js';
import { ReadyMade } from './ready-made.js';
import { createShape } from './shape.js';
import type { SpokenBy } from './voice-list.js';

/** A part of a message: a character by its name, or text. */
export type Part =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'text'; readonly utterance: Utterance };

export interface SpeechOptions {
  readonly address: ServerAddress;
  readonly client: HttpClient;
  /** Resolves when the server can speak. */
  readonly ready: () => Promise<void>;
  readonly cacheDir: string;
  /** Names program and voices: what was made with others is made anew. */
  readonly version: string;
  /** Whether words are made ahead. */
  readonly prepares: boolean;
}

/** Texts up to this length are made at the voice's own pace, kept for a while, and stretched. */
const MAX_SHORT_CHARS = 40;
/**
 * Speech that is made while it is heard begins with so much (ms). What a server sends first lasts
 * until more is made; made several times as fast here, it would not.
 */
const OPENING_MS = 40;
/** Voices whose ready-made speech is in memory, some 4 MB each. */
const MAX_STORES = 4;

/** Samples, or a mark that is reached. */
export type Heard = Int16Array | Mark;

export class Speech {
  readonly #options: SpeechOptions;
  readonly #stores = new Map<string, Promise<ReadyMade>>();
  #ready: Promise<void> | undefined;

  constructor(options: SpeechOptions) {
    this.#options = options;
  }

  async *say(part: Part, by: SpokenBy, sound: Sound, signal: AbortSignal): AsyncGenerator<Heard> {
    const name = nameOf(part);
    const store = name === undefined ? undefined : await this.#store(by);
    const kept = name === undefined ? undefined : store!.get(name);
    const isShort = name !== undefined;
    const { asked, stretch } = isShort ? { asked: 1, stretch: sound.speed } : partsOf(sound.speed);
    const shape = createShape(stretch, sound.gain);
    const made: Int16Array[] = [];
    const opening = new Opening(isShort && !kept ? msToSamples(OPENING_MS) : 0);
    for await (const heard of kept ? [kept] : this.#make(part, by, asked, signal)) {
      if (heard instanceof Int16Array) {
        if (isShort && !kept) made.push(heard);
        yield* opening.push(shape.push(heard));
      } else yield heard;
    }
    yield* opening.end(shape.end());
    if (isShort && !kept && made.length > 0) store!.remember(name, joinPcm(made));
  }

  /** Makes what is missing of the words that are kept; breaks off when the signal aborts. */
  async prepare(by: SpokenBy, signal: AbortSignal): Promise<void> {
    if (!this.#options.prepares) return;
    const store = await this.#store(by);
    const missing = keptTexts(by.language).filter((each) => !store.has(keptName(each)));
    if (missing.length === 0) return;
    try {
      for (const each of missing) {
        const part: Part = each.isChar
          ? { kind: 'char', char: each.text }
          : { kind: 'text', utterance: { text: each.text, inner: [], ends: [] } };
        const made: Int16Array[] = [];
        for await (const heard of this.#make(part, by, 1, signal)) if (heard instanceof Int16Array) made.push(heard);
        signal.throwIfAborted();
        store.keep(keptName(each), joinPcm(made));
      }
    } finally {
      await store.save();
    }
  }

  /** Asked once; again where it failed. */
  async #untilReady(): Promise<void> {
    this.#ready ??= this.#options.ready();
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  #store(by: SpokenBy): Promise<ReadyMade> {
    const { cacheDir, version } = this.#options;
    const key = `${by.model} ${by.voice}`;
    let store = this.#stores.get(key);
    if (store === undefined) {
      const [oldest] = this.#stores.keys();
      if (this.#stores.size >= MAX_STORES) this.#stores.delete(oldest!);
      const made = new ReadyMade(cacheDir, [version, by.model, by.voice]);
      store = made.load().then(() => made);
      this.#stores.set(key, store);
    }
    return store;
  }

  async *#make(part: Part, by: SpokenBy, speed: number, signal: AbortSignal): AsyncGenerator<Heard> {
    await this.#untilReady();
    signal.throwIfAborted();
    const { free } = parseModel(by.model);
    try {
      if (part.kind === 'char') {
        if (free) yield* this.#overHttp(part.char.toUpperCase(), by, speed, signal);
        else yield* this.#overSocket({ text: spelled(part.char), inner: [], ssml: true }, by, speed, signal);
      } else if (part.utterance.inner.length > 0 && !free) {
        yield* this.#overSocket({ ...part.utterance, ssml: false }, by, speed, signal);
      } else {
        yield* part.utterance.inner;
        yield* this.#overHttp(part.utterance.text, by, speed, signal);
      }
    } catch (error) {
      // A lone sign has no sound.
      if (!(error instanceof TtsError) || error.code !== 'empty_input') throw error;
    }
  }

  async *#overHttp(text: string, { voice, model }: SpokenBy, speed: number, signal: AbortSignal) {
    const { splitIntoRequests } = await import('../client/requests.js');
    for (const { input, part } of splitIntoRequests(text)) {
      const { audio } = await this.#options.client.speech({ model, voice, input, part, speed }, signal);
      yield* audio;
    }
  }

  /** The times of its characters tell where marks are. */
  async *#overSocket(
    { text, inner, ssml }: { readonly text: string; readonly inner: readonly Mark[]; readonly ssml: boolean },
    { voice, model }: SpokenBy,
    speed: number,
    signal: AbortSignal,
  ): AsyncGenerator<Heard> {
    if (text.trim() === '') return;
    const params = { model_id: parseModel(model).base, sync_alignment: true, enable_ssml_parsing: ssml };
    const socket = await openSpeechSocket({ ...this.#options.address, voice, params, speed }, signal);
    const waiting = [...inner];
    let chars = 0;
    try {
      socket.send(text);
      socket.end();
      for await (const { pcm, alignment } of socket.audio) {
        let from = 0;
        for (const [i, start] of (alignment?.charStartTimesMs ?? []).entries()) {
          while (waiting[0] && waiting[0].at <= chars + i) {
            const at = Math.min(pcm.length, Math.max(from, msToSamples(start)));
            if (at > from) yield pcm.subarray(from, at);
            from = at;
            yield waiting.shift()!;
          }
        }
        chars += alignment?.chars.length ?? 0;
        if (from < pcm.length) yield pcm.subarray(from);
      }
      yield* waiting;
    } finally {
      socket.close();
    }
  }
}

/** Holds samples back until there are enough to begin with. */
class Opening {
  readonly #least: number;
  #held: Int16Array[] | undefined = [];

  constructor(least: number) {
    this.#least = least;
  }

  *push(pcm: Int16Array): Generator<Int16Array> {
    if (this.#held === undefined) {
      yield pcm;
      return;
    }
    this.#held.push(pcm);
    if (this.#held.reduce((sum, { length }) => sum + length, 0) >= this.#least) yield* this.end();
  }

  *end(last?: Int16Array): Generator<Int16Array> {
    const held = this.#held ?? [];
    this.#held = undefined;
    yield joinPcm(last ? [...held, last] : held);
  }
}

/** Under which a part may be ready made; undefined for longer texts and those with marks inside. */
function nameOf(part: Part): string | undefined {
  if (part.kind === 'char') return keptName({ text: part.char, isChar: true });
  const { text, inner } = part.utterance;
  return inner.length === 0 && text.length <= MAX_SHORT_CHARS ? keptName({ text, isChar: false }) : undefined;
}

const spelled = (char: string): string => `<say-as interpret-as="characters">${escapeMarkup(char)}</say-as>`;
