/** Addresses: of pages, people, files and machines. */

import type { Rule } from '../normalize/rule.js';
import { isDigit, isLetter, MARKS, opensWord, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { sayIdentifier, sayPart } from './identifiers.js';
import { cardinal, pairs, triple } from './numbers/numbers.js';

const URL =
  /(?:https?|ftp|wss?|sftp|file|ssh|git|s3|rtsp|mongodb|postgres|postgresql|redis):\/\/[^\s<>"]+|mailto:[^\s<>"]+|www\.[^\s<>"]+/iy;
const SCHEME = /^(?:https?:\/\/|mailto:)?(?:www\.)?/i;
const EMAIL =
  /[A-Za-z0-9._%+-]{1,64}@(?:(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}|\d{1,3}(?:\.\d{1,3}){3})(?![A-Za-z0-9])/y;
const DOMAIN =
  /localhost:\d{1,5}(?:\/[^\s<>"]*)?|(?:[A-Za-z0-9-]{1,63}\.){1,6}(?:com|org|net|edu|gov|mil|io|ai|dev|app|co|uk|ca|de|fr|jp|cn|info|biz|tv|gg|xyz|ly|eu|ch|nl|au|nz|br|ru|kr|tech|cloud|online|site|fm|sh|rs)(?::\d{1,5})?(?:\/[^\s<>"]*|(?![A-Za-z0-9_.-]|:\/))(?<![.,;:!?)\]'])|(?:[A-Za-z0-9-]{1,63}\.){1,6}(?:com|org|net|edu|gov|io|ai|dev|app|uk|de|fr|eu)(?=[.,;:!?)\]'](?:\s|$|["')]))/y;
const EXTENSION =
  'tsx?|jsx?|mjs|cjs|json|jsonl|md|mdx|txt|rst|pyc?|ipynb|rb|rs|go|c|h|cc|cpp|hpp|cs|java|kt|swift|php|html?|css|scss|xml|ya?ml|toml|ini|cfg|conf|env|sh|bash|zsh|bat|ps1|exe|dll|so|dylib|zip|tar|gz|tgz|bz2|xz|7z|rar|pdf|docx?|xlsx?|pptx?|csv|tsv|png|jpe?g|gif|svg|webp|bmp|ico|mp[34]|m4a|wav|ogg|flac|mkv|avi|mov|webm|onnx|bin|log|lock|sql|db|sqlite|iso|dmg|deb|rpm|apk|jar|wasm|tex|bib|bak|tmp|gitignore';
const FILE = new RegExp(
  `[A-Za-z0-9_][A-Za-z0-9_+~-]{0,80}(?:\\.[A-Za-z0-9_-]{1,40}){0,4}\\.(?:${EXTENSION})(?![A-Za-z0-9_]|\\.[A-Za-z0-9]|[/@])`,
  'y',
);
const EXTENDED = new RegExp(`\\.(?:${EXTENSION})$`);
const HIDDEN = /\.(?:[a-z][a-z0-9_-]{1,40})(?:\.[a-z0-9]{1,20}){0,2}(?![A-Za-z0-9_(])/y;
const PATH = /(?:~|\.{1,2})?(?:\/[A-Za-z0-9_.@+~*%-]{1,120})+\/?|~\/|\.{1,2}\//y;
const RELATIVE = /[A-Za-z0-9_.@-]{1,80}(?:\/[A-Za-z0-9_.@*+-]{1,80}){1,40}\/?/y;
const WINDOWS = /(?:[A-Za-z]:\\|\\\\)[^\s"<>|]{0,2000}/y;
const FOLDER =
  /(?:^|\/)(?:src|lib|bin|usr|etc|home|node_modules|dist|tests?|docs?|app|public|var|opt|tmp|build|packages|api|v\d+)(?:\/|$)/;
const TRAILING = /[.,;:!?)\]'}]+$/;

const SIGNS: Readonly<Record<string, string>> = {
  '.': 'dot',
  '/': 'slash',
  '\\': 'backslash',
  '-': 'dash',
  _: 'underscore',
  '@': 'at',
  ':': 'colon',
  '?': 'question mark',
  '=': 'equals',
  '&': 'and',
  '#': 'hash',
  '%': 'percent',
  '+': 'plus',
  '~': 'tilde',
  '*': 'star',
  '…': 'dot dot dot',
  '^': 'caret',
  $: 'dollar',
  ',': 'comma',
  ';': 'semicolon',
  '!': 'exclamation mark',
  '×': 'times',
  '÷': 'divided by',
};

/** Says an address piece by piece, each standing for its own characters. */
function sayAddress(scan: Scan, from: number, to: number, silent = ''): void {
  const { text } = scan;
  for (let begin = from; begin < to; ) {
    const code = text.charCodeAt(begin);
    let end = begin + 1;
    if (isDigit(code)) {
      while (end < to && isDigit(text.charCodeAt(end))) end++;
      scan.out.say(sayPart(text.slice(begin, end)), begin, end);
    } else if (isLetter(code)) {
      while (end < to && isLetter(text.charCodeAt(end))) end++;
      sayIdentifier(scan, begin, end);
    } else {
      const piece = text[begin]!;
      const sign = SIGNS[piece];
      if (sign && !silent.includes(piece) && !(code === 47 /* / */ && end === to && to - from > 1))
        scan.out.say(sign, begin, end);
    }
    begin = end;
  }
}

/** The length of an address without the punctuation of the sentence behind it. */
function trimmed(whole: string): number {
  const trail = TRAILING.exec(whole.slice(-40));
  if (!trail) return whole.length;
  const open = whole.includes('(') && trail[0].startsWith(')');
  return whole.length - trail[0].length + (open ? 1 : 0);
}

/**
 * An address begins a word, or stands behind a mark that opens or parts something; never inside
 * another one.
 */
function opensAddress(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text[at - 1]!;
  if (before === ':') return /[hw]/.test(text[at]!) && /^(?:https?:|www\.)/.test(text.slice(at, at + 6));
  return ' "\'([{<=,;|—'.includes(before);
}

function page(scan: Scan, at: number, whole: string): number {
  const end = at + trimmed(whole);
  const lead = SCHEME.exec(whole)![0].length;
  if (end <= at + lead) return at;
  sayAddress(scan, at + lead, end);
  scan.remember('');
  return end;
}

/** Addresses that begin with a letter or a digit. */
function address(scan: Scan, at: number): number {
  const { text } = scan;
  if (!opensAddress(text, at)) return at;
  const marks = scan.addressMarks(at);
  if (marks === 0) return at;
  const url = marks & MARKS.colon || (text.charCodeAt(at) | 32) === 119 /* w */ ? matchAt(URL, text, at) : null;
  if (url) {
    const end = page(scan, at, url[0]);
    if (end > at) return end;
  }
  const mail = marks & MARKS.at ? matchAt(EMAIL, text, at) : null;
  if (mail) {
    const end = at + mail[0].replace(/[.-]+$/, '').length;
    sayAddress(scan, at, end);
    return end;
  }
  const windows = text.charCodeAt(at + 1) === 58 /* : */ ? matchAt(WINDOWS, text, at) : null;
  if (windows) {
    const end = at + trimmed(windows[0]);
    sayAddress(scan, at, end);
    return end;
  }
  const domain = marks & (MARKS.dot | MARKS.colon) ? matchAt(DOMAIN, text, at) : null;
  if (domain && !/^[A-Z]\.[A-Z]/.test(domain[0])) return page(scan, at, domain[0]) || at;
  const file = marks & MARKS.dot ? matchAt(FILE, text, at) : null;
  if (file && !/^\d+\.\d+$/.test(file[0]) && !/^(?:e\.g|i\.e)/i.test(file[0])) {
    sayAddress(scan, at, at + file[0].length, '-');
    return at + file[0].length;
  }
  const relative = marks & MARKS.slash ? matchAt(RELATIVE, text, at) : null;
  if (relative && isPath(relative[0])) {
    const end = at + trimmed(relative[0]);
    sayAddress(scan, at, end, '-');
    return end;
  }
  return at;
}

/** "src/text/words.ts" is a path, "and/or" and "he/she" are not, "1/2/2024" is none either. */
function isPath(written: string): boolean {
  if (/^[\d/.]+$/.test(written) || !/[A-Za-z]/.test(written)) return false;
  if (/^[A-Z]{1,5}\/[A-Z]{1,5}$/.test(written)) return false;
  return (
    FOLDER.test(written) ||
    EXTENDED.test(written) ||
    /^@[a-z]/.test(written) ||
    (/_/.test(written) && written.includes('/'))
  );
}

/** Paths that begin with a sign: "/usr/bin", "~/notes", "./run", ".gitignore". */
function path(scan: Scan, at: number): number {
  const { text } = scan;
  if (at > 0 && !opensWord(text.charCodeAt(at - 1))) return at;
  const char = text[at];
  if (char !== '/' && char !== '~' && char !== '.' && char !== '\\') return at;
  if (char === '\\') {
    const windows = matchAt(WINDOWS, text, at);
    if (!windows || windows[0].length < 4) return at;
    sayAddress(scan, at, at + trimmed(windows[0]));
    return at + trimmed(windows[0]);
  }
  const match = matchAt(PATH, text, at);
  if (match) {
    const end = at + (match[0].length < 4 ? match[0].length : trimmed(match[0]));
    sayAddress(scan, at, end, '-');
    return end;
  }
  const hidden = char === '.' ? matchAt(HIDDEN, text, at) : null;
  if (!hidden) return at;
  sayAddress(scan, at, at + hidden[0].length, '-');
  return at + hidden[0].length;
}

const IPV4 = /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?::(\d{1,5}))?(?:\/(\d{1,2}))?(?![\d.]{0,20}\d)/y;
const IPV6 =
  /(?:[0-9A-Fa-f]{1,4}:){3,7}[0-9A-Fa-f]{1,4}(?![\w:])|(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}(?![\w:])|::[0-9A-Fa-f]{1,4}(?![\w:])/y;

function machine(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!opensAddress(text, at)) return at;
  const marks = scan.addressMarks(at);
  const four = marks & MARKS.dot && isDigit(text.charCodeAt(at)) ? matchAt(IPV4, text, at) : null;
  if (four?.slice(1, 5).every((part) => Number(part) < 256)) {
    const words = four
      .slice(1, 5)
      .map((part) => triple(part!))
      .join(' dot ');
    const port = four[5] ? ` port ${four[5].length === 4 ? pairs(four[5]) : cardinal(four[5])}` : '';
    const mask = four[6] ? ` slash ${cardinal(four[6])}` : '';
    out.say(words + port + mask, at, at + four[0].length);
    return at + four[0].length;
  }
  const six = marks & MARKS.colon ? matchAt(IPV6, text, at) : null;
  if (!six || (!/[A-Fa-f]/.test(six[0]) && !six[0].includes('::') && six[0].split(':').length < 5)) return at;
  for (let i = 0; i < six[0].length; i++) {
    const char = six[0][i]!;
    out.say(char === ':' ? 'colon' : /\d/.test(char) ? cardinal(char) : char.toUpperCase(), at + i, at + i + 1);
  }
  return at + six[0].length;
}

export const machineRule: Rule = {
  name: 'machine address',
  begins: {
    signs: ':',
    digits: { next: /[:A-Fa-f]/, point: /\./ },
    words: { behind: /[:\d]/ },
  },
  apply: machine,
};

export const addressRule: Rule = {
  name: 'address',
  begins: {
    digits: { next: /[@/\\_A-Za-z:%+~-]/, point: /[.@/_A-Za-z%+~-]/, stop: /[.@/_A-Za-z%+~-]/ },
    words: { when: (_, scan, at) => scan.addressMarks(at) > 0 },
  },
  apply: address,
};

export const pathRule: Rule = {
  name: 'path',
  begins: { signs: '/~.\\' },
  apply: path,
};
