/**
 * Marks of ASCII in a row: dots are an ellipsis, exclamations one exclamation, long rows of
 * anything a drawn line.
 */
import { isWordUnit } from './markdown.js';
import { runLength } from './sticky.js';

export interface MarkRun {
  /** What to write for the row; undefined where it is only a pause. */
  readonly piece: string | undefined;
  readonly end: number;
}

/** In rows these are drawn sooner than others: two are a rule or a mark of a formula already. */
const DRAWN = '~$#@';
/** These nest, or quote, however many there are. */
const NESTED = '(){}"\'';

export function markRun(text: string, at: number): MarkRun {
  const char = text[at]!;
  if (char === '!' || char === '?') return exclamation(text, at);
  const run = runLength(text, at);
  const end = at + run;
  if (char === '.') return { piece: isEllipsis(text, at, run) ? '…' : text.slice(at, end), end };
  if (run === 1) return { piece: char, end };
  if (char === '-') {
    const flag = run === 2 && /[A-Za-z]/.test(text.charAt(end)) && !isWordUnit(text.charCodeAt(at - 1));
    return { piece: flag ? '--' : '—', end };
  }
  if (DRAWN.includes(char)) return { piece: '', end };
  if (run > 3 && !NESTED.includes(char)) return { piece: undefined, end };
  return { piece: text.slice(at, end), end };
}

/** Two dots are one only where they end a word: "../" is a folder. */
function isEllipsis(text: string, at: number, run: number): boolean {
  if (run !== 2) return run > 2;
  return isWordUnit(text.charCodeAt(at - 1)) && /^[\s"']?$/.test(text.charAt(at + 2));
}

function exclamation(text: string, at: number): MarkRun {
  let end = at;
  let asks = false;
  while (text[end] === '!' || text[end] === '?') asks = text[end++] === '?' || asks;
  // `!=` is an operator.
  if (end === at + 1 && text[at] === '!' && text[end] === '=') return { piece: '!', end };
  return { piece: asks ? '?' : '!', end };
}
