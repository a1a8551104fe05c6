/** The abbreviations of French, and how each is read. */
import type { Rule } from '../normalize/rule.js';
import { isCapitalised, isDigit, isLetter, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { SHORT_NAMES } from './dates.js';

/** With a stop behind them, unless it was left out. */
const TITLES: Readonly<Record<string, string>> = {
  M: 'monsieur',
  MM: 'messieurs',
  Mme: 'madame',
  Mmes: 'mesdames',
  Mlle: 'mademoiselle',
  Mlles: 'mesdemoiselles',
  Dr: 'docteur',
  Drs: 'docteurs',
  Pr: 'professeur',
  Me: 'maître',
  Mgr: 'monseigneur',
  St: 'saint',
  Ste: 'sainte',
};

/** Titles that need their stop: without it they are letters or words. */
const STOPPED_TITLE = new Set(['M', 'MM']);

/** Read as these words where their stop follows. */
const STOPPED: Readonly<Record<string, string>> = {
  ...SHORT_NAMES,
  env: 'environ',
  cf: 'confer',
  tél: 'téléphone',
  bd: 'boulevard',
  bld: 'boulevard',
  boul: 'boulevard',
  av: 'avenue',
  pl: 'place',
  imp: 'impasse',
  rte: 'route',
  dép: 'département',
  réf: 'référence',
  max: 'maximum',
  min: 'minimum',
  hab: 'habitants',
  éd: 'édition',
  coll: 'collection',
  dir: 'direction',
  resp: 'respectivement',
  ex: 'exemple',
  adj: 'adjectif',
  apr: 'après',
  ill: 'illustration',
  trad: 'traduction',
};

/** Read as these words before a number. */
const BEFORE_NUMBER: Readonly<Record<string, string>> = {
  p: 'page',
  pp: 'pages',
  chap: 'chapitre',
  art: 'article',
  vol: 'volume',
  fig: 'figure',
  no: 'numéro',
  nos: 'numéros',
  No: 'numéro',
  Nos: 'numéros',
  t: 'tome',
  al: 'alinéa',
};

/** Read so without a stop. */
const BARE: Readonly<Record<string, string>> = {
  bd: 'boulevard',
  Bd: 'boulevard',
  RDV: 'rendez-vous',
  rdv: 'rendez-vous',
  svp: "s'il vous plaît",
  SVP: "s'il vous plaît",
  stp: "s'il te plaît",
  tjs: 'toujours',
  bcp: 'beaucoup',
};

const WEEKDAYS = new Set(['lun', 'mar', 'mer', 'jeu', 'ven', 'sam', 'dim']);
/** Words as well as abbreviations. */
const WORDS_TOO = new Set(['ex', 'max', 'min', 'pl', 'imp', 'ill', 'coll', 'av']);

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/p\. ?ex\.?(?![a-z])/iy, 'par exemple'],
  [/c\.? ?-? ?[àa]\.? ?-? ?d\.(?![a-z])/iy, "c'est-à-dire"],
  [/av\. ?J\.? ?-? ?C\.?(?![a-z])/y, 'avant Jésus-Christ'],
  [/apr?\. ?J\.? ?-? ?C\.?(?![a-z])/y, 'après Jésus-Christ'],
  [/J\.-C\.(?![a-z])/y, 'Jésus-Christ'],
  [/etc\.{0,3}(?![a-z])/y, 'et cetera'],
  [/N\. ?B\.(?= ?[:\p{L}])/uy, 'nota bene'],
];
const PHRASE_BEGINS = 'pcCaAJeNP';
const DOTTED = /[A-ZÀ-Ý](?:\.-?[A-ZÀ-Ý]){1,9}\.?(?![A-Za-zÀ-ÿ])/y;
const NUMERO = /[nN]°(?:s|ˢ)? ?(?=\d)/y;

function say(scan: Scan, words: string, at: number, end: number): number {
  scan.out.say(words, at, end);
  scan.remember(words);
  return end;
}

/** A stop that ends the text, or before which a sentence ends, stays. */
function behindStop(scan: Scan, end: number): number {
  if (scan.endsAt(end + 1)) return end;
  return end + 1;
}

function abbreviation(scan: Scan, at: number): number {
  const { text } = scan;
  if (!scan.atBoundary(at)) return at;
  const word = scan.wordAt(at);
  const end = at + word.length;
  const stop = text[end] === '.';
  const phrase = PHRASE_BEGINS.includes(text[at]!) ? phraseAt(scan, at) : at;
  if (phrase > at) return phrase;
  if (stop && word.length === 1 && isLetter(text.charCodeAt(end + 1)) === false && text[end + 1] !== '-') {
    const initial = initialAt(scan, at, word);
    if (initial > at) return initial;
  }
  const dotted = stop && word.length === 1 ? matchAt(DOTTED, text, at) : null;
  if (dotted) {
    const letters = dotted[0]
      .replace(/[^A-ZÀ-Ý]/g, '')
      .split('')
      .join(' ');
    const whole = at + dotted[0].length;
    return say(scan, letters, at, dotted[0].endsWith('.') && scan.endsAt(whole) ? whole - 1 : whole);
  }
  const numero = text[end] === '°' ? matchAt(NUMERO, text, at) : null;
  if (numero) return say(scan, numero[0][2] === 's' ? 'numéros' : 'numéro', at, at + numero[0].trimEnd().length);
  const next = text[end + (stop ? 1 : 0)] === ' ' ? end + (stop ? 2 : 1) : end + (stop ? 1 : 0);
  if (Object.hasOwn(BEFORE_NUMBER, word) && isDigit(text.charCodeAt(next)) && (stop || /^[nN]os?$/.test(word)))
    return say(scan, BEFORE_NUMBER[word]!, at, stop ? end + 1 : end);
  if (Object.hasOwn(TITLES, word) && isTitle(scan, word, stop ? end + 1 : end, stop))
    return say(scan, TITLES[word]!, at, stop ? end + 1 : end);
  const short = Object.hasOwn(STOPPED, word) ? word : word.charAt(0).toLowerCase() + word.slice(1);
  if (stop && Object.hasOwn(STOPPED, short) && !isLetter(text.charCodeAt(end + 1)) && isShort(scan, short, end + 1))
    return say(scan, STOPPED[short]!, at, behindStop(scan, end));
  return !stop && Object.hasOwn(BARE, word) ? say(scan, BARE[word]!, at, end) : at;
}

/**
 * Weekdays, months and words of their own in short: a number stands beside "mer." and "sept.", and
 * "ex." ends no sentence.
 */
function isShort(scan: Scan, word: string, end: number): boolean {
  if (WEEKDAYS.has(word)) return /^ ?[\d-]/.test(scan.text.slice(end, end + 2));
  if (word === 'sept') return /^\d/.test(scan.previous);
  return !(WORDS_TOO.has(word) && scan.endsAt(end));
}

function phraseAt(scan: Scan, at: number): number {
  for (const [pattern, words] of PHRASES) {
    const match = matchAt(pattern, scan.text, at);
    if (!match) continue;
    const end = at + match[0].length;
    return say(scan, words, at, match[0].endsWith('.') && words === 'et cetera' && scan.endsAt(end) ? end - 1 : end);
  }
  return at;
}

/** "J. Dupont": a letter for a name, before another one or the family's. */
function initialAt(scan: Scan, at: number, letter: string): number {
  // "Article L. 121"
  if (/[A-Z]/.test(letter) && /^ \d/.test(scan.text.slice(at + 2, at + 4)) && scan.previous !== '')
    return say(scan, letter, at, at + 2);
  if (!/[A-ZÀ-Ý]/.test(letter) || Object.hasOwn(TITLES, letter)) return at;
  if (!isCapitalised(scan.nextWord(at + 2)) || scan.text[at + 2] !== ' ') return at;
  if (scan.previous !== '' && !isCapitalised(scan.previous) && !/^(?:et|de|par|à)$/.test(scan.previous)) return at;
  return say(scan, letter, at, at + 2);
}

function isTitle(scan: Scan, word: string, end: number, stop: boolean): boolean {
  if (STOPPED_TITLE.has(word) && !stop) return false;
  const next = scan.nextWord(end);
  if (word === 'M' || word === 'MM') return isCapitalised(next) || /^(?:et|le|de|du)$/.test(next);
  if (word === 'Me' || word === 'St' || word === 'Ste' || word === 'Pr')
    return isCapitalised(next) && next !== next.toUpperCase();
  return true;
}

export const abbreviationRule: Rule = {
  name: 'abbreviation',
  begins: {
    words: {
      behind: /[.°-]/,
      known: [...Object.keys(TITLES), ...Object.keys(BARE), ...Object.keys(BEFORE_NUMBER), 'etc'],
    },
  },
  apply: abbreviation,
};
