/**
 * Which voice speaks: the one that was named, or the default of the language that was; and whether
 * it fits the text.
 */
import type { Config, Sources } from '../config.js';
import { TtsError, wrongScript } from '../protocol/errors.js';
import type { Language } from '../protocol/job.js';
import { codeOf, knownLanguage, LANGUAGE_NAMES, speaks } from '../protocol/languages.js';

/**
 * Ids that need no look into the catalogue: every English voice that ships, and both models have
 * those.
 */
const ENGLISH = /^(?:english|american|british)_/;

async function catalogueOf({ voicesDir }: Config) {
  const { loadCatalogue } = await import('../models/catalogue.js');
  return loadCatalogue({ voicesDir });
}

/** The language a voice reads in; undefined where only another machine knows the voice. */
export async function languageOf(config: Config, voice: string): Promise<Language | undefined> {
  if (/^(?:english|american)_/.test(voice)) return 'en-US';
  return (await catalogueOf(config)).all.find((entry) => entry.voice.id === voice)?.language;
}

/**
 * The voice that a command speaks with. `--language` picks the default voice of its language where
 * none was named beside it.
 */
export async function chooseVoice({ config, sources }: Sources, language: string | undefined): Promise<string> {
  const { voice } = config;
  if (language === undefined || language === 'auto') return voice;
  const wanted = knownLanguage(language);
  const own = await languageOf(config, voice);
  if (own !== undefined && speaks(own, wanted)) return voice;
  const fitting = (await catalogueOf(config)).fitting(wanted)?.voice.id;
  if (sources.voice === 'flag' && own !== undefined) {
    throw new TtsError(
      'usage',
      `The voice ${voice} speaks ${LANGUAGE_NAMES[codeOf(own)]} (${own}), not ${wanted}. Leave --language or -v out, or take -v ${fitting}.`,
    );
  }
  return sources.voice === 'flag' ? voice : (fitting ?? voice);
}

/** Whether only the standard model has one of the voices, as far as this machine knows. */
export async function needsStandardModel(config: Config, ...voices: readonly string[]): Promise<boolean> {
  const others = voices.filter((voice) => !ENGLISH.test(voice));
  if (others.length === 0) return false;
  const { all } = await catalogueOf(config);
  return all.some(({ voice, models }) => others.includes(voice.id) && !models.includes('base-tts-fast'));
}

/**
 * What to tell a person whose text is surely in another language than the voice's. Throws where the
 * voice cannot read a letter of it.
 */
export async function languageRemark(config: Config, voice: string, text: string): Promise<string | undefined> {
  const { detectLanguage, unreadableLanguage } = await import('../text/detect-language.js');
  const detected = detectLanguage(text);
  if (detected === 'en' && ENGLISH.test(voice)) return undefined;
  const own = await languageOf(config, voice);
  if (own === undefined) return undefined;
  const fitting = async (code: string) => (await catalogueOf(config)).fitting(code)?.voice.id;
  const other = unreadableLanguage(text, own);
  if (other !== undefined) throw wrongScript({ voice, language: LANGUAGE_NAMES[other], fitting: await fitting(other) });
  if (detected === undefined || detected === codeOf(own)) return undefined;
  return `The text looks ${LANGUAGE_NAMES[detected]}, and ${voice} reads it as ${LANGUAGE_NAMES[codeOf(own)]}. A voice that fits: -v ${await fitting(detected)}`;
}
