/** The voices of the server behind, and which of them and which model a request means. */
import type { HttpClient } from '../client/http.js';
import { parseModel, type SpeechModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import type { Voice } from '../protocol/http.js';
import { didYouMean } from '../protocol/suggestion.js';
import { languageOf } from './info.js';

/** A voice as Wyoming's events name it; a name goes before a language. */
export interface WantedVoice {
  readonly name?: string | undefined;
  readonly language?: string | undefined;
}

export interface Speaking {
  readonly voice: string;
  readonly model: SpeechModel;
}

export interface VoicesOptions {
  readonly client: Pick<HttpClient, 'voices'>;
  /** Who speaks where a request names nobody. */
  readonly voice: string;
  /** Preferred; a voice that it does not have is spoken by `base-tts`. */
  readonly model: () => Promise<SpeechModel>;
}

interface Known {
  readonly all: readonly Voice[];
  /** Ids of the voices that the preferred model has. */
  readonly preferred: ReadonlySet<string>;
  readonly model: SpeechModel;
}

export class Voices {
  readonly #options: VoicesOptions;
  #known: Known | undefined;

  constructor(options: VoicesOptions) {
    this.#options = options;
  }

  /** All voices, as the server has them now. */
  async list(signal: AbortSignal): Promise<readonly Voice[]> {
    this.#known = await this.#fetch(signal);
    return this.#known.all;
  }

  /** Rejects with `voice_not_found`. Voices that appeared since the last look are found. */
  async choose(wanted: WantedVoice, signal: AbortSignal): Promise<Speaking> {
    const known = this.#known;
    const found = known && this.#find(known, wanted);
    if (found) return found;
    this.#known = await this.#fetch(signal);
    const now = this.#find(this.#known, wanted);
    if (now) return now;
    const ids = this.#known.all.map(({ id }) => id);
    const { name, language } = wanted;
    throw new TtsError(
      'voice_not_found',
      name === undefined && language !== undefined
        ? `There is no voice for the language "${language}".`
        : `There is no voice "${name ?? this.#options.voice}".${didYouMean(name ?? this.#options.voice, ids)}`,
    );
  }

  #find({ all, preferred, model }: Known, { name, language }: WantedVoice): Speaking | undefined {
    const named = name ?? (language === undefined ? this.#options.voice : undefined);
    const id = named === undefined ? this.#speakerOf(all, language!) : all.find((each) => each.id === named)?.id;
    if (id === undefined) return undefined;
    const { free } = parseModel(model);
    return { voice: id, model: preferred.has(id) ? model : free ? 'base-tts:free' : 'base-tts' };
  }

  /** The usual voice where it speaks the language, else the first that does: locale, then code. */
  #speakerOf(all: readonly Voice[], language: string): string | undefined {
    const tag = language.replace('_', '-').toLowerCase();
    const usualFirst = [
      ...all.filter(({ id }) => id === this.#options.voice),
      ...all.filter(({ id }) => id !== this.#options.voice),
    ];
    const speaker =
      usualFirst.find((voice) => languageOf(voice).toLowerCase() === tag) ??
      usualFirst.find((voice) => voice.language === tag.split('-')[0]);
    return speaker?.id;
  }

  async #fetch(signal: AbortSignal): Promise<Known> {
    const { client } = this.#options;
    const model = await this.#options.model();
    const { free } = parseModel(model);
    const [all, preferred] = await Promise.all([
      client.voices(free ? 'base-tts:free' : 'base-tts', signal),
      client.voices(model, signal),
    ]);
    return { all: all.data, preferred: new Set(preferred.data.map(({ id }) => id)), model };
  }
}
