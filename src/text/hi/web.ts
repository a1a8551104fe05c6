/** Addresses of pages and people, hashtags and handles. */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { tagRuleOf } from '../normalize/sign-rules.js';
import { matchAt } from '../normalize/sticky.js';
import { cardinal } from './numbers.js';
import { latinWord, spell } from './words.js';

const ADDRESS =
  /(?:https?:\/\/)?(?:[A-Za-z0-9._%+-]{1,64}@)?(?:[A-Za-z0-9-]{1,63}\.){1,6}(?:com|org|net|in|co|gov|edu|io|info|tv|uk|dev|ai|app|nic|ac)(?![A-Za-z0-9])(?:\/[A-Za-z0-9._~%/?=&#+-]*)?|https?:\/\/[^\s"]+/y;
const TRAILING = /[.,;:!?)\]]+$/;
const SIGNS: Readonly<Record<string, string>> = {
  '.': 'डॉट',
  '/': 'स्लैश',
  '-': 'डैश',
  _: 'अंडरस्कोर',
  '@': 'ऐट',
  ':': 'कोलन',
  '?': 'प्रश्नचिह्न',
  '=': 'बराबर',
  '&': 'और',
  '#': 'हैश',
  '%': 'प्रतिशत',
  '+': 'प्लस',
};
const PIECE = /[A-Za-z]+|\d+|[^A-Za-z\d]/g;

function sayPieces(scan: Scan, from: number, to: number): void {
  for (const { 0: piece, index } of scan.text.slice(from, to).matchAll(PIECE)) {
    const at = from + index;
    const end = at + piece.length;
    if (/\d/.test(piece)) scan.out.say(cardinal(piece), at, end);
    else if (!/[A-Za-z]/.test(piece)) {
      if (Object.hasOwn(SIGNS, piece) && !(piece === '/' && end === to)) scan.out.say(SIGNS[piece]!, at, end);
    } else scan.out.say(latinWord(piece) ?? (isSpelled(piece) ? spell(piece) : piece.toLowerCase()), at, end);
  }
}

const isSpelled = (piece: string): boolean => piece.length < 3 || !/[aeiouy]/i.test(piece);

function address(scan: Scan, at: number): number {
  const { text } = scan;
  if (!scan.atBoundary(at) || scan.addressMarks(at) === 0) return at;
  const match = matchAt(ADDRESS, text, at);
  if (!match) return at;
  const end = at + match[0].replace(TRAILING, '').length;
  const scheme = /^https?:\/\//.exec(match[0])?.[0].length ?? 0;
  if (end <= at + scheme) return at;
  sayPieces(scan, at + scheme, end);
  scan.remember('');
  return end;
}

export const addressRule: Rule = {
  name: 'address',
  begins: {
    digits: { next: /[@/A-Za-z.-]/, point: /[.@/A-Za-z-]/, stop: /[A-Za-z]/ },
    words: { first: /[A-Za-z]/, when: (_, scan, at) => scan.addressMarks(at) > 0 },
  },
  apply: address,
};

export const tagRule = tagRuleOf({ hash: 'हैशटैग', at: 'ऐट' });
