/** Versions, hexadecimal numbers and the identifiers machines give. */

import type { Rule } from '../../normalize/rule.js';
import { isLetter, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { cardinal, digitByDigit } from './numbers.js';

const SUFFIX = '(?:[-.]?(alpha|beta|rc|dev|pre|preview|canary|next|nightly|snapshot|a|b|p)\\.?(\\d{1,6})?)?';
const MARKED = new RegExp(`[vV]\\.? ?(\\d{1,6}(?:\\.(?:\\d{1,6}|x|\\*)){0,40})${SUFFIX}(?![A-Za-z0-9])`, 'y');
const PLAIN = new RegExp(`(\\d{1,9}(?:\\.\\d{1,9}){2,})${SUFFIX}(?![A-Za-z0-9])`, 'y');
const LONG = /\d{1,9}(?:\.\d{1,9}){2,}/y;
const TWO = /(\d{1,4}(?:\.\d{1,4}|\.x))(?![\dA-Za-z%°]|[.,:]\d| ?(?:million|billion|percent|GB|MB|km|kg|times))/y;
const NAMED =
  /^(?:version|versions|release|python|node|ruby|java|php|go|golang|rust|ubuntu|debian|fedora|ios|macos|android|windows|linux|kernel|cuda|typescript|javascript|react|vue|angular|django|rails|postgres|postgresql|mysql|redis|kubernetes|docker|chrome|firefox|safari|swift|kotlin|scala|perl|npm|gcc|clang|pytorch|tensorflow|gpt|claude|llama|gemini|qwen|bluetooth|usb|tls|ssl|http|api|schema|spec|update|patch|build|v)$/i;

function parts(written: string): string {
  return written
    .split('.')
    .map((part) =>
      part === 'x' || part === '*'
        ? 'X'
        : part.length > 1 && part.startsWith('0')
          ? digitByDigit(part, 'oh')
          : part.length > 4
            ? digitByDigit(part)
            : cardinal(part),
    )
    .join(' point ');
}

const ending = (word: string | undefined, number: string | undefined): string =>
  `${word ? ` ${word.length === 1 ? word.toUpperCase() : word === 'rc' ? 'R C' : word}` : ''}${number ? ` ${cardinal(number)}` : ''}`;

/** "v1.2.3", "1.2.3-beta.1", and "3.12" behind the name of a program. */
function version(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at) || text[at - 1] === '.') return at;
  const marked = isLetter(text.charCodeAt(at)) ? matchAt(MARKED, text, at) : null;
  if (marked) {
    const name = /^version$/i.test(scan.previous) ? '' : 'version ';
    out.say(`${name}${parts(marked[1]!)}${ending(marked[2], marked[3])}`, at, at + marked[0].length);
    return at + marked[0].length;
  }
  if (isLetter(text.charCodeAt(at))) return at;
  const plain = matchAt(PLAIN, text, at);
  if (plain) {
    out.say(parts(plain[1]!) + ending(plain[2], plain[3]), at, at + plain[0].length);
    return at + plain[0].length;
  }
  const long = matchAt(LONG, text, at);
  if (long) {
    out.say(parts(long[0]), at, at + long[0].length);
    return at + long[0].length;
  }
  const two = isLetter(scan.previous.charCodeAt(0)) && NAMED.test(scan.previous) ? matchAt(TWO, text, at) : null;
  if (!two) return at;
  out.say(parts(two[1]!), at, at + two[0].length);
  return at + two[0].length;
}

const UUID = /[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9A-Za-z-])/y;
const HASH = /[0-9a-f]{7,64}(?![0-9A-Za-z])|[0-9A-F]{8,64}(?![0-9A-Za-z])/y;
const HEX = /0[xX]([0-9A-Fa-f]{1,64})(?![0-9A-Za-z])/y;
const COLOR = /#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})(?![0-9A-Za-z])/y;

/** Each character by its name, a pause at each dash. */
function spellOut(scan: Scan, from: number, written: string): void {
  for (let i = 0; i < written.length; i++) {
    const char = written[i]!;
    if (char === '-') scan.out.mark(',', from + i, from + i + 1);
    else scan.out.say(/\d/.test(char) ? digitByDigit(char) : char.toUpperCase(), from + i, from + i + 1);
  }
}

const SHORTEST_HASH = 7;

function isLongHex(text: string, at: number): boolean {
  for (let i = at; i < at + SHORTEST_HASH; i++) {
    const code = text.charCodeAt(i) | 32;
    if (!((code > 47 && code < 58) || (code > 96 && code < 103))) return false;
  }
  return true;
}

/** "0xFF", hashes, "#FF5733". */
function hexadecimal(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at)) return at;
  if (text[at] === '#') {
    const color = matchAt(COLOR, text, at);
    if (!color || !/\d/.test(color[1]!) || /^\d{3}$/.test(color[1]!)) return at;
    out.say('hash', at, at + 1);
    spellOut(scan, at + 1, color[1]!);
    return at + color[0].length;
  }
  const hex = text[at] === '0' ? matchAt(HEX, text, at) : null;
  if (hex) {
    out.say('hex', at, at + 2);
    spellOut(scan, at + 2, hex[1]!);
    return at + hex[0].length;
  }
  if (!isLongHex(text, at)) return at;
  const uuid = matchAt(UUID, text, at);
  const hash = uuid ?? matchAt(HASH, text, at);
  if (!hash) return at;
  const digits = hash[0].replace(/[^\d]/g, '').length;
  if (!uuid && (digits < 2 || digits === hash[0].length || /^\d+e\d+$/i.test(hash[0]))) return at;
  spellOut(scan, at, hash[0]);
  return at + hash[0].length;
}

export const versionRule: Rule = {
  name: 'version',
  begins: { digits: { next: /[A-Za-z]/, point: /[\s\S]/, stop: /x/ }, words: { first: /[vV]/ } },
  apply: version,
};

export const hexadecimalRule: Rule = {
  name: 'hexadecimal',
  begins: {
    signs: '#',
    digits: { next: /[xXa-fA-F\0]/ },
    words: { first: /[a-fA-F]/, behind: /\d/, when: (word) => word.length > 6 },
  },
  apply: hexadecimal,
};
