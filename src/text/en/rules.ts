/**
 * Which rules are asked, and in which order: the more particular ones first. What stands at a place, and right behind
 * it, decides which of them can apply at all; the others are not asked, or a megabyte would take seconds.
 */

import { isDigit, isLetter, type Rule, type Scan } from '../normalize/scan.js';
import { abbreviation, isAbbreviated } from './abbreviations.js';
import { formula } from './chemistry.js';
import { isCurrencyCode } from './currency.js';
import { dateFromDigits, dateFromLetters, decadeFromDigits, namesDate, shortYear } from './dates.js';
import { command } from './formulas.js';
import { slashed } from './fractions.js';
import { dimensions, feetAndInches, ordinalNumber, resolution, scientific } from './numerals.js';
import { phoneNumber, zipCode } from './phone-numbers.js';
import { direction, state } from './places.js';
import { sign } from './punctuation.js';
import { quantity } from './quantities.js';
import { romanNumeral } from './roman.js';
import { stars, tag } from './tags.js';
import { isTerm, term } from './terms.js';
import { clock, lengthOfTime, ratio } from './times.js';
import { hexadecimal, version } from './versions.js';
import { address, machine, path } from './web.js';
import { word } from './words.js';

/** A rule for digits, and the characters that may stand behind the first row of them. */
const DIGITS: readonly (readonly [Rule, RegExp])[] = [
  [machine, /[.:A-Fa-f]/],
  [address, /[.@/\\_A-Za-z-]/],
  [dateFromDigits, /[-/. –stnrdh]/],
  [phoneNumber, /[-. ]/],
  [zipCode, /[-. ,;:!?)"']/],
  [clock, /[: AaPp–—-]/],
  [ratio, /[:.]/],
  [lengthOfTime, /[dhms]/],
  [hexadecimal, /[xXa-fA-F]/],
  [version, /[.A-Za-z]/],
  [ordinalNumber, /[snrtSNRT,]/],
  [scientific, /[.eE]/],
  [dimensions, /[.x× ]/],
  [resolution, /[pi]/],
  [feetAndInches, /['"°.]/],
  [decadeFromDigits, /[s']/],
  [slashed, /[/.]/],
];

const RARE = 0x2100;
const afterDigits = rulesBy(DIGITS);
const QUANTITY: readonly Rule[] = [quantity];
const NO_RULES: readonly Rule[] = [];

/** Behind "1.5": what a rule for digits with a point needs there. */
const POINTED: readonly (readonly [Rule, RegExp])[] = [
  [machine, /\./],
  [address, /[.@/_A-Za-z%+~-]/],
  [dateFromDigits, /\./],
  [phoneNumber, /[\s\S]/],
  [ratio, /:/],
  [version, /[\s\S]/],
  [scientific, /[eE]/],
  [dimensions, /[x× ]/],
  [feetAndInches, /['"°]/],
  [slashed, /\//],
];
const afterPoint = rulesBy(POINTED);

/** Behind "1.", where no digit stands. */
const STOPPED: readonly (readonly [Rule, RegExp])[] = [
  [address, /[.@/_A-Za-z%+~-]/],
  [version, /x/],
];
const afterStop = rulesBy(STOPPED);

/** Over a space: a month, "p.m.", a span of days or hours, more digits of a telephone number, another side. */
const SPACED: readonly (readonly [Rule, RegExp])[] = [
  [dateFromDigits, /[A-Z–-]/],
  [phoneNumber, /\d/],
  [zipCode, /[^\d]/],
  [clock, /[AaPp–—-]/],
  [dimensions, /[x×]/],
];
const afterSpace = rulesBy(SPACED);

/** The rules by the character that was found, worked out when it is first met. From `RARE` on none looks for one. */
function rulesBy(kinds: readonly (readonly [Rule, RegExp])[]): (code: number) => readonly Rule[] {
  const known = new Map<number, readonly Rule[]>();
  return (code) => {
    if (!(code < RARE)) return QUANTITY;
    let rules = known.get(code);
    if (!rules) {
      const char = String.fromCharCode(code);
      rules = [...kinds.filter(([, behind]) => behind.test(char)).map(([rule]) => rule), quantity];
      known.set(code, rules);
    }
    return rules;
  };
}

/** The rules for each sign that one can begin with. */
const SIGNS: Readonly<Record<string, readonly Rule[]>> = {
  '/': [path],
  '~': [path, tag],
  '.': [path, quantity],
  '\\': [path, command],
  '(': [phoneNumber],
  '+': [phoneNumber, quantity],
  "'": [shortYear],
  '#': [hexadecimal, tag],
  '@': [tag],
  '★': [stars],
  ':': [machine],
};
const MONEY_OR_SIGN = '-−–±$£€¥₹₽₩₺₪₫₦₱₴₿฿';
const SIGN_RULES: ReadonlyMap<number, readonly Rule[]> = new Map([
  ...[...MONEY_OR_SIGN].map((char) => [char.charCodeAt(0), QUANTITY] as const),
  ...Object.entries(SIGNS).map(([char, rules]) => [char.charCodeAt(0), rules] as const),
]);

export function readAll(scan: Scan): void {
  const { text } = scan;
  let at = 0;
  while (at < text.length) at = readOne(scan, at);
}

function readOne(scan: Scan, at: number): number {
  const code = scan.text.charCodeAt(at);
  if (code === 32) {
    scan.out.space(at, at + 1);
    return at + 1;
  }
  if (isLetter(code)) return readWord(scan, at, code);
  const rules = isDigit(code) ? digitRules(scan, at) : (SIGN_RULES.get(code) ?? NO_RULES);
  for (const rule of rules) {
    const end = rule(scan, at);
    if (end > at) return end;
  }
  return sign(scan, at);
}

function digitRules(scan: Scan, at: number): readonly Rule[] {
  if (!scan.atBoundary(at)) return QUANTITY;
  let end = at + 1;
  while (isDigit(scan.text.charCodeAt(end))) end++;
  if (end === scan.text.length) return end - at === 5 ? afterDigits(32) : QUANTITY;
  const follow = scan.text.charCodeAt(end);
  if (follow === 32) return afterSpace(scan.text.charCodeAt(end + 1));
  if (follow === 46 /* . */) {
    const point = isDigit(scan.text.charCodeAt(++end));
    while (isDigit(scan.text.charCodeAt(end))) end++;
    const behind = scan.text.charCodeAt(end);
    return (point ? afterPoint : afterStop)(behind < RARE ? behind : 0);
  }
  return afterDigits(follow);
}

function readWord(scan: Scan, at: number, code: number): number {
  if (!scan.atBoundary(at)) return word(scan, at);
  const { text } = scan;
  const written = scan.wordAt(at);
  const follow = text.charCodeAt(at + written.length);
  const large = code < 91;
  const { length } = written;
  const digitBehind = isDigit(follow);
  let end = at;
  if (isTerm(written, follow)) end = term(scan, at);
  if (end === at && scan.addressMarks(at) > 0) {
    if (follow === 58 || digitBehind) end = machine(scan, at);
    if (end === at) end = address(scan, at);
  }
  if (end === at && large && namesDate(written)) end = dateFromLetters(scan, at);
  if (end === at && length < 15 && beginsRoman(code)) end = romanNumeral(scan, at);
  if (end === at && large && length < 3) end = direction(scan, at);
  if (end === at && (follow === 46 || follow === 47 || isAbbreviated(written))) end = abbreviation(scan, at);
  if (end === at && large && length === 2) end = state(scan, at);
  if (end === at && (code === 118 || code === 86)) end = version(scan, at);
  if (end === at && (digitBehind || length > 6)) end = hexadecimal(scan, at);
  if (end === at && large && (digitBehind || follow === 40 || follow > 127)) end = formula(scan, at);
  if (end === at && large && (follow === 36 || isCurrencyCode(written))) end = quantity(scan, at);
  return end > at ? end : word(scan, at);
}

/** I V X L C D M and i v x l. */
function beginsRoman(code: number): boolean {
  switch (code) {
    case 67:
    case 68:
    case 73:
    case 76:
    case 77:
    case 86:
    case 88:
    case 105:
    case 108:
    case 118:
    case 120:
      return true;
    default:
      return false;
  }
}
