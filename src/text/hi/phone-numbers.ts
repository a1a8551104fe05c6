/** Telephone numbers, said digit by digit in their groups. */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { digitByDigit } from './numbers.js';

const MOBILE = /([6-9]\d{4})[ -]?(\d{5})(?!\d)/y;
const ABROAD = /\+(\d{1,3})[ -]?(\d{2,5})[ -]?(\d{3,5})[ -]?(\d{3,5})?(?!\d)/y;
const LANDLINE = /0\d{2,4}[ -]\d{6,8}(?!\d)/y;
const FREE = /1[89]00[ -]\d{2,4}(?:[ -]\d{3,5})?(?!\d)/y;

/** The groups of a number, each digit by its name, with a rest between two. */
export const groupsInWords = (groups: readonly string[]): string => groups.map(digitByDigit).join(', ');

function phone(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at)) return at;
  const abroad = text[at] === '+' ? matchAt(ABROAD, text, at) : null;
  const mobile = abroad ? null : matchAt(MOBILE, text, at);
  const match = abroad ?? mobile ?? matchAt(LANDLINE, text, at) ?? matchAt(FREE, text, at);
  if (!match) return at;
  const groups =
    (abroad ?? mobile)?.slice(1).filter((group): group is string => group !== undefined) ?? match[0].split(/[ -]/);
  out.say(`${abroad ? 'प्लस ' : ''}${groupsInWords(groups)}`, at, at + match[0].length);
  return at + match[0].length;
}

export const phoneNumberRule: Rule = {
  name: 'telephone number',
  begins: { signs: '+', digits: 'any digits' },
  apply: phone,
};
