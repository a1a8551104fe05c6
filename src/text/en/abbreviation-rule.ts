/** Abbreviations, expanded by what stands around them. */

import type { Rule } from '../normalize/rule.js';
import { isCapitalised, isDigit, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { isPlaceName, READINGS, SENTENCE_WORDS } from './abbreviations.js';
import { spell } from './acronyms.js';
import { startsSentence } from './sentence-starts.js';

const DOTTED =
  /([A-Za-z](?:\. ?[A-Za-z]){1,12})(?:\.('s|s)?|(?='s\b))(?![A-Za-z0-9])|([A-Za-z](?:\.[A-Za-z]){1,12})(?![A-Za-z0-9.])/y;
const DOTTED_WORDS: Readonly<Record<string, string>> = {
  'e.g': 'for example',
  'i.e': 'that is',
  'a.k.a': 'also known as',
  'w.r.t': 'with respect to',
  'n.b': 'note',
  'q.v': 'which see',
  'r.s.v.p': 'R S V P',
};
/** "r. s. v. p". */
const LONGEST_DOTTED = 10;
const SPECIAL =
  /(Ph\.? ?D|Ll\.? ?[BMD]|Ed\.? ?D|D\.? ?Phil|B\.? ?Sc|M\.? ?Sc|B\.? ?Eng|M\.? ?Eng|Litt\.? ?D)(\.)?('s|s)?(?![A-Za-z0-9])/y;
const LONGEST_WORD = 7;
/** More letters than these in a row, with a dot behind each, are no abbreviation. */
const MOST_DOTTED = 13;
const SLASHED =
  /(w\/o|w\/|y\/y|q\/q|m\/m|b\/d|b\/w|b\/c|c\/o|n\/a|N\/A|s\/he|he\/she|she\/he|his\/her|him\/her|and\/or)(?![A-Za-z0-9/])/y;
const SLASHED_WORDS: Readonly<Record<string, string>> = {
  'w/o': 'without',
  'w/': 'with',
  'b/c': 'because',
  'b/d': 'barrels per day',
  'b/w': 'between',
  'c/o': 'care of',
  'm/m': 'month over month',
  'q/q': 'quarter over quarter',
  'y/y': 'year over year',
  'n/a': 'N A',
  'N/A': 'N A',
  's/he': 'she or he',
  'he/she': 'he or she',
  'she/he': 'she or he',
  'his/her': 'his or her',
  'him/her': 'him or her',
  'and/or': 'and or',
};

/** Expanded also where the dot was left out. */
const WITHOUT_DOT = new Set(
  'Mr Mrs Ms Jr vs etc approx dept govt Blvd Ave Hwy Pkwy Bldg bldg attn Attn qty Qty Fwd fwd Sgt Capt Lt Prof Utd Rt'.split(
    ' ',
  ),
);
const STREETS = new Set(['St', 'Rd', 'Ln', 'Dr']);

function abbreviation(scan: Scan, at: number): number {
  if (!scan.atBoundary(at)) return at;
  const { text } = scan;
  const follow = text.charCodeAt(at + scan.wordAt(at).length);
  const slashed = follow === 47 /* / */ ? matchAt(SLASHED, text, at) : null;
  if (slashed) return say(scan, SLASHED_WORDS[slashed[1]!]!, at, at + slashed[0].length, slashed[1]!);
  const marked = follow === 46 /* . */ || follow === 47; /* / */
  const special = marked && 'PLEDBM'.includes(text[at]!) ? matchAt(SPECIAL, text, at) : null;
  if (special) {
    const letters = spell(special[1]!.replace(/[^A-Za-z]/g, '')) + (special[3] ? "'s" : '');
    return say(scan, letters, at, stop(scan, at, special[0]), special[1]!);
  }
  const second = text.charCodeAt(at + 1);
  if (second === 46 /* . */) {
    const end = dotted(scan, at);
    if (end > at) return end;
  }
  return single(scan, at);
}

function say(scan: Scan, words: string, from: number, to: number, written: string): number {
  scan.out.say(words, from, to);
  scan.remember(written);
  return to;
}

/**
 * Where an abbreviation ends: its dot stays for the sentence where nothing, or a new sentence,
 * follows.
 */
function stop(scan: Scan, at: number, whole: string): number {
  const end = at + whole.length;
  if (whole === 'Dr.' && scan.nextWord(end) === 'Who') return end;
  const ends = scan.endsAt(end) || startsSentence(scan, end) || endsItem(scan, whole, end);
  return whole.endsWith('.') && ends ? end - 1 : end;
}

/** "… etc. 2. Stir": an item of a list ends here, and the next one begins. */
const endsItem = (scan: Scan, whole: string, end: number): boolean =>
  /^(?:etc|hrs|mins|secs|yrs|lbs)\.$/i.test(whole) && BEGINS_ITEM.test(scan.text.slice(end, end + 6));
const BEGINS_ITEM = /^ (?:[A-Z]|\d{1,3}[.)] )/;

/** "U.S.", "e.g.", "J.R.R. Tolkien". */
function dotted(scan: Scan, at: number): number {
  const match = mayBeDotted(scan.text, at) ? matchAt(DOTTED, scan.text, at) : null;
  if (match) {
    const letters = (match[1] ?? match[3])!;
    const known = letters.length > LONGEST_DOTTED ? undefined : dottedWord(letters);
    // Spaces between the letters: only names are so written ("J. K. Rowling"), and they go letter
    // by letter below.
    if (known || !letters.includes(' ')) {
      if (/^[a-z]\.[a-z]$/.test(letters) && !known && !/^[ap]\.m$/.test(letters) && !match[0].endsWith('.')) return at;
      const words = known ?? spell(letters.replace(/[^A-Za-z]/g, ''));
      return say(scan, words + (match[2] ? "'s" : ''), at, stop(scan, at, match[0]), letters);
    }
  }
  if (!isInitial(scan.text, at)) return at;
  const letter = scan.text[at]!;
  const enumerates = at === 0 && /^[A-D]$/.test(letter) && !/^[A-Z]\./.test(scan.text.slice(at + 3, at + 5));
  // Two initials in a row are a person's, whatever stands before: "the poet W. B. Yeats".
  const person = /^[A-Z]\. ?[A-Z]\. ?[A-Z]/.test(scan.text.slice(at, at + 8)) && !enumerates;
  const led = person || scan.previous === '' || isCapitalised(scan.previous);
  if (enumerates || !led || startsSentence(scan, at + 2)) return at;
  if (SENTENCE_WORDS.labelled.has(scan.previous.toLowerCase()) || isPronounI(scan.text, at + 3)) return at;
  return say(scan, spell(letter), at, at + 2, letter);
}

/** "Grade A. I got": what follows an initial is another one or a name. */
function isPronounI(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return text[at] === 'I' && text[at - 1] === ' ' && (next === 32 || next === 39) /* ' */;
}

/** A capital, a dot and another capital, perhaps over a space. */
function isInitial(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 2);
  return isCapital(text.charCodeAt(at)) && isCapital(next === 32 ? text.charCodeAt(at + 3) : next);
}

/**
 * Whether letters with dots between begin at `at`, and no more of them than an abbreviation has.
 */
function mayBeDotted(text: string, at: number): boolean {
  let end = at + 2;
  if (text.charCodeAt(end) === 32) return isAsciiLetter(text.charCodeAt(end + 1));
  if (!isAsciiLetter(text.charCodeAt(end))) return false;
  for (let letters = 2; letters <= MOST_DOTTED; letters++) {
    if (text.charCodeAt(end + 1) !== 46 /* . */ || !isAsciiLetter(text.charCodeAt(end + 2))) return true;
    end += 2;
  }
  return false;
}

const isCapital = (code: number): boolean => code > 64 && code < 91;
const isAsciiLetter = (code: number): boolean => isCapital(code) || (code > 96 && code < 123);

function dottedWord(letters: string): string | undefined {
  const small = letters.toLowerCase().replaceAll(' ', '');
  return Object.hasOwn(DOTTED_WORDS, small) ? DOTTED_WORDS[small] : undefined;
}

function single(scan: Scan, at: number): number {
  const { text } = scan;
  const written = scan.wordAt(at);
  const end = at + written.length;
  if (text.charCodeAt(end) === 46 /* . */ && written.length <= LONGEST_WORD) {
    const words = reading(scan, written, end + 1, true);
    if (words !== undefined) return say(scan, words, at, stop(scan, at, `${written}.`), written);
  }
  if (written.length > 6 || written.length < 2) return at;
  const street = STREETS.has(written) && isPlaceName(scan) && !isCapitalised(scan.nextWord(end));
  const doctor = written === 'Dr' && isCapitalised(scan.nextWord(end));
  if (!WITHOUT_DOT.has(written) && !street && !doctor) return at;
  const words = reading(scan, written, end, false);
  return words === undefined ? at : say(scan, words, at, end, written);
}

function reading(scan: Scan, written: string, end: number, dot: boolean): string | undefined {
  const { text } = scan;
  const found = READINGS.get(written) ?? (written.length > 1 ? READINGS.get(written.toLowerCase()) : undefined);
  if (found === undefined) return undefined;
  const code = text.charCodeAt(end);
  if (dot && isAsciiLetter(code)) return undefined;
  if (typeof found === 'string') return found;
  const digitNext = isDigit(code === 32 ? text.charCodeAt(end + 1) : code);
  return found({ scan, written, end, next: text[end] === ' ' ? scan.nextWord(end) : '', digitNext });
}

export const abbreviationRule: Rule = {
  name: 'abbreviation',
  begins: { words: { behind: /[./]/, known: [...WITHOUT_DOT, ...STREETS] } },
  apply: abbreviation,
};
