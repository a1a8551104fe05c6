/**
 * Marks of punctuation that mean the same in every language. A front end lists them behind the
 * rules of its own.
 */
import type { Rule } from './rule.js';
import { isAlphanumeric, isLetter, type Scan } from './scan.js';

export const spaceRule: Rule = {
  name: 'space',
  begins: { signs: ' ' },
  apply(scan, at) {
    scan.out.space(at, at + 1);
    return at + 1;
  },
};

export const endMarkRule: Rule = {
  name: 'question or exclamation mark',
  begins: { signs: '?!' },
  apply: (scan, at) => endSentence(scan, at, scan.text[at]!),
};

/** A mark that ends a sentence. */
export function endSentence(scan: Scan, at: number, mark: string): number {
  scan.remember('');
  scan.remember('');
  scan.out.mark(mark, at, at + 1);
  const next = scan.text.charCodeAt(at + 1);
  if (next > 64 && next < 91) scan.out.space(at + 1, at + 1);
  return at + 1;
}

export const pauseMarkRule: Rule = {
  name: 'comma, semicolon, colon or ellipsis',
  begins: { signs: ',;:…' },
  apply(scan, at) {
    scan.out.mark(scan.text[at]!, at, at + 1);
    return at + 1;
  },
};

export const closingBracketRule: Rule = {
  name: 'closing bracket',
  begins: { signs: ')]}' },
  apply(scan, at) {
    // "1) First": what closes nothing only separates.
    if (scan.brackets === 0) scan.out.mark(',', at, at + 1);
    else scan.out.close(')', at, at + 1);
    scan.brackets = Math.max(0, scan.brackets - 1);
    return at + 1;
  },
};

export const bulletRule: Rule = {
  name: 'bullet',
  begins: { signs: '•' },
  apply(scan, at) {
    if (scan.out.length > 0) scan.out.pause(',', at, at + 1);
    return at + 1;
  },
};

/** What separates, and is heard in nothing else. */
export const separatorRule: Rule = {
  name: 'separator',
  begins: { signs: '_|`' },
  apply: spaceRule.apply,
};

function quote(scan: Scan, at: number): number {
  const { text, out } = scan;
  const closes = scan.quoted || at + 1 === text.length || text[at + 1] === ' ' || /\s/.test(text[at + 1]!);
  if (closes) out.close('"', at, at + 1);
  else out.open('"', at, at + 1);
  scan.quoted = !closes;
  return at + 1;
}

export const quoteRule: Rule = { name: 'quotation mark', begins: { signs: '"' }, apply: quote };

/** "(": an empty pair of brackets is not heard. */
const openingRule: Rule = {
  name: 'opening bracket',
  begins: { signs: '([{' },
  apply(scan, at) {
    if (scan.text[at] === '(' && scan.text[at + 1] === ')') return at + 2;
    scan.brackets += 1;
    scan.out.open('(', at, at + 1);
    return at + 1;
  },
};

const stopRule: Rule = {
  name: 'full stop',
  begins: { signs: '.' },
  apply: (scan, at) => endSentence(scan, at, '.'),
};

const breakRule: Rule = {
  name: 'dash',
  begins: { signs: '–—' },
  apply(scan, at) {
    scan.out.mark('—', at, at + 1);
    scan.out.space(at + 1, at + 1);
    return at + 1;
  },
};

/** Between two letters a hyphen stays, between spaces it is a dash; elsewhere it only parts. */
const joiningRule: Rule = {
  name: 'hyphen',
  begins: { signs: '-' },
  apply(scan, at) {
    const { text, out } = scan;
    const [before, next] = [text.charCodeAt(at - 1), text.charCodeAt(at + 1)];
    if (isLetter(before) && isLetter(next) && out.copied) out.copy('-', at);
    else if (text[at - 1] === ' ' && text[at + 1] === ' ') out.mark('—', at, at + 1);
    else out.space(at, at + 1);
    return at + 1;
  },
};

/** An apostrophe between letters belongs to the word; elsewhere two of them are quotation marks. */
const apostropheRule: Rule = {
  name: 'apostrophe',
  begins: { signs: "'" },
  apply(scan, at) {
    const { text, out } = scan;
    const after = isAlphanumeric(text.charCodeAt(at - 1));
    const before = isAlphanumeric(text.charCodeAt(at + 1));
    if (after && out.copied && (before || !scan.quotedSingle)) out.copy("'", at);
    else if (before && !after) {
      scan.quotedSingle = true;
      out.open('"', at, at + 1);
    } else if (scan.quotedSingle) {
      scan.quotedSingle = false;
      out.close('"', at, at + 1);
    }
    return at + 1;
  },
};

/** "¿" and "¡" are heard in how the sentence is said, and make no sound of their own. */
const turnedMarkRule: Rule = { name: 'turned mark', begins: { signs: '¿¡' }, apply: (_scan, at) => at + 1 };

/** All of them, for a language that says none otherwise. */
export const MARK_RULES: readonly Rule[] = [
  spaceRule,
  stopRule,
  endMarkRule,
  pauseMarkRule,
  quoteRule,
  apostropheRule,
  openingRule,
  closingBracketRule,
  joiningRule,
  breakRule,
  bulletRule,
  separatorRule,
  turnedMarkRule,
];
