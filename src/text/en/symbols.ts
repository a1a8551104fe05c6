/** Signs of mathematics, trade and typography, and how they are said. */

/** Names of the Greek letters, for the ones that stand alone. */
export const GREEK_NAMES: ReadonlyMap<string, string> = new Map(
  [...'αβγδεζηθικλμνξοπρστυφχψω'].map((letter, i) => [
    letter,
    (
      'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi ' +
      'chi psi omega'
    ).split(' ')[i]!,
  ]),
);

/** Said as they stand, wherever they stand. An empty reading is silent. */
const SIGNS: Readonly<Record<string, string>> = {
  '×': 'times',
  '÷': 'divided by',
  '−': 'minus',
  '±': 'plus or minus',
  '∓': 'minus or plus',
  '≠': 'is not equal to',
  '≤': 'is less than or equal to',
  '≥': 'is greater than or equal to',
  '≪': 'is much less than',
  '≫': 'is much greater than',
  '≈': 'is approximately',
  '≅': 'is congruent to',
  '≡': 'is identical to',
  '≃': 'is about',
  '∼': 'is similar to',
  '∝': 'is proportional to',
  '√': 'the square root of',
  '∛': 'the cube root of',
  '∜': 'the fourth root of',
  '∞': 'infinity',
  '∑': 'the sum of',
  '∏': 'the product of',
  '∫': 'the integral of',
  '∮': 'the contour integral of',
  '∂': 'partial',
  '∇': 'nabla',
  '∈': 'is in',
  '∉': 'is not in',
  '∋': 'contains',
  '⊂': 'is a subset of',
  '⊆': 'is a subset of',
  '⊃': 'is a superset of',
  '⊇': 'is a superset of',
  '∪': 'union',
  '∩': 'intersection',
  '∖': 'minus',
  '∅': 'the empty set',
  '∀': 'for all',
  '∃': 'there exists',
  '∄': 'there is no',
  '¬': 'not',
  '∧': 'and',
  '∨': 'or',
  '⊕': 'x or',
  '⊗': 'tensor',
  '∠': 'angle',
  '⊥': 'is perpendicular to',
  '∥': 'is parallel to',
  '∴': 'therefore',
  '∵': 'because',
  '∘': 'of',
  '·': 'times',
  '⇒': 'implies',
  '⇐': 'is implied by',
  '⇔': 'if and only if',
  '→': 'to',
  '←': 'from',
  '↔': 'to and from',
  '↑': 'up',
  '↓': 'down',
  '↗': 'up',
  '↘': 'down',
  ℝ: 'the real numbers',
  ℕ: 'the natural numbers',
  ℤ: 'the integers',
  ℚ: 'the rational numbers',
  ℂ: 'the complex numbers',
  '°': 'degrees',
  '‰': 'per thousand',
  '‱': 'per ten thousand',
  '§': 'section',
  '¶': 'paragraph',
  '©': 'copyright',
  '®': '',
  '™': '',
  '℠': '',
  '†': '',
  '‡': '',
  '℅': 'care of',
  '№': 'number',
  ℮: 'estimated',
  '♯': 'sharp',
  '♭': 'flat',
  '♮': 'natural',
  '𝄪': 'double sharp',
  '𝄫': 'double flat',
  '✓': '',
  '✗': '',
  '❤': '',
  '★': '',
  '☆': '',
  '•': '',
  '¢': 'cents',
  '£': 'pounds',
  '€': 'euros',
  '¥': 'yen',
  '₹': 'rupees',
  '₽': 'rubles',
  '₩': 'won',
  '₺': 'lira',
  '₪': 'shekels',
  '₫': 'dong',
  '₦': 'naira',
  '₱': 'pesos',
  '₴': 'hrivnias',
  '₿': 'bitcoin',
  '฿': 'baht',
  '⅍': 'aktieselskab',
  '⌘': 'command',
  '⌥': 'option',
  '⇧': 'shift',
  '⌃': 'control',
  '⎋': 'escape',
  '⏎': 'return',
  '⌫': 'delete',
  '⇥': 'tab',
  '♀': 'female',
  '♂': 'male',
  '–': '',
  '—': '',
  '…': '',
};

const FRACTIONS: Readonly<Record<string, readonly [number, number]>> = {
  '½': [1, 2],
  '⅓': [1, 3],
  '⅔': [2, 3],
  '¼': [1, 4],
  '¾': [3, 4],
  '⅕': [1, 5],
  '⅖': [2, 5],
  '⅗': [3, 5],
  '⅘': [4, 5],
  '⅙': [1, 6],
  '⅚': [5, 6],
  '⅐': [1, 7],
  '⅛': [1, 8],
  '⅜': [3, 8],
  '⅝': [5, 8],
  '⅞': [7, 8],
  '⅑': [1, 9],
  '⅒': [1, 10],
};

/** Raised and lowered digits, kept apart from plain ones because they are said otherwise. */
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ';
const LOWERED = '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎';
const PLAIN = '0123456789+-=()ni';

export const FRACTION_SIGNS = Object.keys(FRACTIONS).join('');
export const RAISED_SIGNS = RAISED;
export const LOWERED_SIGNS = LOWERED;

export function unraise(text: string): string {
  let plain = '';
  for (const char of text) plain += PLAIN[Math.max(RAISED.indexOf(char), LOWERED.indexOf(char))] ?? char;
  return plain;
}

export function fractionOf(sign: string): readonly [number, number] | undefined {
  return Object.hasOwn(FRACTIONS, sign) ? FRACTIONS[sign] : undefined;
}

const SIGN_WORDS: ReadonlyMap<string, string> = new Map([
  ...[...GREEK_NAMES].flatMap(([letter, name]) => [[letter, name] as const, [letter.toUpperCase(), name] as const]),
  ['ϴ', 'theta'],
  ['\u2126', 'omega'],
  ['µ', 'mu'],
  ...Object.entries(SIGNS),
]);

/** How a sign is said, "" where it is silent, undefined where it is unknown. */
export function signWords(sign: string): string | undefined {
  return SIGN_WORDS.get(sign);
}

/** Whether the second pass knows what to do with the sign. */
export function isSpokenSign(char: string): boolean {
  return (
    signWords(char) !== undefined || fractionOf(char) !== undefined || RAISED.includes(char) || LOWERED.includes(char)
  );
}
