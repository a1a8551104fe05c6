/** Addresses of pages, people and files, hashtags and handles. */
import type { Rule } from '../normalize/rule.js';
import { isLetter, type Scan } from '../normalize/scan.js';
import { tagRuleOf } from '../normalize/sign-rules.js';
import { matchAt } from '../normalize/sticky.js';
import { cardinal } from './numbers.js';
import { spell } from './words.js';

const TOP = 'fr|com|org|net|eu|be|ch|ca|qc|io|dev|info|gouv|edu|tv|uk|de|es|it|lu|ma|tn|dz|sn|ci|app|ai|co';
const FILE_KIND = 'pdf|docx?|xlsx?|pptx?|txt|csv|html?|jpe?g|png|gif|svg|mp[34]|zip|exe|json|md|py|js|ts';
const ADDRESS = new RegExp(
  `(?:https?:\\/\\/)?(?:[A-Za-z0-9._%+-]{1,64}@)?(?:[A-Za-z0-9-]{1,63}\\.){1,6}(?:${TOP})(?![A-Za-z0-9])(?:\\/[A-Za-z0-9._~%/?=&#+-]*)?|https?:\\/\\/[^\\s"]+`,
  'y',
);
const FILE = new RegExp(`[A-Za-z0-9_-]{1,80}\\.(?:${FILE_KIND})(?![A-Za-z0-9])`, 'y');
const TRAILING = /[.,;:!?)\]]+$/;
const SIGNS: Readonly<Record<string, string>> = {
  '.': 'point',
  '/': 'slash',
  '-': 'tiret',
  _: 'tiret bas',
  '@': 'arobase',
  ':': 'deux-points',
  '?': "point d'interrogation",
  '=': 'égale',
  '&': 'et',
  '#': 'dièse',
  '%': 'pour cent',
  '+': 'plus',
  '~': 'tilde',
};
/** Ends of addresses that are said as words. */
const SAID = new Set('com org net info gouv dev edu app'.split(' '));
const PIECE = /[A-Za-zÀ-ÿ]+|\d+|[^A-Za-zÀ-ÿ\d]/g;

function sayPieces(scan: Scan, from: number, to: number): void {
  for (const { 0: piece, index } of scan.text.slice(from, to).matchAll(PIECE)) {
    const at = from + index;
    const end = at + piece.length;
    if (/\d/.test(piece)) scan.out.say(cardinal(piece), at, end);
    else if (!isLetter(piece.charCodeAt(0))) {
      if (Object.hasOwn(SIGNS, piece) && !(piece === '/' && end === to)) scan.out.say(SIGNS[piece]!, at, end);
    } else if (isSpelled(scan.text, piece, at)) scan.out.say(spell(piece), at, end);
    else scan.out.say(piece.toLowerCase(), at, end);
  }
}

/** Short rows behind a point, "www", and rows without a vowel go letter by letter. */
function isSpelled(text: string, piece: string, at: number): boolean {
  if (SAID.has(piece)) return false;
  if (text[at - 1] === '.' && piece.length < 4) return true;
  return !/[aeiouyà-ÿ]/i.test(piece) || piece.length === 1;
}

function address(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at) || scan.addressMarks(at) === 0) return at;
  const match = matchAt(ADDRESS, text, at) ?? matchAt(FILE, text, at);
  if (!match) return at;
  const end = at + match[0].replace(TRAILING, '').length;
  const scheme = /^https?:\/\//.exec(match[0])?.[0].length ?? 0;
  if (end <= at + scheme) return at;
  out.space(at, at);
  sayPieces(scan, at + scheme, end);
  scan.remember('');
  return end;
}

export const addressRule: Rule = {
  name: 'address',
  begins: {
    digits: { next: /[@/A-Za-z.-]/, point: /[.@/A-Za-z-]/, stop: /[A-Za-z]/ },
    words: { when: (_, scan, at) => scan.addressMarks(at) > 0 },
  },
  apply: address,
};

export const tagRule = tagRuleOf({ hash: 'hashtag', at: 'arobase' });
