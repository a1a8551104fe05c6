/** Which rules are asked, and in which order: the more particular ones first. */
import { sign } from './punctuation.js';
import { quantity, slashed } from './quantities.js';
import { isDigit, isLetter, type Rule, type Scan } from './scan.js';
import { word } from './words.js';

const BEFORE_DIGITS: readonly Rule[] = [slashed, quantity];
const BEFORE_LETTERS: readonly Rule[] = [];
const BEFORE_SIGNS: readonly Rule[] = [quantity];

export function readAll(scan: Scan): void {
  const { text } = scan;
  let at = 0;
  while (at < text.length) at = readOne(scan, at);
}

function readOne(scan: Scan, at: number): number {
  const code = scan.text.charCodeAt(at);
  const digit = isDigit(code);
  const letter = isLetter(code);
  for (const rule of digit ? BEFORE_DIGITS : letter ? BEFORE_LETTERS : code === 32 ? [] : BEFORE_SIGNS) {
    const end = rule(scan, at);
    if (end > at) return end;
  }
  return letter ? word(scan, at) : sign(scan, at);
}
