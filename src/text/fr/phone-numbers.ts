/** Telephone numbers, said two digits at a time. */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { cardinal } from './numbers.js';

const NATIONAL = /0[1-9](?:([ .-])\d{2}(?:\1\d{2}){3}|\d{8})(?![\d]|[ .-]\d)/y;
const INTERNATIONAL = /\+(\d{1,3}) ?(?:\(0\))? ?(\d(?:[ .-]?\d{2}){4}|\d{1,4}(?:[ .-]?\d{2,4}){2,4})(?!\d)/y;
const FREE = /0 8\d{2} \d{3} \d{3}(?!\d)/y;

const pairsOf = (digits: string): string[] => digits.match(/\d{2}/g) ?? [];

/** The groups of a number in words, "zéro un, vingt-trois". */
export const groupsInWords = (groups: readonly string[]): string => groups.map((group) => cardinal(group)).join(', ');

function phone(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at)) return at;
  const abroad = text[at] === '+' ? matchAt(INTERNATIONAL, text, at) : null;
  if (abroad) {
    const digits = abroad[2]!.replace(/\D/g, '');
    const groups = digits.length % 2 === 1 ? [digits[0]!, ...pairsOf(digits.slice(1))] : pairsOf(digits);
    out.say(`plus ${groupsInWords([abroad[1]!, ...groups])}`, at, at + abroad[0].length);
    return at + abroad[0].length;
  }
  const match = text[at] === '0' ? (matchAt(NATIONAL, text, at) ?? matchAt(FREE, text, at)) : null;
  if (!match) return at;
  const digits = match[0].replace(/\D/g, '');
  const free = match[0].startsWith('0 8');
  const groups = free ? [`0${digits.slice(1, 4)}`, digits.slice(4, 7), digits.slice(7)] : pairsOf(digits);
  out.say(groupsInWords(groups), at, at + match[0].length);
  return at + match[0].length;
}

export const phoneNumberRule: Rule = {
  name: 'telephone number',
  begins: { signs: '+', digits: 'any digits' },
  apply: phone,
};
