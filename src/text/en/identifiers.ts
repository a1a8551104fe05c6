/** Names out of programs and catalogues: camelCase, snake_case, letters mixed with digits. */

import { ACCENTED_CAPITALS, ACCENTED_SMALL, isAlphanumeric, type Scan } from '../normalize/scan.js';
import { capitals, isPronounceable, spell } from './acronyms.js';
import { cardinal, digitByDigit, pairs, plural, triple } from './numbers/numbers.js';

const SMALL = `[a-z${ACCENTED_SMALL}]`;
const PARTS = new RegExp(
  `[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]{2,}s?(?![a-z])|[A-Z]?${SMALL}+(?:'s(?![A-Za-z]))?|[A-Z${ACCENTED_CAPITALS}]${SMALL}*|\\d+|[^A-Za-z\\d]`,
  'g',
);
const VOWEL = new RegExp(`[aeiouy${ACCENTED_CAPITALS}${ACCENTED_SMALL}]`, 'i');

/**
 * Small letters that are said by name when they are a part of an address, a path or an identifier.
 */
const SPELLED_SMALL = new Set(
  (
    'html css js ts tsx jsx http https ftp ssh tcp udp dns sql url uri api xml csv pdf png svg mp db ip id ui ux io os cpu gpu ' +
    'php rb cpp hpp md txt exe dll dmg npm pnpm aws gcp ssl tls vpn llm gpt ai ml nlp usb utf cdn cli sdk jwt ssr seo www std ' +
    'uk us de fr jp cn eu nl ch tv fm edu kb mb gb ms cc btn ctx fn stt tts rgb rs vm gz bz xz mkv avi flv'
  ).split(' '),
);

/** Clipped forms and what they are read as. */
const CLIPPED: Readonly<Record<string, string>> = {
  src: 'source',
  usr: 'user',
  lib: 'lib',
  tmp: 'temp',
  dev: 'dev',
  etc: 'et cetera',
  bin: 'bin',
  cfg: 'config',
  pkg: 'package',
  msg: 'message',
  img: 'image',
  ini: 'I N I',
  jpg: 'jay peg',
  jpeg: 'jay peg',
  mpeg: 'em peg',
  png: 'P N G',
  gif: 'gif',
  json: 'jason',
  yml: 'yammel',
  yaml: 'yammel',
  toml: 'tommel',
  py: 'pie',
  sh: 'S H',
  gov: 'gov',
  stdin: 'standard in',
  stdout: 'standard out',
  stderr: 'standard error',
  mp: 'M P',
  env: 'env',
  gitignore: 'git ignore',
  readme: 'read me',
  changelog: 'change log',
  nginx: 'engine X',
  sqlite: 'S Q lite',
};

/** One part of an identifier, an address or a path, in words. */
export function sayPart(part: string): string {
  const first = part.charCodeAt(0);
  if (part.length === 1) return first > 47 && first < 58 ? cardinal(part) : spell(part);
  if (first > 47 && first < 58 && /^\d+$/.test(part))
    return part.length > 6 || (part.length > 1 && part.startsWith('0'))
      ? digitByDigit(part)
      : part.length === 4
        ? pairs(part)
        : cardinal(part);
  const small = part.toLowerCase();
  if (Object.hasOwn(CLIPPED, small)) return CLIPPED[small]!;
  if (SPELLED_SMALL.has(small)) return spell(part);
  const many = small.endsWith('s') ? small.slice(0, -1) : '';
  if (many.length > 2 && SPELLED_SMALL.has(many)) return `${spell(many)}'s`;
  if (/^[A-Z]+s?$/.test(part)) return capitals(part) ?? part;
  if (part.length < 8 && !VOWEL.test(part)) return spell(part);
  return part;
}

const MODEL = /^[A-Z]\d+(?:neo|[a-z]{1,2})?$/;

/** The last letter of "A321s", "MP3s". */
const isMany = (text: string, at: number): boolean =>
  at === text.length - 1 && text[at] === 's' && /^[A-Z]+\d+s$/.test(text);

/** Splits an identifier and says its parts, each standing for its own characters. */
export function sayIdentifier(scan: Scan, from: number, to: number): void {
  if (to - from === 1 && isAlphanumeric(scan.text.charCodeAt(from))) {
    scan.out.say(sayPart(scan.text[from]!), from, to);
    return;
  }
  const text = scan.text.slice(from, to);
  const constant = text.includes('_') && /^[A-Z\d]+(?:_[A-Z\d]+)+$/.test(text);
  PARTS.lastIndex = 0;
  for (let match = PARTS.exec(text); match; match = PARTS.exec(text)) {
    const part = constant && isPronounceable(match[0]) ? match[0].toLowerCase() : match[0];
    if (part.length === 1 && !isAlphanumeric(part.charCodeAt(0))) continue;
    const begin = from + match.index;
    // "A320", "F150": the number of a model behind its letter, and several of them.
    const model = match.index === 1 && /^[1-9]\d[1-9]$|^[1-9][1-9]0$/.test(part) && MODEL.test(text);
    const said = model ? triple(part) : sayPart(part);
    if (isMany(text, match.index + part.length)) {
      scan.out.say(plural(said), begin, to);
      return;
    }
    scan.out.say(said, begin, begin + part.length);
  }
}
