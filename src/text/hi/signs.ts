/** Signs that Hindi says in words. */
import type { Rule } from '../normalize/rule.js';
import { partingRule } from '../normalize/sign-rules.js';
import { fraction } from './numbers.js';

const SIGNS: Readonly<Record<string, string>> = {
  '+': 'प्लस',
  '−': 'माइनस',
  '±': 'प्लस माइनस',
  '×': 'गुणा',
  '÷': 'भाग',
  '=': 'बराबर',
  '≠': 'बराबर नहीं',
  '<': 'से कम',
  '>': 'से अधिक',
  '≤': 'से कम या बराबर',
  '≥': 'से अधिक या बराबर',
  '≈': 'लगभग',
  '~': 'लगभग',
  '&': 'और',
  '%': 'प्रतिशत',
  '§': 'धारा',
  '©': 'कॉपीराइट',
  '®': '',
  '™': '',
  '°': 'डिग्री',
  '²': 'का वर्ग',
  '³': 'का घन',
  '√': 'वर्गमूल',
  '∞': 'अनंत',
  π: 'पाई',
  α: 'अल्फ़ा',
  β: 'बीटा',
  γ: 'गामा',
  Δ: 'डेल्टा',
  '→': 'से',
  '₹': 'रुपये',
  '€': 'यूरो',
  $: 'डॉलर',
  '£': 'पाउंड',
  '¥': 'येन',
  '#': 'हैश',
  '@': 'ऐट',
  '*': 'तारा',
  '^': 'घात',
};
const FRACTIONS: Readonly<Record<string, readonly [string, string]>> = {
  '½': ['1', '2'],
  '⅓': ['1', '3'],
  '⅔': ['2', '3'],
  '¼': ['1', '4'],
  '¾': ['3', '4'],
};

export const isSpokenSign = (sign: string): boolean => Object.hasOwn(SIGNS, sign) || Object.hasOwn(FRACTIONS, sign);
export const signWords = (sign: string): string | undefined => (Object.hasOwn(SIGNS, sign) ? SIGNS[sign] : undefined);

export const signRule: Rule = {
  name: 'sign',
  begins: { signs: Object.keys(SIGNS).join('') },
  apply(scan, at) {
    const words = SIGNS[scan.text[at]!]!;
    if (words === '') scan.out.skip('symbol', 1);
    else scan.out.say(words, at, at + 1);
    return at + 1;
  },
};

export const fractionSignRule: Rule = {
  name: 'sign of a fraction',
  begins: { signs: Object.keys(FRACTIONS).join('') },
  apply(scan, at) {
    const [top, bottom] = FRACTIONS[scan.text[at]!]!;
    scan.out.say(fraction(top, bottom), at, at + 1);
    return at + 1;
  },
};

export const slashRule = partingRule('slash', '/');
