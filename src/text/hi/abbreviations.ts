/** The abbreviations of Hindi, and how each is read. */
import type { Rule } from '../normalize/rule.js';
import { isDigit, isLetter, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { LETTER_NAMES, spell } from './words.js';

/** Read as these words where a stop follows. */
const STOPPED: Readonly<Record<string, string>> = {
  डॉ: 'डॉक्टर',
  डा: 'डॉक्टर',
  प्रो: 'प्रोफ़ेसर',
  पं: 'पंडित',
  स्व: 'स्वर्गीय',
  कु: 'कुमारी',
  मो: 'मोहम्मद',
  मु: 'मुहम्मद',
  इं: 'इंजीनियर',
  इंजी: 'इंजीनियर',
  एड: 'एडवोकेट',
  ले: 'लेफ़्टिनेंट',
  कै: 'कैप्टन',
  पृ: 'पृष्ठ',
  नं: 'नंबर',
  सं: 'संख्या',
  क्र: 'क्रमांक',
  दि: 'दिनांक',
  ई: 'ईस्वी',
  रु: 'रुपये',
  रू: 'रुपये',
  मी: 'मीटर',
  ता: 'तारीख़',
};
/** Read as these words without a stop. */
const BARE: Readonly<Record<string, string>> = {
  डॉ: 'डॉक्टर',
  किमी: 'किलोमीटर',
  किग्रा: 'किलोग्राम',
  सेमी: 'सेंटीमीटर',
  मिमी: 'मिलीमीटर',
};

/** Rows of letters with stops that stand for words. */
const DOTTED_WORDS: Readonly<Record<string, string>> = {
  'ई.पू': 'ईसा पूर्व',
  'उ.प्र': 'उत्तर प्रदेश',
  'म.प्र': 'मध्य प्रदेश',
  'आं.प्र': 'आंध्र प्रदेश',
  'हि.प्र': 'हिमाचल प्रदेश',
  'वि.सं': 'विक्रम संवत',
  'रा.ज.द': 'राजद',
  'भा.ज.पा': 'भाजपा',
  'कि.मी': 'किलोमीटर',
  'कि.ग्रा': 'किलोग्राम',
  'से.मी': 'सेंटीमीटर',
  'सं.रा': 'संयुक्त राष्ट्र',
};
const DOTTED = /[\u0900-\u0963]{1,8}(?:\.[\u0900-\u0963]{1,8}){1,6}\.?(?![\u0900-\u0963])/y;
const LATIN_DOTTED = /[A-Za-z](?:\.[A-Za-z]){1,8}\.?(?![A-Za-z])/y;
const LETTERS = new Set(Object.values(LETTER_NAMES));
/** Names of letters that are words as well, so that a sentence may end with them. */
const WORDS_TOO = new Set(['के', 'पी', 'आई', 'ए', 'ई', 'ओ', 'जी', 'सी']);

function say(scan: Scan, words: string, at: number, end: number): number {
  scan.out.say(words, at, end);
  scan.remember(words);
  return end;
}

/** The stop that ends the text stays, for its sentence. */
const behind = (scan: Scan, end: number): number => (scan.endsAt(end) ? end - 1 : end);

function abbreviation(scan: Scan, at: number): number {
  const { text } = scan;
  if (!scan.atBoundary(at)) return at;
  const word = scan.wordAt(at);
  const end = at + word.length;
  if (text[end] !== '.') return Object.hasOwn(BARE, word) ? say(scan, BARE[word]!, at, end) : at;
  if (isLetter(text.charCodeAt(end + 1))) return dotted(scan, at);
  if (Object.hasOwn(STOPPED, word)) return say(scan, STOPPED[word]!, at, behind(scan, end + 1));
  const initial = LETTERS.has(word) && text[end + 1] === ' ' && isLetter(text.charCodeAt(end + 2));
  if (!initial || (WORDS_TOO.has(word) && scan.previous !== '' && !LETTERS.has(scan.previous))) return at;
  return say(scan, word, at, end + 1);
}

function dotted(scan: Scan, at: number): number {
  const match = matchAt(DOTTED, scan.text, at) ?? matchAt(LATIN_DOTTED, scan.text, at);
  if (!match) return at;
  const letters = match[0].replace(/\.$/, '');
  const whole = at + match[0].length;
  const end = match[0].endsWith('.') ? behind(scan, whole) : whole;
  const known = Object.hasOwn(DOTTED_WORDS, letters) ? DOTTED_WORDS[letters] : undefined;
  if (known !== undefined) return say(scan, known, at, letters === 'उ.प्र' || letters === 'ई.पू' ? whole : end);
  const parts = letters.split('.');
  if (/[A-Za-z]/.test(letters)) return say(scan, spell(parts.join('')), at, end);
  // "था.वह": a stop without its space.
  if (parts.some((part) => part.length > 3 && !LETTERS.has(part))) return at;
  return say(scan, parts.join(' '), at, end);
}

export const abbreviationRule: Rule = {
  name: 'abbreviation',
  begins: { words: { behind: /\./, known: Object.keys(BARE) } },
  apply: abbreviation,
};

/** "था.वह": a stop between words ends a sentence. */
export const innerStopRule: Rule = {
  name: 'stop without a space',
  begins: { signs: '.' },
  apply(scan, at) {
    const { text, out } = scan;
    if (!isLetter(text.charCodeAt(at - 1)) || !isLetter(text.charCodeAt(at + 1))) {
      if (!isDigit(text.charCodeAt(at - 1)) || !isDigit(text.charCodeAt(at + 1))) return at;
      out.say('दशमलव', at, at + 1);
      return at + 1;
    }
    out.mark('.', at, at + 1);
    out.space(at + 1, at + 1);
    return at + 1;
  },
};
