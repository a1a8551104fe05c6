/** Roman numerals, where the words around them say that they are numerals. */

import type { Rule } from '../../normalize/rule.js';
import { isCapitalised, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { cardinal, ordinal } from './numbers.js';

const ROMAN = /^(?:[IVXLCDM]{1,12}(?:'s)?|[ivxl]{1,8})$/;
const NUMERAL = /([IVXLCDM]{1,12}|[ivxl]{1,8})(?:('s)|\b)(?!['\w-]|\.[A-Za-z])/y;
const VALID = /^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;
const COUNTED = new Set(
  'roman|numeral|numerals|acts|parts|chapters|volumes|books|sections|scenes|phases|types|levels|titles|articles|grades|classes|stages|items|figures|tables|vols|chapter|part|act|scene|section|volume|vol|book|article|title|appendix|phase|type|class|stage|level|war|bowl|figure|fig|table|item|tier|mark|mk|episode|season|lesson|unit|step|annex|schedule|page|pages|pp|generation|gen|group|category|grade|paragraph|clause|amendment|canto|psalm|sonata|symphony|number|no|round|apollo|saturn|titan|fantasy|wars|quest|rocky|rambo|division|division|module|question|exercise|theorem|lemma|version|playstation|pentium|trimester|quarter|zone|region|layer|cranial|factor'.split(
    '|',
  ),
);
const isCounted = (word: string): boolean => COUNTED.has(word.toLowerCase());
const MONARCHS = new Set(
  (
    'Henry Louis Elizabeth George Charles James Edward William Richard John Paul Pius Benedict Leo Gregory Clement Innocent Urban Alexander ' +
    'Nicholas Napoleon Wilhelm Friedrich Frederick Philip Philippe Ferdinand Catherine Peter Ivan Francis Ramses Ramesses Ptolemy Mary Otto Carl Karl Gustav ' +
    'Christian Haakon Harald Olav Umberto Alfonso Carlos Felipe Joseph Leopold Albert Rama Xerxes Darius Cyrus Julius Sixtus Boniface Celestine ' +
    'Mehmed Murad Selim Suleiman Sigismund Casimir Bela Andrew Stephen Robert Kenneth David Amenhotep Thutmose Seti Artaxerxes Mithridates ' +
    'Antiochus Seleucus Constantine Justinian Theodosius Valentinian Margrethe Beatrix Victor Emmanuel Emanuel Rudolf Rudolph Maximilian Pedro Sancho Berengar'
  ).split(' '),
);
/** Numerals that are words or initials more often than not. */
const DOUBTFUL = new Set(
  'I|V|X|L|C|D|M|MIX|CIVIL|DI|LI|CV|CC|MC|MM|CD|DC|MD|DM|CI|DIV|MI|VI|LCD|MV|XL|XXL|XXX|DVI|CIV|MIL|DIM|DIL|VIM|LIV|CL|ML|DL|XC|MCI|MDI|CMD|CDC|CIC|DVD'.split(
    '|',
  ),
);
const NUMBERED_AGES = new Set(['century', 'centuries', 'dynasty', 'olympiad']);

export function romanValue(numeral: string): number | undefined {
  const upper = numeral.toUpperCase();
  if (upper === '' || !VALID.test(upper)) return undefined;
  const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };
  let sum = 0;
  for (let i = 0; i < upper.length; i++) {
    const value = values[upper[i]!]!;
    sum += value < (values[upper[i + 1]!] ?? 0) ? -value : value;
  }
  return sum;
}

function romanNumeral(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at)) return at;
  // In small letters it stands in brackets or behind what it counts.
  const before = text.charCodeAt(at - 1);
  if (text.charCodeAt(at) > 96 && before !== 32 && before !== 40 /* ( */ && before !== 45 /* - */) return at;
  const written = scan.wordAt(at);
  // One letter is a numeral only behind a name that has them.
  if (!ROMAN.test(written)) return at;
  const chained = isChained(scan, at);
  if (written.length === 1 && !MONARCHS.has(scan.previous) && !isCounted(scan.previous) && !chained) return at;
  const match = matchAt(NUMERAL, text, at);
  if (!match) return at;
  const numeral = match[1]!;
  const value = romanValue(numeral);
  if (value === undefined) return at;
  const end = at + match[0].length;
  const words =
    chained && numeral.charCodeAt(0) < 97
      ? last.get(scan)?.ordinal
        ? `the ${ordinal(value)}`
        : cardinal(value)
      : reading(scan, numeral, value, at, at + numeral.length);
  if (words === undefined) return at;
  out.say(words + (match[2] ?? ''), at, end);
  scan.remember(numeral);
  last.set(scan, { end, ordinal: words.startsWith('the ') });
  return end;
}

/** Where the last numeral that counts something ended. */
const last = new WeakMap<Scan, { readonly end: number; readonly ordinal: boolean }>();

/** "V and VI", "I, II and III": a numeral behind another. */
function isChained(scan: Scan, at: number): boolean {
  const from = last.get(scan)?.end;
  return (
    from !== undefined && at - from < 12 && /^(?:,? (?:and|or|to|through) |, |[-–])$/.test(scan.text.slice(from, at))
  );
}

function reading(scan: Scan, numeral: string, value: number, at: number, end: number): string | undefined {
  const { text, previous } = scan;
  const beside = text[at - 1] === ' ' || text[at - 1] === '-';
  const small = numeral.charCodeAt(0) > 96;
  if (small) {
    const bracketed = text[at - 1] === '(' && text[end] === ')' && numeral.length > 1;
    const counted = beside && isCounted(previous) && (numeral.length > 1 || text[end] !== "'");
    return bracketed || (counted && numeral !== 'i') ? cardinal(value) : undefined;
  }
  if (numeral.length > 1 && NUMBERED_AGES.has(scan.nextWord(end).toLowerCase())) return ordinal(value);
  if (text[at - 1] === '(' && text[end] === ')' && numeral.length > 1 && !DOUBTFUL.has(numeral)) return cardinal(value);
  if (!beside) return undefined;
  if (MONARCHS.has(previous) && !(numeral === 'I' && !isAfterName(scan, end))) return `the ${ordinal(value)}`;
  if (isCounted(previous))
    return numeral === 'I' && /^(?:'|[a-z])/.test(text.slice(end, end + 2).trim()) && !isCapitalised(previous)
      ? undefined
      : cardinal(value);
  if (numeral.length < 2 || DOUBTFUL.has(numeral) || !isCapitalised(previous) || previous === previous.toUpperCase())
    return undefined;
  // A name of two words and a numeral is a person; of one, a thing.
  const person =
    isCapitalised(scan.beforePrevious) && /^(?:II|III|IV|V)$/.test(numeral) && scan.beforePrevious !== 'The';
  return person ? `the ${ordinal(value)}` : cardinal(value);
}

/**
 * "Charles I of England", "Elizabeth I." against "Charles, I think": what follows a pronoun is a
 * verb.
 */
function isAfterName(scan: Scan, end: number): boolean {
  const next = scan.nextWord(end);
  return (
    next === '' ||
    /^(?:of|was|is|had|and|who|in|became|died|to|the|as|by|from|would|on|at|with|ruled|reigned|signed|ordered)$/.test(
      next,
    ) ||
    !/^ [a-z]/.test(scan.text.slice(end, end + 2))
  );
}

export const romanNumeralRule: Rule = {
  name: 'Roman numeral',
  begins: { words: { first: /[CDILMVXilvx]/, when: (word) => word.length < 15 } },
  apply: romanNumeral,
};
