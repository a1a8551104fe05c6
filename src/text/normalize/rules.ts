/** Which rules are asked, and in which order: the more particular ones first. */
import { abbreviation, direction, state } from './abbreviations.js';
import { formula } from './chemistry.js';
import { dateFromDigits, dateFromLetters, decadeFromDigits, shortYear } from './dates.js';
import { dimensions, feetAndInches, ordinalNumber, resolution, scientific } from './numerals.js';
import { phoneNumber, zipCode } from './phone-numbers.js';
import { sign } from './punctuation.js';
import { quantity, slashed } from './quantities.js';
import { romanNumeral } from './roman.js';
import { isDigit, isLetter, type Rule, type Scan } from './scan.js';
import { stars, tag } from './tags.js';
import { term } from './terms.js';
import { clock, lengthOfTime, ratio } from './times.js';
import { hexadecimal, version } from './versions.js';
import { address, machine, path } from './web.js';
import { word } from './words.js';

const DIGITS: readonly Rule[] = [
  machine,
  address,
  dateFromDigits,
  phoneNumber,
  zipCode,
  clock,
  ratio,
  lengthOfTime,
  hexadecimal,
  version,
  ordinalNumber,
  scientific,
  dimensions,
  resolution,
  feetAndInches,
  decadeFromDigits,
  slashed,
  quantity,
];
const LETTERS: readonly Rule[] = [
  term,
  machine,
  address,
  dateFromLetters,
  romanNumeral,
  direction,
  abbreviation,
  state,
  version,
  hexadecimal,
  formula,
  quantity,
];
const SIGNS: readonly Rule[] = [path, phoneNumber, shortYear, hexadecimal, tag, stars, machine, quantity];
const NONE: readonly Rule[] = [];

export function readAll(scan: Scan): void {
  const { text } = scan;
  let at = 0;
  while (at < text.length) at = readOne(scan, at);
}

function readOne(scan: Scan, at: number): number {
  const code = scan.text.charCodeAt(at);
  const digit = isDigit(code);
  const letter = isLetter(code);
  for (const rule of digit ? DIGITS : letter ? LETTERS : code === 32 ? NONE : SIGNS) {
    const end = rule(scan, at);
    if (end > at) return end;
  }
  return letter ? word(scan, at) : sign(scan, at);
}
