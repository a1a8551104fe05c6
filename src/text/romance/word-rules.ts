/**
 * Words: abbreviations, initials, Roman numerals, words in capitals, words with digits; and the
 * others, which are copied.
 */
import type { Rule } from '../normalize/rule.js';
import { isDigit, isLetter, LETTERS, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { romanValue } from './numerals.js';
import { say } from './say.js';
import type { Wording } from './wording.js';

const CAPITALS = /^\p{Lu}{2,}$/u;
const INITIAL = /\p{Lu}\.(?= ?(?:\p{Lu}|d[aeo]s? \p{Lu}))/uy;
/** An initial, and another behind it. */
const INITIALS = /\p{Lu}\. ?\p{Lu}\./uy;
const DOTTED = /\p{L}{1,3}\.(?: ?\p{L}{1,3}\.)+/uy;
/** "Sig.ra", "F.lli" */
const SUFFIXED = /\p{L}+\.\p{Ll}{1,4}(?!\p{L})/uy;
/** An article or preposition that lost its vowel. */
const ELIDED = /^\p{L}{1,6}'/u;
const MIXTURE = new RegExp(`[${LETTERS}]+-?\\d+[${LETTERS}\\d]*`, 'y');

/** "ADN" → "a de ene". */
export const spelled = (letters: string, { letters: names }: Wording): string =>
  [...letters.toLowerCase()].map((letter) => names[letter] ?? names[letter.normalize('NFD')[0]!] ?? letter).join(' ');

/** Whether capitals are said letter by letter. */
function isSpelled(word: string, { spokenCapitals, spelledCapitals, pronounceable }: Wording): boolean {
  if (spokenCapitals.has(word)) return false;
  if (spelledCapitals.has(word) || word.length === 2) return true;
  return !pronounceable.test(word.toLowerCase());
}

/** Says an abbreviation; its stop stays where it ends the text as well. */
function abbreviated(scan: Scan, at: number, written: string, words: string): number {
  const { text } = scan;
  const end = at + written.length;
  const ends = written.endsWith('.') && scan.endsAt(end);
  say(scan, words, at, ends ? end - 1 : end);
  scan.remember(text.slice(at, Math.min(end, at + 40)));
  return ends ? end - 1 : end;
}

function abbreviation(scan: Scan, at: number, wording: Wording): number {
  const { text } = scan;
  const { abbreviations, beforeNumber } = wording;
  const dotted = matchAt(DOTTED, text, at);
  if (dotted) {
    const written = dotted[0];
    const key = written.replace(/ /g, '').slice(0, -1);
    const words = abbreviations[key] ?? abbreviations[key.toLowerCase()];
    if (words !== undefined) return abbreviated(scan, at, written, words);
  }
  const suffixed = matchAt(SUFFIXED, text, at)?.[0];
  if (suffixed !== undefined && suffixed in abbreviations)
    return abbreviated(scan, at, suffixed, abbreviations[suffixed]!);
  const word = scan.wordAt(at);
  const stop = text[at + word.length] === '.' ? '.' : '';
  const behind = at + word.length + stop.length;
  const sign = /^[º°ª]/.test(text.slice(behind)) ? text[behind]! : '';
  const isNumbered = /^ ?\d/.test(text.slice(behind + sign.length, behind + sign.length + 2));
  const key = `${word}${sign}`;
  const numbered = isNumbered ? (beforeNumber[key] ?? beforeNumber[key.toLowerCase()]) : undefined;
  if (numbered !== undefined && (stop !== '' || sign !== '' || word.length < 3))
    return abbreviated(scan, at, `${word}${stop}${sign}`, numbered);
  if (stop === '') return at;
  // "J. R. R. Tolkien" lives in no street.
  if (word.length === 1 && (/^\p{Lu}$/u.test(scan.previous) || matchAt(INITIALS, text, at))) return at;
  const words = abbreviations[word] ?? abbreviations[word.toLowerCase()];
  return words === undefined ? at : abbreviated(scan, at, `${word}.`, words);
}

/** "J. R. R. Tolkien" */
function initial(scan: Scan, at: number, wording: Wording): number {
  if (!matchAt(INITIAL, scan.text, at)) return at;
  say(scan, spelled(scan.text[at]!, wording), at, at + 2);
  scan.remember(scan.text[at]!);
  return at + 2;
}

function roman(scan: Scan, at: number, wording: Wording): number {
  const word = scan.wordAt(at);
  const value = romanValue(word);
  if (value === undefined) return at;
  const next = scan.nextWord(at + word.length);
  const joined = /^[ye]$/.test(scan.previous) && romanValue(scan.beforePrevious) !== undefined;
  const named = isName(scan) && word.length + value > 2 && !/^[CDLM]$/.test(word);
  const before = joined || named || wording.romanBefore.test(scan.previous);
  const behind = (word.length > 1 || /^[IVX]$/.test(word)) && wording.romanBehind.test(next);
  if (!(before || behind)) return at;
  say(
    scan,
    wording.roman(value, joined ? 'siglo' : before ? scan.previous : '', behind ? next : ''),
    at,
    at + word.length,
  );
  scan.remember(word);
  return at + word.length;
}

/** "Felipe VI": a name stands before it, and no sentence begins there. */
const isName = ({ previous }: Scan): boolean => /^\p{Lu}\p{Ll}{2,}$/u.test(previous);

function word(scan: Scan, at: number, wording: Wording): number {
  const { text, out } = scan;
  const written = scan.wordAt(at);
  const end = at + written.length;
  const mixture = isDigit(text.charCodeAt(end)) || text[end] === '-' ? matchAt(MIXTURE, text, at) : null;
  if (mixture && scan.atBoundary(at)) return mixed(scan, at, mixture[0], wording);
  const loud = CAPITALS.test(written);
  const full = loud ? wording.abbreviations[written] : undefined;
  if (full !== undefined) say(scan, full, at, end);
  else if (loud && !(scan.shouting && written.length > 3) && isSpelled(written, wording))
    say(scan, spelled(written, wording), at, end);
  else if (loud) say(scan, written.toLowerCase(), at, end);
  else if (written.length === 1 && isLetterName(scan, at, end)) say(scan, spelled(written, wording), at, end);
  else out.copy(written, at);
  scan.remember(written.slice(0, 40));
  return end;
}

/** A capital by itself inside a sentence is a letter ("vitamina C"), as is any beside a digit. */
function isLetterName({ text, previous }: Scan, at: number, end: number): boolean {
  if (isDigit(text.charCodeAt(at - 1)) || /[bcdfghjklmnpqrstvwxz]/.test(text[at]!)) return text[end] !== "'";
  return previous !== '' && /\p{Lu}/u.test(text[at]!) && !/^'/.test(text.slice(end));
}

/** "A4", "COVID-19", "MP3": letters, then a number. */
function mixed(scan: Scan, at: number, mixture: string, wording: Wording): number {
  for (const { 0: part, index } of mixture.matchAll(/\p{L}+|\d+/gu)) {
    const from = at + index;
    if (isLetter(part.charCodeAt(0))) {
      const letters = CAPITALS.test(part) || part.length < 3 ? isSpelled(part, wording) || part.length === 1 : false;
      if (letters) say(scan, spelled(part, wording), from, from + part.length);
      else say(scan, part.toLowerCase() === part ? part : part.toLowerCase(), from, from + part.length);
    } else {
      const digits = part.length > 4 || part.startsWith('0') ? [...part] : [part];
      say(scan, digits.map((each) => wording.cardinal(BigInt(each), 'alone')).join(' '), from, from + part.length);
    }
  }
  scan.remember(mixture.slice(0, 40));
  return at + mixture.length;
}

/** "l'IVA", "l'Ing.": what stands behind the apostrophe is looked at by itself. */
function elision(scan: Scan, at: number, { abbreviations, beforeNumber }: Wording): number {
  const written = scan.wordAt(at);
  const head = ELIDED.exec(written)?.[0];
  if (head === undefined) return at;
  const rest = written.slice(head.length);
  if (
    !(
      CAPITALS.test(rest) ||
      (scan.text[at + written.length] === '.' && (rest in abbreviations || rest in beforeNumber))
    )
  )
    return at;
  scan.out.copy(head, at);
  return at + head.length;
}

export const wordRules = (wording: Wording): readonly Rule[] => [
  {
    name: 'elision',
    begins: { words: { when: (word) => word.includes("'") } },
    apply: (scan, at) => elision(scan, at, wording),
  },
  {
    name: 'abbreviation',
    begins: { words: { behind: /[.º°ª ]/ } },
    apply: (scan, at) => abbreviation(scan, at, wording),
  },
  { name: 'Roman numeral', begins: { words: { first: /[IVXLCDM]/ } }, apply: (scan, at) => roman(scan, at, wording) },
  { name: 'initial', begins: { words: { behind: /\./ } }, apply: (scan, at) => initial(scan, at, wording) },
];

/** The last rule for letters: it always applies. */
export const lastWordRule = (wording: Wording): Rule => ({
  name: 'word',
  begins: { words: 'any word', inside: true },
  apply: (scan, at) => word(scan, at, wording),
});
