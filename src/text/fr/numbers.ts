/**
 * Numbers in French words: cardinals with their gender and plural, ordinals, decimals, fractions.
 */
import { toCardinal } from 'n2words/fr-FR';

/** Longer rows of digits have no name anybody knows. */
const MOST_NAMED_DIGITS = 36;

/**
 * "vingt et une", "quatre-vingts", and "quatre-vingt" where a number is a name and not an amount:
 * years, pages.
 */
interface Form {
  readonly feminine?: boolean;
  /** Without the plural of "cents" and "quatre-vingts". */
  readonly bare?: boolean;
}

const plainDigits = (written: string): string => written.replace(/\D/g, '');

export const digitByDigit = (digits: string): string =>
  [...plainDigits(digits)].map((digit) => toCardinal(Number(digit))).join(' ');

/** A whole number. Zeros before it are said: "0042" is "zéro zéro quarante-deux". */
export function cardinal(written: string | number, { feminine, bare }: Form = {}): string {
  const digits = plainDigits(String(written));
  if (digits.length > MOST_NAMED_DIGITS) return digitByDigit(digits);
  const zeros = digits.length - digits.replace(/^0+(?=\d)/, '').length;
  let words = toCardinal(BigInt(digits));
  if (feminine) words = words.replace(/(^|[ -])un$/, '$1une');
  if (bare) words = words.replace(/(cent|vingt)s$/, '$1');
  return 'zéro '.repeat(zeros) + words;
}

/** Decimals are said as a number while they are short, digit by digit beyond. */
function decimals(digits: string): string {
  return digits.length > 3 ? digitByDigit(digits) : cardinal(digits);
}

/** "trois virgule quatorze". */
export function amount(whole: string, fraction = '', form: Form = {}): string {
  return fraction === '' ? cardinal(whole, form) : `${cardinal(whole)} virgule ${decimals(fraction)}`;
}

/** "vingt et unième", "quatre-vingtième"; the first one has a gender. */
export function ordinal(written: string | number, { feminine }: Form = {}): string {
  const digits = plainDigits(String(written)).replace(/^0+(?=\d)/, '');
  if (digits === '1') return feminine ? 'première' : 'premier';
  const words = cardinal(digits, { bare: true });
  if (words.endsWith('cinq')) return `${words}uième`;
  if (words.endsWith('neuf')) return `${words.slice(0, -1)}vième`;
  return `${words.replace(/(?:e|(?<=llion|lliard)s)$/, '')}ième`;
}

const PARTS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  2: ['demi', 'demis'],
  3: ['tiers', 'tiers'],
  4: ['quart', 'quarts'],
};

/** "deux tiers", "cinq huitièmes"; undefined where a line between two numbers is no fraction. */
export function fraction(top: string, bottom: string): string | undefined {
  const below = Number(bottom);
  const one = Number(top) === 1;
  if (below < 2 || Number(top) === 0) return undefined;
  const known = PARTS[String(below)];
  if (known) return `${cardinal(top)} ${one ? known[0] : known[1]}`;
  if (!one && below > 9) return undefined;
  return `${cardinal(top)} ${ordinal(bottom)}${one ? '' : 's'}`;
}
