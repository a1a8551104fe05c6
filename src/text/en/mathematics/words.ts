/** The words of single nodes, and what the letters of a node tell about those beside it. */
import { capitals, isPronounceable, spell } from '../acronyms.js';
import { ordinal } from '../numbers/numbers.js';
import { GREEK_NAMES } from '../symbols.js';
import { ACCENTS, greekName, NAMES, OPERATORS, otherSign } from './commands.js';
import { bare, isMinus, isSum, numberOf, only } from './forms.js';
import type { Node, Of, Row } from './nodes.js';

export const FENCES: Readonly<Record<string, string>> = {
  '|': 'the absolute value of',
  '‖': 'the norm of',
  '⌊': 'the floor of',
  '⌈': 'the ceiling of',
  '⟨': 'the expected value of',
  '\\{': 'the set',
};

export const isBar = (node: Node): boolean =>
  node.kind === 'symbol' && (node.text === '|' || node.text === 'mid' || node.text === ':');
export const isSign = (row: Row): boolean =>
  row.length === 1 && row[0]!.kind === 'symbol' && /^[-+]$/.test(row[0]!.text);
/** Brackets behind one of these are multiplied with it. */
export const isFactor = (node: Node): boolean =>
  /^(?:number|letter|fenced|script|fraction|root|accent)$/.test(node.kind) ||
  (node.kind === 'symbol' && greekName(node.text) !== undefined);

/** The letters of a node, for what depends on them. */
export function lettersOf(node: Node): string {
  if (node.kind === 'letter' || node.kind === 'set') return node.text;
  if (node.kind === 'group') return node.body.map(lettersOf).join('');
  return node.kind === 'symbol' ? (greekName(node.text) ?? '') : '';
}

/** "f(x)" is a function of x, "n(n+1)" a product. */
export function isFunctionOf(name: string, body: Row): boolean {
  if (/^(?:[fghFGHPOTENLIσφψΓζΦΨδ]|sigma|phi|psi|gamma|zeta|delta)$/.test(name)) return true;
  if (/^[a-z]{2,}$/.test(name)) return !/^(?:pi|alpha|beta|lambda)$/.test(name) && !isSum(body);
  return /^[p-zA-Zk]$/.test(name) && !isSum(body) && !(body.length === 1 && body[0]!.kind === 'number');
}

export function letterWords(letter: string): string {
  // As a word by itself it would be the article.
  if (letter === 'a' || letter === 'A') return 'eigh';
  const greek = GREEK_NAMES.get(letter.toLowerCase()) ?? (letter === 'ς' ? 'sigma' : undefined);
  return greek ?? letter;
}

export const wordOf = (word: string): string => (/^[A-Z]{2,}$/.test(word) ? (capitals(word) ?? word) : word);

/** Between vectors a dot and a cross are the products of vectors. */
export function operatorWords(row: Row, index: number): string {
  const node = row[index] as Of<'symbol'>;
  const words = OPERATORS.get(node.text)!;
  const isVector = (beside: Node | undefined) => beside?.kind === 'accent' && ACCENTS.get(beside.text) === 'vector';
  const vectors = isVector(bare(row[index - 1])) && isVector(bare(row[index + 1]));
  if (words !== 'times' || !(vectors || row[index - 1]?.kind === 'set')) return words;
  return /^(?:cdot|·)$/.test(node.text) ? 'dot' : 'cross';
}

/** What is unknown is read as a word, or by its letters. */
export function nameOf({ text, command }: Of<'symbol'>): string {
  const known = NAMES.get(text) ?? (command ? greekName(text) : otherSign(text));
  if (known !== undefined || !command) return known ?? '';
  return text.length > 2 && /[aeiou]/i.test(text) && isPronounceable(text) ? text : spell(text);
}

/** "(X^T X)": a product of capitals. */
const isMatrices = (base: Node): boolean =>
  base.kind === 'fenced' && base.body.every((node) => /^[A-Z]$/.test(lettersOf(bare(node) ?? node)));

/** The degrees of a scale of temperature: "25^\\circ C". */
export function scaleOf(node: Node, previous: Node | undefined): string | undefined {
  const degrees = previous?.kind === 'script' && previous.sup?.length === 1 ? bare(previous.sup[0]) : undefined;
  if (degrees?.kind !== 'symbol' || !/^(?:circ|degree|°)$/.test(degrees.text)) return undefined;
  return node.kind === 'letter' || node.kind === 'text' ? { C: 'Celsius', F: 'Fahrenheit' }[node.text] : undefined;
}

/** "f^{(n)}": how often it is derived. */
export function nthDerivative(base: Node, sup: Row): string | undefined {
  const fence = only(sup);
  if (base.kind !== 'letter' || fence?.kind !== 'fenced' || fence.open !== '(') return undefined;
  const count = only(fence.body);
  if (count?.kind === 'number') return `the ${ordinal(count.text)} derivative of`;
  return count?.kind === 'letter' ? `the ${count.text}th derivative of` : undefined;
}

/** Inverses, transposes, degrees and other marks that are no powers. */
export function specialPower(base: Node, sup: Row, single: Node | undefined): string | undefined {
  if (single?.kind === 'symbol') {
    if (/^(?:circ|degree|∘|°)$/.test(single.text)) return 'degrees';
    if (/^(?:top|intercal)$/.test(single.text)) return 'transpose';
    if (/^[*∗]$|^(?:ast|star)$/.test(single.text)) return 'star';
    if (single.text === 'dagger') return 'dagger';
    if (/^[-+]$/.test(single.text))
      return base.kind === 'number'
        ? `from the ${single.text === '+' ? 'right' : 'left'}`
        : OPERATORS.get(single.text)!;
  }
  const letters = lettersOf(base);
  if (single?.kind === 'letter' && single.text === 'T' && base.kind !== 'number') return 'transpose';
  if (single?.kind === 'text' && /^(?:th|st|nd|rd)$/.test(single.text)) return single.text;
  if (sup.length === 2 && sup.every((node) => node.kind === 'letter') && sup.map(lettersOf).join('') === 'th')
    return 'th';
  if (isMinus(sup[0]) && numberOf(sup.slice(1)) === '1' && (/^[A-ZfghφΦ]$/.test(letters) || isMatrices(base)))
    return 'inverse';
  return undefined;
}
