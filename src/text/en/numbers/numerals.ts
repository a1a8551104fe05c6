/** Numbers in their other forms: ordinals, powers of ten, dimensions, multiples, resolutions. */

import type { Rule } from '../../normalize/rule.js';
import { digitsEnd, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { spell } from '../acronyms.js';
import { amount, cardinal, ordinal, pairs, plural, triple } from './numbers.js';
import { unit } from './units.js';

const ORDINAL = /(\d{1,3}(?:,\d{3})+|\d{1,15})(?:st|nd|rd|th|ST|ND|RD|TH)(?![A-Za-z0-9])/y;
const ORDINAL_RANGE = / ?[-–] ?(?=\d{1,6}(?:st|nd|rd|th)(?![A-Za-z0-9]))/y;
const SCIENTIFIC = /(\d{1,20}(?:\.\d{1,20})?)[eE]([-+−]?)(\d{1,4})(?![A-Za-z0-9.])/y;
const DIMENSIONS =
  /(\d{1,6}(?:\.\d{1,4})?)( ?)([x×])\2(\d{1,6}(?:\.\d{1,4})?)(?:\2[x×]\2(\d{1,6}(?:\.\d{1,4})?))?(s(?![A-Za-z]))?(?![\dA-Za-z.×]{0,20}[\d×])/y;
const MULTIPLE = /(\d{1,9}(?:\.\d{1,4})?)[x×](?![A-Za-z0-9])/y;
const RESOLUTION = /(\d{3,4})([pi])(\d{2,3})?(?![A-Za-z0-9])/y;
const FEET = /(\d{1,3})'(?: ?(\d{1,2})(?:"|'')?)?(?![\dA-Za-z'])/y;
const INCHES = /(\d{1,3}(?:\.\d{1,2})?)"/y;
const ARC = /(\d{1,3})° ?(\d{1,2})' ?(?:(\d{1,2}(?:\.\d{1,4})?)" ?)?([NSEW])?(?![A-Za-z])/y;
const BEARING = /(\d{1,3}(?:\.\d{1,8})?)° ?([NSEW])(?![A-Za-z])/y;
const POLES: Readonly<Record<string, string>> = { N: 'north', S: 'south', E: 'east', W: 'west' };

function ordinalNumber(scan: Scan, at: number): number {
  if (!scan.atBoundary(at)) return at;
  const end = digitsEnd(scan.text, at);
  // A comma parts groups of three.
  if (scan.text[end] === ',' && digitsEnd(scan.text, end + 1) < end + 4) return at;
  return readOrdinal(scan, at);
}

function readOrdinal(scan: Scan, at: number): number {
  const match = matchAt(ORDINAL, scan.text, at);
  if (!match) return at;
  const end = at + match[0].length;
  scan.out.say(ordinal(match[1]!), at, end);
  scan.remember(match[0]);
  const range = matchAt(ORDINAL_RANGE, scan.text, end);
  if (!range) return end;
  scan.out.say('to', end, end + range[0].length);
  return end + range[0].length;
}

/** "1.5e-10". */
function scientific(scan: Scan, at: number): number {
  if (!scan.atBoundary(at)) return at;
  const match = matchAt(SCIENTIFIC, scan.text, at);
  if (!match) return at;
  const end = at + match[0].length;
  const sign = match[2] === '-' || match[2] === '−' ? 'minus ' : '';
  const power = sign === '' ? ordinal(match[3]!) : cardinal(match[3]!);
  scan.out.say(`${amount(match[1]!)} times ten to the ${sign}${power}`, at, end);
  return end;
}

const side = (written: string): string =>
  /^[1-9]\d{3}$/.test(written) && !written.endsWith('000') ? pairs(written) : amount(written);

/** "1920x1080", "2x4", "3 × 4 cm" are "by"; a plain product is "times". */
function dimensions(scan: Scan, at: number): number {
  if (!scan.atBoundary(at)) return at;
  const match = matchAt(DIMENSIONS, scan.text, at);
  if (match) {
    const end = at + match[0].length;
    const [, a, , mark, b, c, many] = match as unknown as [string, string, string, string, string, string?, string?];
    const sign = /^ ?([A-Za-z]{1,2})(?![A-Za-z])/.exec(scan.text.slice(end, end + 5))?.[1];
    const measured = sign !== undefined && unit(sign) !== undefined;
    if (a === '24' && b === '7' && !c) {
      scan.out.say('twenty-four seven', at, end);
      return end;
    }
    const by = mark === 'x' || measured || (Number(a) >= 100 && Number(b) >= 100) ? 'by' : 'times';
    // The last side is left to be read with its unit.
    if (measured) {
      const last = end - (c ?? b).length;
      scan.out.say(`${side(a)} by ${c ? `${side(b)} by` : ''}`.trimEnd(), at, last);
      return last;
    }
    const last = side(c ?? b);
    // "2x4s"
    const ended = many ? plural(last) : last;
    scan.out.say(`${side(a)} ${by} ${c ? `${side(b)} ${by} ` : ''}${ended}`, at, end);
    return end;
  }
  const multiple = matchAt(MULTIPLE, scan.text, at);
  // "y = 2x" is a product, and no comparison.
  if (!multiple || /[=+−] ?$/.test(scan.text.slice(Math.max(0, at - 2), at))) return at;
  const end = at + multiple[0].length;
  const next = scan.text.charAt(end);
  const times = next === ' ' ? COMPARED.test(scan.nextWord(end)) : next === '' || '.,;!?)'.includes(next);
  scan.out.say(`${amount(multiple[1]!)} ${times ? 'times' : 'X'}`, at, end);
  return end;
}

const COMPARED =
  /^(?:faster|slower|more|less|better|worse|bigger|larger|smaller|cheaper|higher|lower|as|the|speed|speedup|longer|shorter|greater|fewer|in|over|and|or|compared|than|its|their|his|her|our|my|your|last|what|normal|compares|earnings|sales|revenue)$/;

const AIRLINERS = /(7[0-8]7)s(?![A-Za-z0-9])/y;

/** "five 787s". */
function airliners(scan: Scan, at: number): number {
  const match = scan.atBoundary(at) ? matchAt(AIRLINERS, scan.text, at) : null;
  if (!match) return at;
  scan.out.say(plural(triple(match[1]!)), at, at + 4);
  return at + 4;
}

export const airlinersRule: Rule = {
  name: 'airliners',
  begins: { digits: { next: /s/ } },
  apply: airliners,
};

/** "1080p". */
function resolution(scan: Scan, at: number): number {
  if (!scan.atBoundary(at)) return at;
  const match = matchAt(RESOLUTION, scan.text, at);
  if (!match) return at;
  const digits = match[1]!;
  const rate = match[3] ? ` ${cardinal(match[3])}` : '';
  const lines = digits.length === 4 ? pairs(digits) : triple(digits);
  scan.out.say(`${lines} ${spell(match[2]!)}${rate}`, at, at + match[0].length);
  return at + match[0].length;
}

const count = (written: string, one: string, many: string): string =>
  `${amount(written)} ${Number(written) === 1 ? one : many}`;

/** "a 6'2\" man": the height of the person named behind it. */
function isHeight(scan: Scan, end: number): boolean {
  if (!/^(?:an?|the|this|that|his|her|their|our|your|my|another)$/i.test(scan.previous) || scan.text[end] !== ' ')
    return false;
  const next = scan.nextWord(end);
  return (
    /^[a-z]/.test(next) &&
    !/^(?:and|or|by|x|wide|tall|long|high|deep|thick|in|of|is|was|to|at|from|for|with|on)$/.test(next)
  );
}

/** "5'10\\"", "6' 2\\"", "a 27\\" screen", "40°26'46\\"N". */
function feetAndInches(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at)) return at;
  let end = digitsEnd(text, at);
  if (text[end] === '.') end = digitsEnd(text, end + 1);
  const mark = text[end];
  const behind = mark !== '°' ? '' : text.charAt(text[end + 1] === ' ' ? end + 2 : end + 1);
  const arc = behind >= '0' && behind <= '9' ? matchAt(ARC, text, at) : null;
  if (arc) {
    const [whole, d, m, s, pole] = arc as unknown as [string, string, string, string?, string?];
    const words = [count(d, 'degree', 'degrees'), count(m, 'minute', 'minutes')];
    if (s) words.push(count(s, 'second', 'seconds'));
    if (pole) words.push(POLES[pole]!);
    out.say(words.join(' '), at, at + whole.length);
    return at + whole.length;
  }
  const bearing = Object.hasOwn(POLES, behind) ? matchAt(BEARING, text, at) : null;
  if (bearing) {
    out.say(`${count(bearing[1]!, 'degree', 'degrees')} ${POLES[bearing[2]!]}`, at, at + bearing[0].length);
    return at + bearing[0].length;
  }
  const feet = mark === "'" ? matchAt(FEET, text, at) : null;
  if (feet && !(scan.quotedSingle && !feet[2])) {
    const tall = isHeight(scan, at + feet[0].length);
    const words = tall
      ? `${cardinal(feet[1]!)} foot${feet[2] ? ` ${cardinal(feet[2])}` : ''}`
      : count(feet[1]!, 'foot', 'feet') + (feet[2] ? ` ${count(feet[2], 'inch', 'inches')}` : '');
    out.say(words, at, at + feet[0].length);
    return at + feet[0].length;
  }
  const inches = scan.quoted || mark !== '"' ? null : matchAt(INCHES, text, at);
  if (!inches) return at;
  end = at + inches[0].length;
  const noun =
    /^ [a-z]/.test(text.slice(end, end + 2)) &&
    !/^(?:and|or|by|x|wide|tall|long|high|deep|thick|in|of|is|was|to)$/.test(scan.nextWord(end));
  scan.remember(inches[0]);
  out.say(`${amount(inches[1]!)} ${noun || Number(inches[1]) === 1 ? 'inch' : 'inches'}`, at, end);
  return end;
}

export const ordinalRule: Rule = {
  name: 'ordinal',
  begins: { digits: { next: /[snrtSNRT,]/ } },
  apply: ordinalNumber,
};

export const scientificRule: Rule = {
  name: 'power of ten',
  begins: { digits: { next: /[eE]/, point: /[eE]/ } },
  apply: scientific,
};

export const dimensionsRule: Rule = {
  name: 'dimensions',
  begins: { digits: { next: /[x×]/, point: /[x× ]/, space: /[x×]/ } },
  apply: dimensions,
};

export const resolutionRule: Rule = {
  name: 'resolution',
  begins: { digits: { next: /[pi]/ } },
  apply: resolution,
};

export const feetAndInchesRule: Rule = {
  name: 'feet, inches and arcs',
  begins: { digits: { next: /['"°]/, point: /['"°]/ } },
  apply: feetAndInches,
};
