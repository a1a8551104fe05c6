/** Addresses of the web and of mail, hashtags and handles, and signs that are said in words. */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { spelled } from './word-rules.js';
import type { Wording } from './wording.js';

const MAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/y;
const ADDRESS =
  /(?:https?:\/\/)?(?:www\.)?[a-z0-9](?:[a-z0-9-]{0,62}\.){1,4}(?:com|org|net|edu|gov|info|io|es|it|br|pt|fr|mx|ar|cl|co|pe|uy|ve|eu|tv|ai|app|dev)(?:\/[\w./~%?&=#+-]*[\w/])?(?![\w@])/iy;
/** Ends of addresses that are said as words. */
const SAID = /^(?:com|org|net|it|es|info)$/;
const HANDLE = /[@#][\p{L}\d_]{2,40}/uy;

function say(scan: Scan, at: number, address: string, wording: Wording): number {
  const { words } = wording;
  const names: Readonly<Record<string, string>> = {
    '.': words.dot,
    '/': words.slash,
    '-': words.hyphen,
    _: words.underscore,
    '@': words.at,
    ':': words.colon,
    '+': words.plus,
    '=': words.equals,
    '&': words.and,
  };
  for (const { 0: piece, index } of address.matchAll(/[A-Za-z]+|\d+|./g)) {
    const from = at + index;
    const said = /^\d/.test(piece)
      ? piece.length < 5
        ? wording.cardinal(BigInt(piece), 'alone')
        : [...piece].map((digit) => wording.cardinal(BigInt(digit), 'alone')).join(' ')
      : /^[A-Za-z]/.test(piece)
        ? addressWord(piece, wording)
        : (names[piece] ?? wording.signs[piece] ?? '');
    scan.out.say(said, from, from + piece.length);
  }
  scan.remember('');
  return at + address.length;
}

/** "www", "br" and other rows without a vowel are spelled. */
function addressWord(piece: string, wording: Wording): string {
  const word = piece.toLowerCase();
  if (word in wording.letters) return wording.letters[word]!;
  if (SAID.test(word)) return word;
  if (word === 'http' || word === 'https' || !/[aeiouy]/.test(word)) return spelled(word, wording);
  return piece.length < 3 && !wording.pronounceable.test(word) ? spelled(word, wording) : word;
}

export const webRules = (wording: Wording): readonly Rule[] => {
  const address = (scan: Scan, at: number): number => {
    if (scan.addressMarks(at) === 0) return at;
    const match = matchAt(MAIL, scan.text, at) ?? matchAt(ADDRESS, scan.text, at);
    return match ? say(scan, at, match[0], wording) : at;
  };
  return [
    { name: 'address', begins: { words: 'any word', digits: 'any digits' }, apply: address },
    {
      name: 'handle',
      begins: { signs: '@#' },
      apply(scan, at) {
        const match = matchAt(HANDLE, scan.text, at);
        if (!match || !scan.atBoundary(at)) return at;
        scan.out.say(scan.text[at] === '@' ? wording.words.at : wording.signs['#']!, at, at + 1);
        return at + 1;
      },
    },
    {
      name: 'sign',
      begins: { signs: Object.keys(wording.signs).join('') },
      apply(scan, at) {
        const words = wording.signs[scan.text[at]!];
        if (words === undefined) return at;
        scan.out.say(words, at, at + 1);
        return at + 1;
      },
    },
  ];
};
