/** The voices of a server as speech-dispatcher names them, and which of them is meant. */
import type { SpeechModel } from '../protocol/contract.js';
import type { Voice } from '../protocol/http.js';
import type { Parameters } from './parameters.js';

export interface SpokenBy {
  readonly voice: string;
  readonly model: SpeechModel;
  /** `en`: letters, digits and words that are kept are those of a language. */
  readonly language: string;
}

export interface VoiceListOptions {
  readonly all: readonly Voice[];
  /** Ids of the voices that the fast model has. */
  readonly fast: ReadonlySet<string>;
  /** Who speaks where nobody is named. */
  readonly usual: string;
  /** The model that was asked for; the fast one where it is left out. */
  readonly model?: SpeechModel | undefined;
}

const localeOf = ({ locale, language }: Voice): string => locale ?? language;

export class VoiceList {
  readonly #options: VoiceListOptions;

  constructor(options: VoiceListOptions) {
    this.#options = options;
  }

  /** Lines of `LIST VOICES`: name, language, variant. */
  lines(language = '', variant = ''): string[] {
    const wanted = language.toLowerCase();
    return this.#options.all
      .filter((voice) => wanted === '' || isOf(voice, wanted))
      .filter(({ gender }) => variant === '' || variant === 'none' || gender === variant)
      .map((voice) => `${voice.id}\t${localeOf(voice)}\t${voice.gender}`);
  }

  /** A voice by its name, else by language and type, else the usual one. */
  choose({ voice, language, voiceType }: Pick<Parameters, 'voice' | 'language' | 'voiceType'>): SpokenBy {
    const { all, usual } = this.#options;
    const named = all.find(({ id }) => id === voice);
    if (named) return this.#spokenBy(named);
    const usualVoice = all.find(({ id }) => id === usual) ?? all[0]!;
    const tag = language.replace('_', '-').toLowerCase();
    const candidates = tag === '' || isOf(usualVoice, tag) ? [] : all.filter((each) => isOf(each, tag));
    const [, kind, number] = /^(?:child_)?(male|female)(\d?)$/.exec(voiceType) ?? [];
    // `male1` is what clients send who chose nothing.
    if (candidates.length === 0 && (kind === undefined || voiceType === 'male1')) return this.#spokenBy(usualVoice);
    const speakers = candidates.length > 0 ? candidates : all.filter((each) => isOf(each, localeOf(usualVoice)));
    const fitting = speakers.filter(({ gender }) => gender === kind);
    const among = fitting.length > 0 ? fitting : speakers;
    return this.#spokenBy(among[(Number(number || 1) - 1) % among.length] ?? usualVoice);
  }

  #spokenBy({ id, language }: Voice): SpokenBy {
    const { fast, model = 'base-tts-fast' } = this.#options;
    const has = model !== 'base-tts-fast' || fast.has(id);
    return { voice: id, model: has ? model : 'base-tts', language };
  }
}

/** By locale, or by language where that is all that is named. */
function isOf(voice: Voice, tag: string): boolean {
  const wanted = tag.toLowerCase();
  return localeOf(voice).toLowerCase() === wanted || voice.language === wanted;
}
