/**
 * Front ends of languages whose words and sounds are espeak's: rules of their own, and phrases said
 * as espeak says them.
 */
import type { Language } from '../../protocol/job.js';
import type { FrontEnd, PhonemeAlphabet, Phonemizer, Utterance } from '../front-end.js';
import { type CharacterOptions, Characters } from '../normalize/characters.js';
import { MARK_RULES } from '../normalize/marks.js';
import type { Rule } from '../normalize/rule.js';
import { readIpa } from './ipa.js';

/**
 * Sequences that are one symbol in the model's alphabet. The model learnt these languages from
 * espeak's IPA with ties, which hexgrad/misaki's `EspeakG2P` writes so; hyphens and ties it drops.
 */
const JOINED: readonly (readonly [RegExp, string])[] = [
  [/aɪ/gu, 'I'],
  [/aʊ/gu, 'W'],
  [/dz/gu, 'ʣ'],
  [/dʒ/gu, 'ʤ'],
  [/eɪ/gu, 'A'],
  [/oʊ/gu, 'O'],
  [/əʊ/gu, 'Q'],
  [/ts/gu, 'ʦ'],
  [/tʃ/gu, 'ʧ'],
  [/ɔɪ/gu, 'Y'],
];

/**
 * espeak's IPA in the model's alphabet. Nasal vowels keep their tilde, which is a symbol of its own
 * there.
 */
export function espeakSymbols(ipa: string): string {
  let out = ipa
    .normalize('NFD')
    .replace(/c\u0327/gu, 'ç')
    .replace(/-|\^|\u032a|\u0361|\u200d/gu, '');
  for (const [from, to] of JOINED) out = out.replace(from, to);
  return out;
}

/** Left for the rules of marks. */
const TURNED = '¿¡';

export interface EspeakLanguage {
  readonly language: Language;
  /** espeak's name of the language. */
  readonly espeakVoice: string;
  /** The rules of the language, the more particular ones first; those of marks are behind them. */
  readonly rules: readonly Rule[];
  /** Whether the rules have words for a sign. */
  readonly says: (sign: string) => boolean;
  readonly characters?: CharacterOptions;
  readonly readable?: RegExp;
  readonly readAs?: FrontEnd['readAs'];
  readonly isShouted?: FrontEnd['isShouted'];
  /**
   * Readings that stand above espeak's, in the model's alphabet: names, and English words that
   * everybody says in English.
   */
  readonly known?: PhonemeAlphabet['known'];
  readonly respelled?: PhonemeAlphabet['respelled'];
  /** espeak's IPA where the language wants more than `espeakSymbols`. */
  readonly fromEspeak?: PhonemeAlphabet['fromEspeak'];
}

export function createEspeakFrontEnd(options: EspeakLanguage): FrontEnd {
  const { language, espeakVoice, rules, says, readable, respelled, fromEspeak = espeakSymbols } = options;
  const { known = () => undefined, readAs = () => false, isShouted = isInCapitals } = options;
  return {
    language,
    characters: new Characters((sign) => TURNED.includes(sign) || says(sign), options.characters),
    isShouted,
    rules: [...rules, ...MARK_RULES],
    readAs,
    pronounce: (words, phonemizer) => pronouncePhrases(words, phonemizer, known),
    alphabet: {
      espeakVoice,
      fromEspeak,
      known,
      fromIpa: (ipa) => readIpa(ipa, fromEspeak),
      ...(respelled && { respelled }),
    },
    ...(readable && { readable }),
  };
}

/**
 * Words that follow one another without a mark are said in one breath, those whose sounds are known
 * apart.
 */
function pronouncePhrases(
  words: readonly Utterance[],
  phonemizer: Phonemizer,
  known: PhonemeAlphabet['known'],
): string[] {
  const said: string[] = new Array(words.length);
  let from = 0;
  const close = (to: number) => {
    const phrase = phonemizer.phrase(words.slice(from, to).map(({ text }) => text));
    for (const [index, phonemes] of phrase.entries()) said[from + index] = phonemes;
    from = to;
  };
  for (const [index, { text, phonemes, followed }] of words.entries()) {
    const settled = phonemes ?? known(text);
    if (settled !== undefined) {
      close(index);
      said[index] = settled;
      from = index + 1;
    } else if (!followed) close(index + 1);
  }
  close(words.length);
  return said;
}

/** Whether a text is written in capitals throughout: most of at least three words. */
function isInCapitals(text: string): boolean {
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  const loud = words.filter((word) => word === word.toUpperCase() && word !== word.toLowerCase());
  return loud.length > 2 && loud.length >= 0.8 * words.length && loud.some((word) => word.length > 5);
}
