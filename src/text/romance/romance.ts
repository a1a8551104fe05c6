/** The rules of a Romance language, from its words. */
import type { Language, SayAs } from '../../protocol/job.js';
import { createEspeakFrontEnd } from '../espeak/espeak-language.js';
import type { FrontEnd } from '../front-end.js';
import type { CharacterOptions } from '../normalize/characters.js';
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { calendarRules } from './calendar-rules.js';
import { spellDigits, wholeWords } from './numerals.js';
import { isVulgar, QuantityReader } from './quantity-rules.js';
import { webRules } from './web-rules.js';
import { lastWordRule, spelled, wordRules } from './word-rules.js';
import type { Wording } from './wording.js';

function romanceRules(wording: Wording): readonly Rule[] {
  const [address, handle, sign] = webRules(wording);
  return [
    address!,
    handle!,
    ...calendarRules(wording),
    ...wordRules(wording),
    ...new QuantityReader(wording).rules,
    lastWordRule(wording),
    sign!,
  ];
}

/** "º" and "ª" are ordinals here; thin spaces group digits as points do. */
const ROMANCE_CHARACTERS: CharacterOptions = { keeps: /[ºª°²³€£¥]/u, groupMark: '.' };

const saysOf =
  ({ signs, currencies }: Wording) =>
  (sign: string): boolean =>
    sign in signs || sign in currencies || isVulgar(sign) || '‰−±'.includes(sign);

/** The whole text as SSML's `say-as` asks. */
const romanceReadAs =
  (wording: Wording): FrontEnd['readAs'] =>
  (scan: Scan, as: SayAs): boolean => {
    const { text, out } = scan;
    const digits = text.replace(/\D/g, '');
    const say = (words: string | undefined): boolean => {
      if (words === undefined || words === '') return false;
      out.say(words, 0, text.length);
      return true;
    };
    if (as === 'characters') {
      const named = [...text].map((char) => (/\d/.test(char) ? spellDigits(char, wording) : spelled(char, wording)));
      return say(named.filter((name) => name.trim() !== '').join(' '));
    }
    if (as === 'telephone') return digits !== '' && say(spellDigits(digits, wording));
    if (digits === '' || digits.length > 15) return false;
    if (as === 'cardinal') return say(wholeWords(digits, wording, 'alone'));
    return as === 'ordinal' && say(wording.ordinal(Number(digits), /[aª]$/.test(text) ? 'f' : 'm'));
  };

export const romanceFrontEnd = (
  names: { readonly language: Language; readonly espeakVoice: string },
  wording: Wording,
  /** Other words as espeak has to see them. */
  spelled: (word: string) => string = (word) => word,
): FrontEnd =>
  createEspeakFrontEnd({
    ...names,
    rules: romanceRules(wording),
    says: saysOf(wording),
    characters: ROMANCE_CHARACTERS,
    readAs: romanceReadAs(wording),
    respelled: (word) => wording.respelled[word.toLowerCase()] ?? spelled(word),
  });
