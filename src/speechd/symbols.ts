/** Names of punctuation, for the punctuation modes of screen readers, in English. */
import type { Mark, Utterance } from './message.js';

export type PunctuationMode = 'none' | 'some' | 'most' | 'all';

type Level = Exclude<PunctuationMode, 'none'>;

/** A sign, its name, and the mode from which on it is named. */
const SIGNS: readonly (readonly [sign: string, name: string, from: Level])[] = [
  ['#', 'number', 'some'],
  ['$', 'dollar', 'some'],
  ['%', 'percent', 'some'],
  ['&', 'and', 'some'],
  ['*', 'star', 'some'],
  ['+', 'plus', 'some'],
  ['/', 'slash', 'some'],
  ['<', 'less', 'some'],
  ['=', 'equals', 'some'],
  ['>', 'greater', 'some'],
  ['@', 'at', 'some'],
  ['\\', 'backslash', 'some'],
  ['^', 'caret', 'some'],
  ['_', 'underscore', 'some'],
  ['|', 'bar', 'some'],
  ['~', 'tilde', 'some'],
  ['"', 'quote', 'most'],
  ['(', 'left paren', 'most'],
  [')', 'right paren', 'most'],
  ['-', 'dash', 'most'],
  [':', 'colon', 'most'],
  [';', 'semicolon', 'most'],
  ['[', 'left bracket', 'most'],
  [']', 'right bracket', 'most'],
  ['{', 'left brace', 'most'],
  ['}', 'right brace', 'most'],
  ['!', 'exclamation mark', 'all'],
  ["'", 'apostrophe', 'all'],
  [',', 'comma', 'all'],
  ['.', 'dot', 'all'],
  ['?', 'question mark', 'all'],
  ['`', 'grave', 'all'],
];

const LEVELS: readonly PunctuationMode[] = ['none', 'some', 'most', 'all'];
const NAMES: ReadonlyMap<string, string> = new Map(SIGNS.map(([sign, name]) => [sign, name]));

const namedIn = (mode: PunctuationMode): ReadonlyMap<string, string> =>
  new Map(
    SIGNS.filter(([, , from]) => LEVELS.indexOf(from) <= LEVELS.indexOf(mode)).map(([sign, name]) => [sign, name]),
  );
const BY_MODE = new Map(LEVELS.map((mode) => [mode, namedIn(mode)]));
/** Signs that also shape a sentence stay behind their names. */
const KEPT = new Set([',', ';', ':', '.', '?', '!']);

/** The name of a single sign; undefined for anything else. */
export const signName = (sign: string): string | undefined => NAMES.get(sign);

export const isPunctuationMode = (value: string): value is PunctuationMode =>
  (LEVELS as readonly string[]).includes(value);

/** The utterance with its signs named as the mode says; its marks stay where they were. */
export function withSigns(utterance: Utterance, mode: PunctuationMode): Utterance {
  const names = BY_MODE.get(mode)!;
  if (names.size === 0) return utterance;
  let text = '';
  let length = 0;
  const inner: Mark[] = [];
  const waiting = [...utterance.inner];
  for (const [at, char] of [...utterance.text].entries()) {
    while (waiting[0] && waiting[0].at <= at) inner.push({ name: waiting.shift()!.name, at: length });
    const name = names.get(char);
    const said = name === undefined ? char : ` ${name}${KEPT.has(char) ? char : ''} `;
    text += said;
    length += name === undefined ? 1 : [...said].length;
  }
  return { text, inner, ends: utterance.ends };
}
