/** A formula's characters as tokens, with what opens and closes in pairs. */
import { BIG, FUNCTIONS } from './commands.js';

type TokenKind =
  | 'number'
  | 'letter'
  | 'command'
  | 'sign'
  | 'open'
  | 'close'
  | 'bar'
  | 'script'
  | 'prime'
  | 'column'
  | 'row';

export interface Token {
  readonly kind: TokenKind;
  /** The letter, the digits, the command without its backslash, or the sign. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** What stands raised or lowered as characters of their own: "x²", "xᵢ". */
  readonly inner?: readonly Token[];
  /** The token that closes what this one opens, -1 where none does. */
  partner: number;
}

const NUMBER = /\d+(?:\.\d+)?|\.\d+/y;
const GROUPED = /\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?/y;
const COMMAND = /\\(?:([A-Za-z]+)\*?|([\s\S]))/y;
const ENVIRONMENT = /\s*\{([A-Za-z]{1,20}\*?)\}/y;
const DELIMITER = /\s*(?:\\([A-Za-z]+|[{}|])|([\s\S]))/y;

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ';
const RAISED_PLAIN = '0123456789+-=()inabcdefghjklmoprstuvwxyz';
const LOWERED = '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ';
const LOWERED_PLAIN = '0123456789+-=()aeoxhklmnpstijruv';

const OPENING: Readonly<Record<string, string>> = {
  lfloor: '⌊',
  lceil: '⌈',
  langle: '⟨',
  lbrace: '\\{',
  lvert: '|',
  lVert: '‖',
};
const CLOSING: Readonly<Record<string, string>> = {
  rfloor: '⌋',
  rceil: '⌉',
  rangle: '⟩',
  rbrace: '\\}',
  rvert: '|',
  rVert: '‖',
};
/** More tokens than these are not read as a formula. */
const MOST_TOKENS = 2_000;

export function tokensOf(text: string, from: number, to: number): Token[] {
  const tokens: Token[] = [];
  let at = from;
  const add = (kind: TokenKind, written: string, end: number, inner?: readonly Token[]): void => {
    tokens.push({ kind, text: written, from: at, to: end, partner: -1, ...(inner && { inner }) });
    at = end;
  };
  while (at < to && tokens.length < MOST_TOKENS) {
    const code = text.codePointAt(at)!;
    const char = code > 0xffff ? String.fromCodePoint(code) : text[at]!;
    if (/\s|~/.test(char)) at++;
    else if (char === '\\') at = command(text, at, add);
    else if (/[\d.]/.test(char) && numberAt(text, at, to)) add('number', ...numberAt(text, at, to)!);
    else if (RAISED.includes(char)) raised(text, at, to, RAISED, RAISED_PLAIN, '^', add);
    else if (LOWERED.includes(char)) raised(text, at, to, LOWERED, LOWERED_PLAIN, '_', add);
    else if (isLetter(char)) {
      const name = nameAt(text, at, to);
      if (name) add('command', name, at + name.length);
      else add('letter', plainLetter(char), at + char.length);
    } else add(kindOf(char), SAME[char] ?? char, at + char.length);
  }
  pair(tokens);
  return tokens;
}

const LETTERS = /[A-Za-z]{2,6}(?![A-Za-z])/y;

/** "sin", "lim": the name of a function that is written without its backslash. */
function nameAt(text: string, at: number, to: number): string | undefined {
  if (/[A-Za-z]/.test(text.charAt(at - 1))) return undefined;
  LETTERS.lastIndex = at;
  const name = LETTERS.exec(text)?.[0];
  return name !== undefined && at + name.length <= to && (FUNCTIONS.has(name) || BIG.has(name)) ? name : undefined;
}

const SAME: Readonly<Record<string, string>> = { '′': "'", '’': "'", '−': '-' };
const KINDS: Readonly<Record<string, TokenKind>> = {
  '(': 'open',
  '[': 'open',
  '{': 'open',
  ')': 'close',
  ']': 'close',
  '}': 'close',
  '⌊': 'open',
  '⌋': 'close',
  '⌈': 'open',
  '⌉': 'close',
  '⟨': 'open',
  '⟩': 'close',
  '|': 'bar',
  '‖': 'bar',
  '^': 'script',
  _: 'script',
  "'": 'prime',
  '′': 'prime',
  '’': 'prime',
  '&': 'column',
};
const kindOf = (char: string): TokenKind => KINDS[char] ?? 'sign';

type Add = (kind: TokenKind, written: string, end: number, inner?: readonly Token[]) => void;

function numberAt(text: string, at: number, to: number): [string, number] | undefined {
  GROUPED.lastIndex = at;
  NUMBER.lastIndex = at;
  const match = GROUPED.exec(text) ?? NUMBER.exec(text);
  return match && at + match[0].length <= to ? [match[0], at + match[0].length] : undefined;
}

/** A command, with the delimiter or the environment that it names. Returns where to go on. */
function command(text: string, at: number, add: Add): number {
  COMMAND.lastIndex = at;
  const match = COMMAND.exec(text);
  if (!match) return at + 1;
  const name = match[1] ?? match[2]!;
  // No command: the number is read as it stands.
  if (/\d/.test(name)) return at + 1;
  let end = at + match[0].length;
  if (name === '\\') add('row', name, end);
  else if (name === 'cr') add('row', name, end);
  else if (name === '{' || name === '}') add(name === '{' ? 'open' : 'close', `\\${name}`, end);
  else if (name === '|' || name === 'Vert') add('bar', '‖', end);
  else if (name === 'vert') add('bar', '|', end);
  else if (name === 'left' || name === 'right') {
    DELIMITER.lastIndex = end;
    const delimiter = DELIMITER.exec(text);
    end += delimiter ? delimiter[0].length : 0;
    const sign = delimiter?.[2] ?? `\\${delimiter?.[1] ?? ''}`;
    const known = { ...OPENING, ...CLOSING, '|': '‖' }[sign.replace('\\', '')];
    add(name === 'left' ? 'open' : 'close', sign.startsWith('\\') ? (known ?? sign) : sign, end);
  } else if (name === 'begin' || name === 'end') {
    ENVIRONMENT.lastIndex = end;
    const environment = ENVIRONMENT.exec(text);
    if (environment) end += environment[0].length;
    add(name === 'begin' ? 'open' : 'close', `env:${environment?.[1]?.replace('*', '') ?? ''}`, end);
  } else if (Object.hasOwn(OPENING, name))
    add(OPENING[name]!.length === 1 && '|‖'.includes(OPENING[name]!) ? 'bar' : 'open', OPENING[name]!, end);
  else if (Object.hasOwn(CLOSING, name)) add('|‖'.includes(CLOSING[name]!) ? 'bar' : 'close', CLOSING[name]!, end);
  // A space, or an accent over the next letter.
  else if (/[\s"'`^~]/.test(name)) return end;
  else add('command', name, end);
  return end;
}

/** "⁻¹": one script token that holds what it raises. */
function raised(text: string, at: number, to: number, signs: string, plain: string, mark: string, add: Add): void {
  const inner: Token[] = [];
  let end = at;
  for (; end < to && signs.includes(text[end]!); end++) {
    const char = plain[signs.indexOf(text[end]!)]!;
    const last = inner.at(-1);
    if (/\d/.test(char) && last?.kind === 'number') {
      inner[inner.length - 1] = { ...last, text: last.text + char, to: end + 1 };
      continue;
    }
    const kind = /\d/.test(char) ? 'number' : /[a-z]/.test(char) ? 'letter' : kindOf(char);
    inner.push({ kind, text: char, from: end, to: end + 1, partner: -1 });
  }
  pair(inner);
  add('script', mark, end, inner);
}

/** Letters of mathematical alphabets are those of the plain one. */
const plainLetter = (char: string): string => (char.codePointAt(0)! > 0x1d3ff ? char.normalize('NFKC') : char);
const isLetter = (char: string): boolean => /^[\p{L}]$/u.test(plainLetter(char)) && !/^[ℝℕℤℚℂℵ]$/.test(char);

const isBrace = (text: string): boolean => text === '{' || text === '}';

/**
 * Finds for everything that opens what closes it, in one walk. A bar opens where an operand is
 * expected, and closes where one is open.
 */
function pair(tokens: Token[]): void {
  const open: number[] = [];
  let expects = true;
  let lastBar = -1;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.kind === 'open') {
      open.push(i);
      expects = true;
      continue;
    }
    if (token.kind === 'close') {
      // "|ψ⟩": a state.
      if (token.text === '⟩' && lastBar >= 0 && isState(tokens, open, lastBar)) {
        tokens[lastBar]!.partner = i;
        if (open.at(-1) === lastBar) open.pop();
      } else closePair(tokens, open, i);
      lastBar = -1;
      expects = false;
    } else if (token.kind === 'bar') {
      const top = open.at(-1);
      lastBar = i;
      if (top !== undefined && tokens[top]!.kind === 'bar' && tokens[top]!.text === token.text && !expects) {
        tokens[top]!.partner = i;
        open.pop();
      } else if (expects) {
        open.push(i);
        continue;
      }
      expects = tokens[top ?? -1]?.partner !== i;
    } else if (token.kind === 'sign') expects = token.text !== '!';
    else if (token.kind === 'command') expects = EXPECTING.test(token.text);
    else if (token.kind === 'column' || token.kind === 'row' || token.kind === 'script') expects = true;
    else expects = false;
  }
}

/** Whether the bar was not closed, and nothing was opened behind it. */
const isState = (tokens: readonly Token[], open: readonly number[], bar: number): boolean =>
  tokens[bar]!.partner < 0 && (open.length === 0 || open.at(-1)! <= bar);

/** Commands behind which an operand follows. */
const EXPECTING =
  /^(?:[lg]eq?|neq?|times|cdot|pm|mp|in|to|approx|equiv|implies|iff|sum|int|lim|quad|,|;|left|frac|sim|div|land|lor)$/;

function closePair(tokens: Token[], open: number[], at: number): void {
  const wanted = tokens[at]!.text;
  const matches = (index: number) => {
    const opened = tokens[index]!;
    if (opened.kind === 'bar') return false;
    if (wanted.startsWith('env:')) return opened.text === wanted;
    return isBrace(opened.text) === isBrace(wanted) && !opened.text.startsWith('env:');
  };
  // Only what a brace or an environment closes may leave something inside it open.
  const over = isBrace(wanted) || wanted.startsWith('env:');
  while (open.length > 0) {
    const top = open.at(-1)!;
    if (matches(top)) {
      tokens[top]!.partner = at;
      open.pop();
      return;
    }
    if (!over && tokens[top]!.kind !== 'bar') return;
    open.pop();
  }
}
