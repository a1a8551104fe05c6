/**
 * Words: ordinary ones are copied; acronyms, identifiers and mixtures of letters and digits are not
 * ordinary.
 */

import type { Rule } from '../../normalize/rule.js';
import { isAlphanumeric, isDigit, LETTERS, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { capitals, spell } from '../acronyms.js';
import { drawnOut } from '../forms/chat.js';
import { sayIdentifier } from '../identifiers.js';
import { unitAlone } from '../numbers/units.js';

const MIXTURE = new RegExp(`[${LETTERS}\\d]+(?:_[${LETTERS}\\d]+)*`, 'y');
const COMPOUND_UNIT = /[A-Za-z]{1,3}(?:\/[a-z]{1,3}|[²³])(?![A-Za-z0-9])/y;
/**
 * A capital inside a word that is not all capitals: "camelCase", but not "McDonald" or "O'Neil".
 */
const CAMEL = /[a-z][A-Z]|[A-Z]{2}[a-z]{2}/;
const NAME_PREFIX = /^(?:Mc|Mac|O'|D'|De|Di|La|Le|Van|Fitz)[A-Z][a-z]+(?:'s)?$/;
const LETTER_NOUN =
  /^(?:vitamin|plan|grade|option|type|class|section|group|team|letter|hepatitis|exhibit|appendix|point|part|level|model|series|terminal|gate|column|row|drive|variable|note|key|string|block|building|unit|track|figure|table|side|step|q|r|and|or|the|an|answer|person|company|player|node|set|list|influenza)$/i;

/** The last rule for letters: it always applies. */
function word(scan: Scan, at: number): number {
  const { text, out } = scan;
  const written = scan.wordAt(at);
  const end = at + written.length;
  const follower = text.charCodeAt(end);
  if ((isDigit(follower) && written.length < 40) || (text[end] === '_' && isAlphanumeric(text.charCodeAt(end + 1)))) {
    const mixture = matchAt(MIXTURE, text, at)![0];
    sayIdentifier(scan, at, at + mixture.length);
    scan.remember(mixture.slice(0, 40));
    return at + mixture.length;
  }
  const compound =
    written.length < 3 && (follower === 47 || follower === 178 || follower === 179)
      ? matchAt(COMPOUND_UNIT, text, at)
      : null;
  const compoundName = compound ? unitAlone(compound[0]) : undefined;
  if (compoundName) {
    out.say(compoundName, at, at + compound![0].length);
    return at + compound![0].length;
  }
  // "12 in. x 8 in.": what was measured on both sides is multiplied by nothing.
  if (written === 'x' && /^\d/.test(scan.previous) && /^ \d/.test(text.slice(end, end + 2)) && text[at - 1] === ' ') {
    out.say('by', at, end);
    return end;
  }
  const alone = written.length < 5 && follower !== 45 /* - */ ? unitAlone(written) : undefined;
  if (alone) {
    out.say(alone, at, end);
    scan.remember(written);
    return end;
  }
  const large = isLoud(written) ? capitals(written, scan, scan.nextWord(end)) : undefined;
  if (large !== undefined && large !== written) {
    out.say(large, at, end);
  } else if (written.length === 1 && isLetterName(scan, written, at, end)) {
    out.say(spell(written), at, end);
  } else if (hasInnerCapital(written) && CAMEL.test(written) && !NAME_PREFIX.test(written) && written.length < 200) {
    sayIdentifier(scan, at, end);
  } else {
    const drawn = drawnOut(written);
    if (drawn === undefined) out.copy(written, at);
    else out.say(drawn, at, end);
  }
  scan.remember(written.slice(0, 40));
  return end;
}

function hasInnerCapital(word: string): boolean {
  for (let i = 1; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code > 64 && code < 91) return true;
  }
  return false;
}

/** Two capitals in a row at the beginning: nothing else is an acronym. */
function isLoud(word: string): boolean {
  if (word.length < 2) return false;
  const first = word.charCodeAt(0);
  const second = word.charCodeAt(1);
  return first > 64 && first < 91 && second > 64 && second < 91;
}

/** "a + b", "a²", "b = a": an article stands beside no operator. */
function isVariable(text: string, at: number, end: number): boolean {
  if (/^(?: ?(?:[+=<>≠≤≥×÷^*·→∈-]|!=) ?(?:[\d(√-]|[A-Za-z](?![A-Za-z']))|[²³⁴ⁿ]| − )/.test(text.slice(end, end + 6)))
    return true;
  const operand = /[+=<>≠≤≥×÷*·−] ?$/.test(text.slice(Math.max(0, at - 2), at));
  return operand && !/^ [A-Za-z]{2}/.test(text.slice(end, end + 3));
}

/** ♭ ♮ ♯ */
const isAccidental = (code: number): boolean => code > 0x266c && code < 0x2670;

/** Whether a single letter is meant by its name. "A" and "I" are words more often than not. */
function isLetterName(scan: Scan, letter: string, at: number, end: number): boolean {
  const { text } = scan;
  if (isDigit(text.charCodeAt(at - 1)) || isAccidental(text.charCodeAt(end))) return true;
  if (letter === 'I') return false;
  if (letter !== 'A' && letter !== 'a') return letter >= 'A' && letter <= 'Z';
  if (letter === 'a') return isVariable(text, at, end);
  const next = text.charAt(end);
  if (/[.,;:!?)\]"]/.test(next) || next === '') return at > 0 && scan.previous !== '';
  if (/^ ?[→←=≠<>+∈∪∩×÷]/.test(text.slice(end, end + 2))) return true;
  if (/^(?:and|or|is|was|to|has|are|in|on|at|but|with|for)$/.test(scan.nextWord(end)) && at > 0) return true;
  return LETTER_NOUN.test(scan.previous) && scan.previous !== 'and' && scan.previous !== 'or';
}

export const wordRule: Rule = {
  name: 'word',
  begins: { words: 'any word', inside: true },
  apply: word,
};
