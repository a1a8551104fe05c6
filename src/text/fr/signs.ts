/**
 * Signs that French says in words, and quotation marks with their spaces.
 */
import type { Rule } from '../normalize/rule.js';
import { isDigit } from '../normalize/scan.js';
import { partingRule } from '../normalize/sign-rules.js';
import { fraction } from './numbers.js';

const SIGNS: Readonly<Record<string, string>> = {
  '+': 'plus',
  '−': 'moins',
  '±': 'plus ou moins',
  '×': 'fois',
  '÷': 'divisé par',
  '=': 'égale',
  '≠': 'différent de',
  '<': 'inférieur à',
  '>': 'supérieur à',
  '≤': 'inférieur ou égal à',
  '≥': 'supérieur ou égal à',
  '≈': 'environ',
  '&': 'et',
  '%': 'pour cent',
  '‰': 'pour mille',
  '§': 'paragraphe',
  '©': 'copyright',
  '®': '',
  '™': '',
  '°': 'degrés',
  '²': 'au carré',
  '³': 'au cube',
  '√': 'racine carrée de',
  '∞': "l'infini",
  π: 'pi',
  Δ: 'delta',
  Ω: 'oméga',
  α: 'alpha',
  β: 'bêta',
  γ: 'gamma',
  λ: 'lambda',
  '→': 'vers',
  '€': 'euros',
  $: 'dollars',
  '£': 'livres',
  '¥': 'yens',
  '₹': 'roupies',
  '#': 'dièse',
  '@': 'arobase',
  '*': 'étoile',
  '^': 'puissance',
  '~': 'environ',
  '\\': 'barre oblique inverse',
};
const FRACTIONS: Readonly<Record<string, readonly [string, string]>> = {
  '½': ['1', '2'],
  '⅓': ['1', '3'],
  '⅔': ['2', '3'],
  '¼': ['1', '4'],
  '¾': ['3', '4'],
  '⅛': ['1', '8'],
  '⅜': ['3', '8'],
};
const FRACTION_SIGNS = Object.keys(FRACTIONS).join('');

export const isSpokenSign = (sign: string): boolean =>
  Object.hasOwn(SIGNS, sign) || Object.hasOwn(FRACTIONS, sign) || sign === '·';
export const signWords = (sign: string): string | undefined => (Object.hasOwn(SIGNS, sign) ? SIGNS[sign] : undefined);

/** "½ litre", and behind a number "2½": "deux et demi". */
export const fractionSignRule: Rule = {
  name: 'sign of a fraction',
  begins: { signs: FRACTION_SIGNS },
  apply(scan, at) {
    const [top, bottom] = FRACTIONS[scan.text[at]!]!;
    const behind = isDigit(scan.text.charCodeAt(at - 1));
    const words = fraction(top, bottom)!;
    scan.out.say(
      behind ? `et ${words.replace(/^un (?=demi|quart)/, (one) => (bottom === '2' ? '' : one))}` : words,
      at,
      at + 1,
    );
    return at + 1;
  },
};

/** « and » stand apart from what they enclose: the first opens, the next closes. */
export const quoteRule: Rule = {
  name: 'guillemets',
  begins: { signs: '"' },
  apply(scan, at) {
    const { text, out } = scan;
    if (scan.quoted) out.close('"', at, at + 1);
    else if (at + 1 === text.length) return at + 1;
    else out.open('"', at, at + 1);
    scan.quoted = !scan.quoted;
    return scan.quoted && text[at + 1] === ' ' ? at + 2 : at + 1;
  },
};

/** A line between words: "et/ou" has none to say, "km/h" was read before. */
export const slashRule: Rule = {
  name: 'slash',
  begins: { signs: '/' },
  apply(scan, at) {
    const { text, out } = scan;
    const spaced = text[at - 1] === ' ' && text[at + 1] === ' ' ? 1 : 0;
    const [before, next] = [text.charCodeAt(at - 1 - spaced), text.charCodeAt(at + 1 + spaced)];
    if (isDigit(before) && isDigit(next)) out.say('sur', at, at + 1);
    else out.space(at, at + 1);
    return at + 1;
  },
};

/** A dash between two numbers is "à"; elsewhere the marks' own rule reads it. */
export const spanRule: Rule = {
  name: 'dash between numbers',
  begins: { signs: '–-' },
  apply(scan, at) {
    const { text, out } = scan;
    if (!isDigit(text.charCodeAt(at - 1)) || !isDigit(text.charCodeAt(at + 1))) return at;
    if (text[at] === '–') out.say('à', at, at + 1);
    else out.space(at, at + 1);
    return at + 1;
  },
};

/** "1)" and "*": what stands for no word at the head of a line, and "x ^ 2". */
export const signRule: Rule = {
  name: 'sign',
  begins: { signs: Object.keys(SIGNS).join('') },
  apply(scan, at) {
    const sign = scan.text[at]!;
    const words = SIGNS[sign]!;
    if (words === '') scan.out.skip('symbol', 1);
    else if (sign === '#' && isDigit(scan.text.charCodeAt(at + 1))) scan.out.say('numéro', at, at + 1);
    else scan.out.say(words, at, at + 1);
    return at + 1;
  },
};

/** A raised dot between the forms of a word: "tous·tes". */
export const raisedDotRule = partingRule('raised dot', '·');
