/** Latin letters in Chinese text: letters by name, and words that are said in English. */
import { form } from '../../normalize/form.js';
import type { Rule } from '../../normalize/rule.js';
import { integer } from '../numbers.js';

/** Capitals that are said as a word. */
const WORDS = /^(?:NASA|NATO|COVID|SIM|RAM|ROM|LED|GIF|WIFI|PIN|VISA|OPEC|APEC|IKEA|OK|LOGO|TOEFL|SARS)$/;
const LONGEST_ACRONYM = 6;

const spaced = (letters: string): string => [...letters.toUpperCase()].join(' ');

/** A word is spelled where it is written in capitals, or has no vowel. */
const isSpelled = (word: string): boolean =>
  !WORDS.test(word) && ((/^[A-Z]{1,6}$/.test(word) && word.length <= LONGEST_ACRONYM) || !/[aeiouy]/i.test(word));

const latinSound = (word: string): string => (isSpelled(word) ? spaced(word) : word);

const WORD = /[A-Za-z\u00c0-\u024f]+(?:['’-][A-Za-z\u00c0-\u024f]+)*/y;

export const latinRule: Rule = {
  name: 'Latin word',
  begins: { words: 'any word', inside: true },
  apply(scan, at) {
    WORD.lastIndex = at;
    const word = WORD.exec(scan.text)?.[0] ?? scan.text[at]!;
    scan.out.say(latinSound(word), at, at + word.length);
    scan.remember(word.slice(0, 40));
    return at + word.length;
  },
};

/** "No.5", "RMB 100", "US$20" */
export const numberedRule = form(
  'numbered',
  { words: { first: /[NnRU]/ } },
  /No\.\s?(\d+)|RMB(?=\s?\d)|US(?=\$\d)/y,
  ([written, number]) => (number === undefined ? (written === 'RMB' ? '人民币' : undefined) : `第${integer(number)}`),
);

/** "US$": the dollar sign says it all. */
export const usRule: Rule = {
  name: 'US dollar',
  begins: { words: { first: /U/ } },
  apply: (scan, at) => (/^US\$\d/.test(scan.text.slice(at, at + 4)) ? at + 2 : at),
};

const MARKS: Readonly<Record<string, string>> = {
  '.': '点',
  '/': '斜杠',
  ':': '冒号',
  '@': 'at',
  '-': '杠',
  _: '下划线',
  '?': '问号',
  '=': '等于',
  '&': '和',
  '#': '井号',
  '%': '百分号',
  '~': '波浪号',
  '+': '加',
};

const spelled = (address: string): string =>
  Array.from(address.replace(/\/$/, '').matchAll(/[A-Za-z]+|\d+|[^A-Za-z\d]/g), ([piece]) => {
    if (/^\d/.test(piece)) return integer(piece);
    if (/^(?:www|cn|hk|tw|uk|io|tv)$/i.test(piece)) return spaced(piece);
    return /^[A-Za-z]/.test(piece) ? (/^https?$/.test(piece) ? piece : latinSound(piece)) : (MARKS[piece] ?? '');
  })
    .filter((piece) => piece !== '')
    .join(' ');

const ADDRESS =
  /(?:https?:\/\/[\w.~:/?#@&=+%-]*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:www\.)?[a-z\d-]+(?:\.[a-z\d-]+)*\.(?:com|net|org|cn|io|dev|info|jp|uk|de|fr|ai|app|tv|me|gov|edu|hk|tw)(?:\/[\w.~/?#&=%-]*)?)(?![\w@])/y;

export const addressRule = form('web address', { words: { when: () => true } }, ADDRESS, ([address]) =>
  spelled(address!),
);

export const handleRule = form('handle', { signs: '@' }, /@(?=[\p{L}])/uy, () => 'at');

export const tagRule = form('tag', { signs: '#' }, /#(?=[\p{L}])/uy, () => '话题');
