/** Voices in people's words: accents, uses, what each says, and how one is searched for. */
import type { Language } from '../job.js';
import { codeOf, LANGUAGE_NAMES, type LanguageCode } from '../languages.js';

export const VOICE_USES = [
  'narration',
  'assistants',
  'news',
  'lessons',
  'stories',
  'conversation',
  'relaxation',
  'characters',
] as const;
export type VoiceUse = (typeof VOICE_USES)[number];

/** The accent of each locale, as people call it. */
export const ACCENT_NAMES: Readonly<Record<Language, string>> = {
  'en-US': 'American',
  'en-GB': 'British',
  'es-ES': 'Castilian',
  'es-419': 'Latin American',
  'fr-FR': 'French',
  'it-IT': 'Italian',
  'pt-BR': 'Brazilian',
  'hi-IN': 'Indian',
  'ja-JP': 'Japanese',
  'zh-CN': 'Chinese',
};

/** Names of a language in itself, for those who search for it so. */
const OWN_NAMES: Readonly<Record<LanguageCode, string>> = {
  en: 'English',
  es: 'español castellano',
  fr: 'français',
  it: 'italiano',
  pt: 'português',
  hi: 'हिन्दी',
  ja: '日本語 nihongo',
  zh: '中文 普通话 chinese',
};

/** A voice as it is searched for. */
interface DescribedVoice {
  readonly id: string;
  readonly display_name: string;
  readonly language: string;
  readonly locale?: string | undefined;
  readonly gender: string;
  readonly description: string;
  readonly character?: readonly string[];
  readonly uses?: readonly string[];
}

const fold = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
const wordsOf = (text: string): string[] => fold(text).split(/[^\p{L}\p{N}]+/u);

/**
 * Whether each word of a search begins a word of the voice's: "male" finds no female voice, and
 * "brit" finds British ones. Accents of letters do not count.
 */
export function matchesSearch(voice: DescribedVoice, search: string): boolean {
  const locale = (voice.locale ?? voice.language) as Language;
  const code = codeOf(locale);
  const own = [voice.id, voice.display_name, voice.gender, voice.description, locale];
  const named = [LANGUAGE_NAMES[code], OWN_NAMES[code], ACCENT_NAMES[locale]];
  const words = wordsOf([...own, ...named, ...(voice.character ?? []), ...(voice.uses ?? [])].join(' '));
  return wordsOf(search).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

/** What a voice says of itself, in its language. */
const SAMPLES: Readonly<Record<LanguageCode, (name: string, gender: string) => string>> = {
  en: (name) => `Hello, I am ${name}. This is how I sound when I read to you.`,
  es: (name) => `Hola, soy ${name}. Así suena mi voz cuando te leo un texto.`,
  fr: (name) => `Bonjour, je suis ${name}. Voici ma voix quand je vous lis un texte.`,
  it: (name) => `Ciao, sono ${name}. Questa è la mia voce quando ti leggo un testo.`,
  pt: (name) => `Olá, eu sou ${name}. É assim que soa a minha voz quando leio para você.`,
  hi: (_, gender) => `नमस्ते। जब मैं आपके लिए कोई पाठ पढ़${gender === 'male' ? 'ता' : 'ती'} हूँ, तो मेरी आवाज़ ऐसी सुनाई देती है।`,
  ja: () => 'こんにちは。文章を読むときは、このような声になります。',
  zh: () => '你好，这就是我为你朗读时的声音。',
};

export const sampleOf = ({
  display_name: name,
  language,
  locale = language,
  gender,
}: Pick<DescribedVoice, 'display_name' | 'language' | 'locale' | 'gender'>): string =>
  SAMPLES[codeOf(locale as Language)](name, gender);
