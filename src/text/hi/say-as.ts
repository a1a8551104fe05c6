/** Readings the author asked for by name: SSML's `say-as`. */
import { trim } from '../../protocol/characters.js';
import type { SayAs } from '../../protocol/job.js';
import { isDigit, isLetter, type Scan } from '../normalize/scan.js';
import { numericDate } from './dates.js';
import { amount, cardinal, ordinal } from './numbers.js';
import { groupsInWords } from './phone-numbers.js';
import { signWords } from './signs.js';
import { LETTER_NAMES } from './words.js';

const NUMBER = /^([-−])?(\d{1,36})(?:\.(\d{1,36}))?$/;
const LONGEST = 100;

/**
 * Reads the whole text as asked; false where it is nothing of that kind, and is then read as usual.
 */
export function readAs(scan: Scan, as: SayAs): boolean {
  const { text, out } = scan;
  if (as === 'characters') return characters(scan);
  if (text.length > LONGEST) return false;
  let words: string | undefined;
  if (as === 'telephone') {
    const groups = text.match(/\d+/g);
    words = groups ? `${text.startsWith('+') ? 'प्लस ' : ''}${groupsInWords(groups)}` : undefined;
  } else if (as === 'date') words = numericDate(trim(text));
  else {
    const match = NUMBER.exec(text.replace(/[\s,]/g, ''));
    if (match && !(as === 'ordinal' && match[3]))
      words = `${match[1] ? 'माइनस ' : ''}${as === 'ordinal' ? ordinal(match[2]!) : amount(match[2]!, match[3])}`;
  }
  if (words === undefined) return false;
  out.say(words, 0, text.length);
  return true;
}

function characters(scan: Scan): boolean {
  const { text, out } = scan;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    const code = char.charCodeAt(0);
    if (char === ' ') out.mark(',', at, at + 1);
    else if (isDigit(code)) out.say(cardinal(char), at, at + 1);
    else if (isLetter(code)) {
      // A sign of a vowel belongs to the letter before it.
      if (/\p{M}/u.test(char)) out.put(char, at, at + 1);
      else out.say(LETTER_NAMES[char.toUpperCase()] ?? char, at, at + 1);
    } else {
      const words = signWords(char) ?? '';
      if (words === '') out.skip('symbol', 1);
      else out.say(words, at, at + 1);
    }
  }
  return true;
}
