/** Ordinals, fractions and Roman numerals: "21वीं सदी", "1/3", "जॉर्ज V". */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { cardinal, fraction, ordinal, ruler } from './numbers.js';

const ORDINAL = /(\d{1,6})-?(?:(व|ल|र|थ|ठ)(ाँ|ां|ा|ें|े|ीं|ी)|(?:st|nd|rd|th))(?![A-Za-z\u0900-\u0963])/y;
const FRACTION = /(\d{1,4})\/(\d{1,4})(?![\d/])/y;
const ROMAN = /[IVX]{1,6}(?![A-Za-z0-9.'-])/y;
const VALID = /^X{0,3}(?:IX|IV|V?I{0,3})$/;
const VALUES: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10 };
/** Nouns behind which a numeral counts. */
const COUNTED = /^(?:भाग|अध्याय|कक्षा|खंड|खण्ड|चरण|टाइप|अनुसूची|अनुच्छेद|वर्ग|स्तर|ग्रेड|प्रकार|सूची|समूह|श्रेणी|सेमेस्टर)$/;
const RULERS = /^(?:जॉर्ज|चार्ल्स|एडवर्ड|हेनरी|विलियम|लुई|पोप|फ़िलिप|फिलिप|जेम्स|निकोलस|पीटर)$/;

function digits(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at)) return at;
  const match = matchAt(ORDINAL, text, at);
  if (match) {
    const vowel = match[3] ?? 'ा';
    out.say(
      ordinal(match[1]!, vowel.startsWith('ी') ? 'feminine' : vowel.startsWith('े') ? 'oblique' : 'masculine'),
      at,
      at + match[0].length,
    );
    scan.remember(match[0]);
    return at + match[0].length;
  }
  const parts = matchAt(FRACTION, text, at);
  if (!parts) return at;
  out.say(parts[0] === '24/7' ? 'चौबीस सात' : fraction(parts[1]!, parts[2]!), at, at + parts[0].length);
  return at + parts[0].length;
}

function romanValue(numeral: string): number | undefined {
  if (!VALID.test(numeral)) return undefined;
  let sum = 0;
  for (const [i, letter] of [...numeral].entries()) {
    const value = VALUES[letter]!;
    sum += value < (VALUES[numeral[i + 1] ?? ''] ?? 0) ? -value : value;
  }
  return sum;
}

function roman(scan: Scan, at: number): number {
  const match = scan.atBoundary(at) ? matchAt(ROMAN, scan.text, at) : null;
  const value = match ? romanValue(match[0]) : undefined;
  if (!match || value === undefined) return at;
  const previous = scan.previous.normalize('NFC');
  const counted = COUNTED.test(previous);
  const named = /^[\u0900-\u0963]/.test(previous) && (match[0].length > 1 || RULERS.test(previous));
  if (!counted && !named) return at;
  scan.out.say(counted ? cardinal(value) : ruler(value), at, at + match[0].length);
  scan.remember(match[0]);
  return at + match[0].length;
}

export const ordinalRule: Rule = {
  name: 'ordinal or fraction',
  begins: { digits: { next: /[वलरथठsnrt/-]/ } },
  apply: digits,
};

export const romanNumeralRule: Rule = {
  name: 'Roman numeral',
  begins: { words: { first: /[IVX]/ } },
  apply: roman,
};
