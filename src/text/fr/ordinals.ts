/**
 * Ordinals and Roman numerals: "1er", "la 21e édition", "Louis XIV", "le XIXe siècle"; fractions.
 */
import type { Rule } from '../normalize/rule.js';
import { isCapitalised, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { cardinal, fraction, ordinal } from './numbers.js';

const ENDING = '(ers?|res?|ères?|nde?s?|ièmes?|èmes?|ème|es?)';
const ORDINAL = new RegExp(`(\\d{1,6})${ENDING}(?![A-Za-zÀ-ÿ0-9])`, 'y');
const ROMAN = /([IVXLCDM]{1,9})(ers?|res?|ères?|èmes?|es?)?(?![A-Za-zÀ-ÿ0-9'-])/y;
const VALID = /^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;
const VALUES: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };
const FRACTION = /(\d{1,4})\/(\d{1,4})(?![\d/])/y;

/** Words behind which a Roman numeral counts. */
const COUNTED =
  /^(?:chapitre|tome|acte|livre|partie|volume|scène|annexe|titre|article|section|phase|type|niveau|classe|groupe|figure|tableau|leçon|étape|division|ligue|paris|vatican)$/i;

function romanValue(numeral: string): number | undefined {
  if (!VALID.test(numeral) || numeral === '') return undefined;
  let sum = 0;
  for (const [i, letter] of [...numeral].entries()) {
    const value = VALUES[letter]!;
    sum += value < (VALUES[numeral[i + 1] ?? ''] ?? 0) ? -value : value;
  }
  return sum;
}

/**
 * An ordinal by its written ending, which tells gender and number, and "second" from "deuxième".
 */
function withEnding(value: number, ending: string): string {
  const many = ending.endsWith('s') ? 's' : '';
  if (value === 2 && ending.startsWith('nd')) return `${ending.startsWith('nde') ? 'seconde' : 'second'}${many}`;
  return `${ordinal(value, { feminine: /^(?:re|ère)/.test(ending) })}${many}`;
}

function digits(scan: Scan, at: number): number {
  const { text, out } = scan;
  const match = scan.atBoundary(at) ? matchAt(ORDINAL, text, at) : null;
  if (match) {
    out.say(withEnding(Number(match[1]), match[2]!), at, at + match[0].length);
    scan.remember(match[0]);
    return at + match[0].length;
  }
  const parts = scan.atBoundary(at) ? matchAt(FRACTION, text, at) : null;
  if (!parts) return at;
  const said = fraction(parts[1]!, parts[2]!) ?? `${cardinal(parts[1]!)} sur ${cardinal(parts[2]!)}`;
  out.say(said, at, at + parts[0].length);
  scan.remember(parts[0]);
  return at + parts[0].length;
}

/** "Louis XIV", "chapitre IV"; single letters only where a name or a counted noun stands before. */
function roman(scan: Scan, at: number): number {
  const { text, out } = scan;
  const match = scan.atBoundary(at) ? matchAt(ROMAN, text, at) : null;
  const value = match ? romanValue(match[1]!) : undefined;
  if (!match || value === undefined) return at;
  const [whole, numeral, ending] = match as unknown as [string, string, string?];
  if (ending !== undefined) {
    // "Me Dupont", "les CD", "De" are words.
    if (numeral.length === 1 && !'IVX'.includes(numeral)) return at;
    if (numeral === 'D' || numeral === 'M' || numeral === 'MM') return at;
    out.say(withEnding(value, ending), at, at + whole.length);
  } else {
    const counted = COUNTED.test(scan.previous);
    const named = isCapitalised(scan.previous) && scan.previous !== scan.previous.toUpperCase();
    if (!counted && !(named && /^[IVX]+$/.test(numeral))) return at;
    if (numeral.length === 1 && !'IVX'.includes(numeral)) return at;
    // "Malcolm X", "Vitamine C": one letter is a name more often than five or a hundred.
    if (numeral.length === 1 && !counted && !RULERS.test(scan.previous)) return at;
    out.say(cardinal(value), at, at + whole.length);
  }
  scan.remember(whole);
  return at + whole.length;
}

const RULERS =
  /^(?:Charles|Henri|Louis|Philippe|Pie|Jean|Paul|Édouard|Edouard|George|Georges|Guillaume|Hassan|Albert)$/;

export const ordinalRule: Rule = {
  name: 'ordinal or fraction',
  begins: { digits: { next: /[einrè/]/ } },
  apply: digits,
};

export const romanNumeralRule: Rule = {
  name: 'Roman numeral',
  begins: { words: { first: /[IVXLCDM]/ } },
  apply: roman,
};
