/**
 * Telephone numbers and other digits in groups: read digit by digit, with a pause between the
 * groups.
 */

import type { Rule } from '../../normalize/rule.js';
import { isDigit, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { STATE_ENDS } from '../places.js';
import { cardinal, digitByDigit } from './numbers.js';

const AMERICAN = /(?:(\+?1)[-. ]?)?(?:\((\d{3})\)[ -]?|(\d{3})[-. ])(\d{3})[-. ](\d{4})(?![\d-])/y;
const LOCAL = /(\d{3})[-.](\d{4})(?![\d-]|\.\d)/y;
const ABROAD = /\+\d{1,3}(?:[-. ]?\(?\d{1,5}\)?){2,6}(?!\d)/y;
const VANITY = /1-(8\d\d)-([A-Z0-9]{2,9}(?:-[A-Z0-9]{2,9})?)(?![A-Za-z0-9])/y;
const GROUPED = /\d{1,9}(?:-\d{1,9}){2,9}(?:-[\dXx])?(?![\dA-Za-z-])/y;
const CARD = /\d{4}(?: \d{4}){3}(?!\d)/y;
const EXTENSION = /,? ?(?:x|ext\.?|extension) ?(\d{1,6})(?![\dA-Za-z])/iy;
const ZIP = /(\d{5})(?:-(\d{4}))?(?![\dA-Za-z-]|,\d|\.\d)/y;
const LONGEST_GROUP = 10;
const BRITISH = /(?:\(0\d{2,4}\)|0\d{2,4}) \d{3,4} \d{3,4}(?![\d-])|0\d{4} \d{5,6}(?![\d-])/y;
/** "01 23 45 67 89". */
const PAIRED = /0\d(?: \d\d){4}(?! ?\d)/y;
const CONTEXT = /^(?:call|calls|phone|tel|telephone|number|dial|text|fax|cell|mobile|at|contact)$/i;

/** Groups of digits; a toll-free prefix keeps its hundred. */
function groups(parts: readonly string[]): string {
  return parts
    .map((part) => (/^[89]00$/.test(part) ? `${cardinal(part[0]!)} hundred` : digitByDigit(part, 'oh')))
    .join(', ');
}

function finish(scan: Scan, at: number, end: number, parts: readonly string[]): number {
  const extension = matchAt(EXTENSION, scan.text, end);
  scan.out.say(groups(parts), at, end);
  if (!extension) return end;
  scan.out.mark(',', end, end);
  scan.out.say(`extension ${digitByDigit(extension[1]!, 'oh')}`, end, end + extension[0].length);
  return end + extension[0].length;
}

/** Where the digits at `at` end, looking no further than one group can be long. */
function digitsEnd(text: string, at: number, most: number): number {
  let end = at;
  while (end < at + most && isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** Whether a one that ends at `end` stands before an area code. */
function leadsArea(text: string, end: number, digits: number): boolean {
  if (digits !== 1) return false;
  const begin = '-. '.includes(text.charAt(end) || '0') ? end + 1 : end;
  return text[begin] === '(' || digitsEnd(text, begin, 3) === begin + 3;
}

function phoneNumber(scan: Scan, at: number): number {
  const { text } = scan;
  const code = text.charCodeAt(at);
  const digit = isDigit(code);
  // A bracket or a plus begins a number only where a digit follows.
  if (!digit && !isDigit(text.charCodeAt(at + 1))) return at;
  if (!scan.atBoundary(at) || (at > 0 && '-./,'.includes(text[at - 1]!))) return at;
  const end = digitsEnd(text, at, LONGEST_GROUP);
  // The area code, or a one before it.
  const area = !digit || end - at === 3 || (code === 49 /* 1 */ && (end - at === 4 || leadsArea(text, end, end - at)));
  const american = area ? matchAt(AMERICAN, text, at) : null;
  if (american) {
    const [whole, country, inner, outer, three, four] = american as unknown as [
      string,
      string?,
      string?,
      string?,
      string?,
      string?,
    ];
    const lead = country ? ['1'] : [];
    if (country?.startsWith('+')) scan.out.say('plus', at, at + 1);
    return finish(scan, at, at + whole.length, [...lead, inner ?? outer!, three!, four!]);
  }
  const abroad = code === 43 /* + */ ? matchAt(ABROAD, text, at) : null;
  if (abroad && abroad[0].replace(/\D/g, '').length >= 8 && /[-. (]/.test(abroad[0])) {
    const whole = abroad[0].trimEnd();
    scan.out.say('plus', at, at + 1);
    return finish(scan, at, at + whole.length, whole.match(/\d+/g)!);
  }
  const national = code === 48 /* 0 */ || !digit ? (matchAt(BRITISH, text, at) ?? matchAt(PAIRED, text, at)) : null;
  if (national) return finish(scan, at, at + national[0].length, national[0].match(/\d+/g)!);
  if (!digit) return at;
  const dashed = text.charCodeAt(end) === 45; /* - */
  const vanity = dashed ? matchAt(VANITY, text, at) : null;
  if (vanity && /[A-Z]{3}/.test(vanity[2]!)) {
    const name = vanity[2]!
      .replace(/\d+/g, (digits) => ` ${digitByDigit(digits)} `)
      .replaceAll('-', ' ')
      .toLowerCase()
      .trim();
    scan.out.say(`one ${groups([vanity[1]!])} ${name.replace(/\s+/g, ' ')}`, at, at + vanity[0].length);
    return at + vanity[0].length;
  }
  const card = dashed ? matchAt(GROUPED, text, at) : end - at === 4 ? matchAt(CARD, text, at) : null;
  if (card) {
    const parts = card[0].split(/[ -]/);
    if (parts.length === 3 && parts.every((part) => part.length < 3)) {
      scan.out.say(parts.map((part) => cardinal(part)).join(', '), at, at + card[0].length);
      return at + card[0].length;
    }
    return finish(
      scan,
      at,
      at + card[0].length,
      parts.map((part) => part.replace(/x/i, 'X')),
    );
  }
  const local = end - at === 3 ? matchAt(LOCAL, text, at) : null;
  if (
    local &&
    (local[1] === '555' ||
      CONTEXT.test(scan.previous) ||
      (text[at + 3] === '-' && !local[2]!.endsWith('0') && !/^(?:1[5-9]|20)\d\d$/.test(local[2]!)))
  ) {
    return finish(scan, at, at + local[0].length, [local[1]!, local[2]!]);
  }
  return at;
}

/** The code behind a state: "CA 90210". */
function zipCode(scan: Scan, at: number): number {
  const { previous } = scan;
  const behindState =
    STATE_ENDS.has(previous) &&
    !/^ (?!is |was |has )(?:people|men|women|[a-z]+s)\b/.test(scan.text.slice(at + 5, at + 20));
  if (!behindState && (previous.length > 4 || !/^(?:[A-Z]{2}|zip|code)$/.test(previous))) return at;
  if (scan.text[at - 1] !== ' ') return at;
  const match = matchAt(ZIP, scan.text, at);
  if (!match) return at;
  const end = at + match[0].length;
  scan.out.say(groups(match[2] ? [match[1]!, match[2]] : [match[1]!]), at, end);
  return end;
}

export const phoneNumberRule: Rule = {
  name: 'telephone number',
  begins: { signs: '(+', digits: { next: /[-(]/, space: /[\d(]/, point: /[\s\S]/ } },
  apply: phoneNumber,
};

export const zipCodeRule: Rule = {
  name: 'ZIP code',
  begins: { digits: { next: /[^\dA-Za-z]/, space: /[\s\S]/, stop: /[\s\S]/ } },
  apply: zipCode,
};
