/**
 * Where a formula begins and ends in a text: between the delimiters of LaTeX, or from a sign of
 * mathematics on. The first pass leaves formulas for the rules of a language, and the segmenter
 * does not cut inside one. All of it looks at no more characters than a formula may have.
 */
import { characterIs, IS } from '../character-kinds.js';
import { isDigit } from './scan.js';
import { matchAt } from './sticky.js';

/** The first pass puts these around a formula; both are private characters that no text keeps. */
export const FORMULA_OPENS = '\ue000';
export const FORMULA_CLOSES = '\ue001';

export interface FormulaSpan {
  /** What lies between the delimiters. */
  readonly from: number;
  readonly to: number;
  /** Behind the closing delimiter. */
  readonly end: number;
}

/** A formula longer than this is read as text (UTF-16 units). */
const MOST_INLINE = 300;
const MOST_DISPLAYED = 1_000;

const ENVIRONMENT =
  /\\begin\{((?:equation|align|aligned|gather|gathered|multline|split|cases|array|matrix|pmatrix|bmatrix|vmatrix|Vmatrix|Bmatrix|smallmatrix)\*?)\}/y;
const LONGEST_BEGIN = 20;
/** What only mathematics has, in a stretch that may as well be prose. */
const EVIDENCE = /[\\^_=+<>≤≥≠≈±×÷·∈∞]|\d[A-Za-z]|[A-Za-z0-9] ?[-−] ?[A-Za-z0-9]/;
/** Between dollar signs these are words of a sentence about money. */
const PROSE = new Set('and or to the is of for at by with from was are per each but plus'.split(' '));
/** Rows of letters that are no prose though no backslash stands before them. */
const FUNCTIONS = new Set('sin cos tan cot sec csc log ln exp lim max min mod gcd det dim ker arg sup inf'.split(' '));

interface Delimiters {
  readonly from: number;
  readonly close: string;
  readonly most: number;
}

/**
 * The formula that a delimiter at `at` opens; undefined where it opens none, null where the text
 * does not show it yet. `final` says that nothing follows the text, `before` what stands before
 * `at`.
 */
export function formulaAt(
  text: string,
  at: number,
  final: boolean,
  before = text.charAt(at - 1),
): FormulaSpan | undefined | null {
  const opened = opening(text, at, final, before);
  if (!opened) return opened;
  const to = closing(text, opened, final);
  if (to === undefined || to === null) return to;
  const end = to + opened.close.length;
  const body = text.slice(opened.from, to);
  if (opened.close === '$') {
    // Whether a letter or a digit follows decides: "$5/$10", "$A/$B".
    if (end >= text.length && !final) return null;
    return isInline(text, before, body, end) ? { from: opened.from, to, end } : undefined;
  }
  if (opened.close === '\\]' && !EVIDENCE.test(body)) return undefined;
  return body.trim() === '' ? undefined : { from: opened.from, to: opened.close[1] === 'e' ? end : to, end };
}

/** All formulas of a text, in order. */
export function formulasOf(text: string): FormulaSpan[] {
  const found: FormulaSpan[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const span = code === 0x24 /* $ */ || code === 0x5c /* \\ */ ? formulaAt(text, at, true) : undefined;
    if (!span) continue;
    found.push(span);
    at = span.end - 1;
  }
  return found;
}

function opening(text: string, at: number, final: boolean, before: string): Delimiters | undefined | null {
  const next = text[at + 1];
  if (next === undefined) return final ? undefined : null;
  if (text[at] === '$') {
    if (before === '\\' || before === '$') return undefined;
    if (next === '$') return text[at + 2] === '$' ? undefined : { from: at + 2, close: '$$', most: MOST_DISPLAYED };
    return { from: at + 1, close: '$', most: MOST_INLINE };
  }
  if (before === '\\') return undefined;
  if (next === '(') return { from: at + 2, close: '\\)', most: MOST_DISPLAYED };
  if (next === '[') return { from: at + 2, close: '\\]', most: MOST_DISPLAYED };
  if (next !== 'b') return undefined;
  const begin = matchAt(ENVIRONMENT, text, at);
  if (begin) return { from: at, close: `\\end{${begin[1]}}`, most: MOST_DISPLAYED };
  return !final && text.length < at + LONGEST_BEGIN && '\\begin{'.startsWith(text.slice(at, at + 7)) ? null : undefined;
}

/** Where the closing delimiter stands. */
function closing(text: string, { from, close, most }: Delimiters, final: boolean): number | undefined | null {
  const inline = close === '$';
  let braces = 0;
  let words = 0;
  for (let i = from; i < from + most; i++) {
    if (i >= text.length) return final ? undefined : null;
    const char = text[i]!;
    if (char === '\\') {
      if (text.startsWith(close, i)) return i;
      // The one before it was never closed.
      if (text[i + 1] === '(' || text[i + 1] === '[') return undefined;
      i = commandEnd(text, i) - 1;
    } else if (char === '$') {
      if (close[0] !== '$') return undefined;
      if (inline || text[i + 1] === '$') return i;
      return i + 1 >= text.length && !final ? null : undefined;
    } else if (char === '\n' && isBlankLine(text, i)) return undefined;
    else if (char === '`' || (inline && char === '"')) return undefined;
    else if (char === '{') braces++;
    else if (char === '}') braces--;
    else if (isAsciiLetter(text.charCodeAt(i))) {
      const end = lettersEnd(text, i);
      if (end >= text.length && !final) return null;
      // Two words in a row are prose, unless a command has them in its braces.
      if (end - i === 1 || braces > 0 || FUNCTIONS.has(text.slice(i, end))) words = 0;
      else if (++words > 1) return undefined;
      i = end - 1;
    } else if (char !== ' ' && char !== ',' && char !== '.') words = 0;
  }
  return undefined;
}

/** What single dollar signs hold is a formula, not two amounts or the names of variables. */
function isInline(text: string, before: string, body: string, end: number): boolean {
  const spaced = /^\s/.test(body);
  if (body === '' || spaced !== /\s$/.test(body)) return false;
  const evident = EVIDENCE.test(body);
  if (spaced && !(evident && /[\\^_=]/.test(body))) return false;
  const after = text.charCodeAt(end);
  if (isDigit(after)) return false;
  if (isAsciiLetter(after) && /^[A-Za-z_]{2}/.test(body)) return false;
  const left = before.charCodeAt(0);
  if ((isDigit(left) || isAsciiLetter(left)) && !body.startsWith('\\')) return false;
  const words = body.replace(/\\[A-Za-z]+(?:\{[A-Za-z .,/]*\})?/g, ' ').match(/[A-Za-z]{2,}/g) ?? [];
  if (words.some((word) => PROSE.has(word))) return false;
  return evident || !/^(?:[a-z_]{3}|[A-Za-z_]{5})/.test(body);
}

/** Behind a command: its letters, or the one sign. */
function commandEnd(text: string, at: number): number {
  const end = lettersEnd(text, at + 1);
  return end === at + 1 ? at + 2 : end;
}

function lettersEnd(text: string, at: number): number {
  let end = at;
  while (isAsciiLetter(text.charCodeAt(end)) && end < at + MOST_INLINE) end++;
  return end;
}

const isAsciiLetter = (code: number): boolean => (code > 96 && code < 123) || (code > 64 && code < 91);

/** Whether the next line has nothing in it. */
function isBlankLine(text: string, at: number): boolean {
  let end = at + 1;
  while (end < at + 40 && (text[end] === ' ' || text[end] === '\t' || text[end] === '\r')) end++;
  return text[end] === '\n';
}

/** Signs that begin a formula without delimiters. */
export const FORMULA_SIGNS = '∫∬∭∮∑∏√∛∜∂∇∀∃∄';
/** Commands that begin one; a folder has no such name with this behind it. */
const COMMAND =
  /\\(?:[dt]?frac\{|sqrt[{[]|(?:sum|int|prod|lim)(?:_|\\| ?[A-Za-z0-9(](?![A-Za-z]))|vec\{|bar\{|hat\{|math[a-z]{2,4}\{|binom\{|overline\{)/y;
const RAISED_OR_LOWERED = /[⁰¹²³⁴-⁹⁺⁻⁼⁽⁾ⁱⁿ₀-₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ]/;
const OPERATORS = "+-−*/=<>≤≥≠≈±×÷·∈∉⊂⊆∪∩→⇒⇔≡∼∝|^_'′″";
const DIFFERENTIAL = /^d(?:[a-zA-Z]|[a-z]d[a-z])$/;

/** The formula that begins at `at`, with delimiters or without. Nothing follows the text. */
export function findFormula(text: string, at: number): FormulaSpan | undefined {
  const char = text[at]!;
  const delimited = char === '$' || char === '\\' ? formulaAt(text, at, true) : undefined;
  if (delimited) return delimited;
  if (char === '$') return undefined;
  const end = char === '^' || char === '_' ? scriptEnd(text, at) : plainFormulaEnd(text, at);
  return end > at ? { from: at, to: end, end } : undefined;
}

const SCRIPT = /[_^](?:\{[^{}\n]{1,40}\}|(?<=\^)\([^()\n]{1,40}\))/y;

/** Behind "_{ij}" or "^{n+1}" at a letter, a digit or a bracket; `at` where there is neither. */
function scriptEnd(text: string, at: number): number {
  if (!/[\p{L}\p{N})\]}]/u.test(text.charAt(at - 1))) return at;
  let end = at;
  for (let match = matchAt(SCRIPT, text, at); match; match = matchAt(SCRIPT, text, end)) end += match[0].length;
  return end;
}

/**
 * Behind the formula that a sign or a command at `at` begins, where no delimiters stand around it;
 * `at` where it begins none. The formula ends before the first word.
 */
function plainFormulaEnd(text: string, at: number): number {
  const command = text[at] === '\\';
  if (command && !matchAt(COMMAND, text, at)) return at;
  const most = Math.min(text.length, at + MOST_INLINE);
  let end = at;
  let operands = 0;
  let depth = 0;
  for (let i = at; i < most; ) {
    const char = text[i]!;
    const code = text.charCodeAt(i);
    if (char === ' ' && i > at) {
      i++;
      continue;
    }
    let stop = i + 1;
    let operator = false;
    if (isDigit(code)) stop = numberEnd(text, i);
    else if (isAsciiLetter(code)) {
      stop = lettersEnd(text, i);
      if (!isVariable(text, i, stop, depth)) break;
    } else if (char === '\\') stop = commandEnd(text, i);
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) {
      if (--depth < 0) break;
    } else if (OPERATORS.includes(char) || (char === ',' && depth > 0)) operator = true;
    else if (char === '!' && !isFactorial(text, i)) break;
    else if (char !== '!' && !isMathematical(char, code)) break;
    i = stop;
    if (operator || '([{'.includes(char) || (FORMULA_SIGNS.includes(char) && operands === 0)) continue;
    operands++;
    if (depth <= 0) end = i;
  }
  return operands > 0 ? end : at;
}

const isMathematical = (char: string, code: number): boolean =>
  FORMULA_SIGNS.includes(char) ||
  RAISED_OR_LOWERED.test(char) ||
  (code >= 0x391 && code <= 0x3c9) ||
  char === '∞' ||
  char === '°' ||
  'ℝℕℤℚℂ∅'.includes(char);

/** "3!" in a formula, not the end of a sentence. */
const isFactorial = (text: string, at: number): boolean => /^!\s?[-+*/=)^]/.test(text.slice(at, at + 3));

function numberEnd(text: string, at: number): number {
  let end = at + 1;
  while (isDigit(text.charCodeAt(end)) || (text[end] === '.' && isDigit(text.charCodeAt(end + 1)))) end++;
  return end;
}

/** Letters that stand for a quantity, a function or a differential, and no word. */
function isVariable(text: string, from: number, to: number, depth: number): boolean {
  const written = text.slice(from, to);
  const next = text.charAt(to);
  if (next > '\x7f' && characterIs(next.charCodeAt(0)) & IS.letter && !RAISED_OR_LOWERED.test(next)) return false;
  if (FUNCTIONS.has(written) || DIFFERENTIAL.test(written)) return true;
  if (written.length > 3) return false;
  if (written.length > 1) return depth > 0 || text[from - 1] !== ' ';
  // An article, or the first person.
  return !(text[from - 1] === ' ' && /^[aAI]$/.test(written) && /^ [A-Za-z]{2}/.test(text.slice(to, to + 3)));
}
