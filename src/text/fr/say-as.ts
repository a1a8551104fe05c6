/** Readings the author asked for by name: SSML's `say-as`. */
import { trim } from '../../protocol/characters.js';
import type { SayAs } from '../../protocol/job.js';
import { isDigit, isLetter, type Scan } from '../normalize/scan.js';
import { numericDate } from './dates.js';
import { amount, cardinal, ordinal } from './numbers.js';
import { groupsInWords } from './phone-numbers.js';
import { signWords } from './signs.js';

const NUMBER = /^([-−])?(\d{1,36})(?:,(\d{1,36}))?(?:er|re|e|ème)?$/;
const LONGEST = 100;

/**
 * Reads the whole text as asked; false where it is nothing of that kind, and is then read as usual.
 */
export function readAs(scan: Scan, as: SayAs): boolean {
  const { text, out } = scan;
  if (as === 'characters') return characters(scan);
  if (text.length > LONGEST) return false;
  if (as === 'telephone') {
    const groups = text.match(/\d+/g) ?? [];
    if (groups.length === 0) return false;
    const pairs = groups.flatMap((group) => (group.length > 3 ? (group.match(/\d{1,2}/g) ?? []) : [group]));
    out.say(`${text.startsWith('+') ? 'plus ' : ''}${groupsInWords(pairs)}`, 0, text.length);
    return true;
  }
  if (as === 'date') {
    const words = numericDate(trim(text));
    if (words === undefined) return false;
    out.say(words, 0, text.length);
    return true;
  }
  const match = NUMBER.exec(text.replace(/[\s.]/g, ''));
  if (!match || (as === 'ordinal' && match[3])) return false;
  const words = as === 'ordinal' ? ordinal(match[2]!) : amount(match[2]!, match[3]);
  out.say(match[1] ? `moins ${words}` : words, 0, text.length);
  return true;
}

function characters(scan: Scan): boolean {
  const { text, out } = scan;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    const code = char.charCodeAt(0);
    if (char === ' ') out.mark(',', at, at + 1);
    else if (isDigit(code)) out.say(cardinal(char), at, at + 1);
    else if (isLetter(code)) out.say(char.toUpperCase(), at, at + 1);
    else {
      const words = NAMES[char] ?? signWords(char) ?? '';
      if (words === '') out.skip('symbol', 1);
      else out.say(words, at, at + 1);
    }
  }
  return true;
}

const NAMES: Readonly<Record<string, string>> = {
  '.': 'point',
  ',': 'virgule',
  ';': 'point-virgule',
  ':': 'deux-points',
  '-': 'tiret',
  _: 'tiret bas',
  '/': 'slash',
  '!': "point d'exclamation",
  '?': "point d'interrogation",
  "'": 'apostrophe',
  '"': 'guillemet',
  '(': 'parenthèse ouvrante',
  ')': 'parenthèse fermante',
};
