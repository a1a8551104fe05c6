/** Numbers in Hindi words, counted in hazār, lākh, karoṛ; years, ordinals, decimals, fractions. */
import { toCardinal } from 'n2words/hi-IN';

const MOST_NAMED_DIGITS = 17;

const plainDigits = (written: string): string => written.replace(/\D/g, '');

export const digitByDigit = (written: string): string =>
  [...plainDigits(written)].map((digit) => toCardinal(Number(digit))).join(' ');

/** A whole number; one with a zero before it is an identifier, said digit by digit. */
export function cardinal(written: string | number): string {
  const digits = plainDigits(String(written));
  if (digits.length > MOST_NAMED_DIGITS || /^0\d/.test(digits)) return digitByDigit(digits);
  if (digits === '100') return 'सौ';
  return toCardinal(BigInt(digits)).replace('तेतालीस', 'तैंतालीस');
}

/** "उन्नीस सौ सैंतालीस": years of the second millennium are counted in hundreds. */
export function year(digits: string): string {
  const value = Number(digits);
  if (digits.length !== 4 || value < 1100 || value > 1999) return cardinal(String(value));
  const rest = value % 100;
  return `${cardinal(Math.floor(value / 100))} सौ${rest === 0 ? '' : ` ${cardinal(rest)}`}`;
}

/** "तीन दशमलव एक चार". */
export const amount = (whole: string, fraction = ''): string =>
  fraction === '' ? cardinal(whole) : `${cardinal(whole)} दशमलव ${digitByDigit(fraction)}`;

type Gender = 'masculine' | 'feminine' | 'oblique';
const VOWELS: Readonly<Record<Gender, readonly [plain: string, nasal: string]>> = {
  masculine: ['ा', 'ाँ'],
  feminine: ['ी', 'ीं'],
  oblique: ['े', 'ें'],
};
const STEMS: Readonly<Record<string, string>> = { 1: 'पहल', 2: 'दूसर', 3: 'तीसर', 4: 'चौथ', 6: 'छठ' };

export function ordinal(value: string | number, gender: Gender = 'masculine'): string {
  const digits = String(Number(value));
  const [plain, nasal] = VOWELS[gender];
  return Object.hasOwn(STEMS, digits) ? STEMS[digits]! + plain : `${cardinal(digits)}व${nasal}`;
}

/** Of rulers: "द्वितीय", and beyond the tenth "चौदहवें". */
const SANSKRIT = 'प्रथम द्वितीय तृतीय चतुर्थ पंचम षष्ठम सप्तम अष्टम नवम दशम'.split(' ');
export const ruler = (value: number): string => SANSKRIT[value - 1] ?? ordinal(value, 'oblique');

const PARTS: Readonly<Record<string, string>> = { 3: 'तिहाई', 4: 'चौथाई' };

/** "दो तिहाई", "पाँच बटा आठ". */
export function fraction(top: string, bottom: string): string {
  if (top === '1' && bottom === '2') return 'आधा';
  const part = Object.hasOwn(PARTS, bottom) && Number(top) < Number(bottom) ? PARTS[bottom] : undefined;
  return `${cardinal(top)} ${part ?? `बटा ${cardinal(bottom)}`}`;
}

/** "डेढ़", "ढाई", "साढ़े तीन": a number and a half. */
export function andAHalf(whole: number): string {
  if (whole === 1) return 'डेढ़';
  return whole === 2 ? 'ढाई' : `साढ़े ${cardinal(whole)}`;
}
