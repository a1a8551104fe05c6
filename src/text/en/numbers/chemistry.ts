/** Formulas of chemistry. */

import type { Rule } from '../../normalize/rule.js';
import { isLetter, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { cardinal } from './numbers.js';

const FORMULA =
  /(?:[A-Z][a-z]?[\d₀-₉]{0,3}|\([A-Z][A-Za-z\d₀-₉]{0,8}\)[\d₀-₉]{1,2}){2,12}(?![A-Za-z\d])|(?:[A-Z][a-z]?[₀-₉\d]{1,2})(?![A-Za-z\d])|[A-Z][a-z](?=[⁺⁻²³]+)/y;
const ELEMENTS = new Set(
  (
    'H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Ag Cd In Sn Sb Te I Xe Cs Ba ' +
    'W Pt Au Hg Pb Bi U Pu'
  ).split(' '),
);

/** Formulas of chemistry: letters and numbers one by one, "C A C O three". */
function formula(scan: Scan, at: number): number {
  const { text } = scan;
  if (!scan.atBoundary(at)) return at;
  const match = matchAt(FORMULA, text, at);
  if (!match) return at;
  const whole = match[0];
  const symbols = whole.match(/[A-Z][a-z]?/g)!;
  const behind = text.charCodeAt(at + whole.length);
  const numbered = /[\d₀-₉]/.test(whole) || (behind > 0xb1 && !isLetter(behind));
  if (!numbered || !symbols.every((symbol) => ELEMENTS.has(symbol))) return at;
  // Without a lowered digit one element and a number is as well a name: "F1", "In2".
  if (symbols.length === 1 && !/[₀-₉]/.test(whole) && !/^(?:O2|O3|N2|H2|Cl2|F2)$/.test(whole) && /\d/.test(whole))
    return at;
  for (const part of whole.matchAll(/[A-Z][a-z]?|[\d₀-₉]+/g)) {
    const begin = at + part.index;
    const digits = part[0].replace(/[₀-₉]/g, (low) => String(low.charCodeAt(0) - 0x2080));
    scan.out.say(
      /\d/.test(digits) ? cardinal(digits) : [...part[0].toUpperCase()].join(' '),
      begin,
      begin + part[0].length,
    );
  }
  scan.remember(whole);
  return at + whole.length;
}

export const formulaRule: Rule = {
  name: 'chemical formula',
  begins: { words: { first: /[A-Z]/, behind: /[\d(\u0080-\uffff]/ } },
  apply: formula,
};
