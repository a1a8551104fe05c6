/** What people write in chats: drawn-out words, letters and digits that stand for words. */
import type { Rule } from '../../normalize/rule.js';
import type { Scan } from '../../normalize/scan.js';
import { isInterjection } from '../pronunciation/interjections.js';

const REBUSES: Readonly<Record<string, string>> = {
  gr8: 'great',
  l8r: 'later',
  l8: 'late',
  m8: 'mate',
  w8: 'wait',
  h8: 'hate',
  b4: 'before',
  str8: 'straight',
  sk8: 'skate',
  '2moro': 'tomorrow',
  '2morrow': 'tomorrow',
  '2nite': 'tonight',
  '2day': 'today',
  '4ever': 'forever',
  '4eva': 'forever',
  h8r: 'hater',
  gr8t: 'great',
};

const REBUS = /[a-z0-9]+/iy;

export const rebusRule: Rule = {
  name: 'rebus',
  begins: {
    digits: { next: /[mned]/ },
    words: { first: /[bghlmnswBGHLMNSW]/, behind: /[1248]/ },
  },
  apply(scan, at) {
    if (!scan.atBoundary(at)) return at;
    REBUS.lastIndex = at;
    const written = REBUS.exec(scan.text)?.[0] ?? '';
    const words = written.length < 9 ? REBUSES[written.toLowerCase()] : undefined;
    if (
      words === undefined ||
      !Object.hasOwn(REBUSES, written.toLowerCase()) ||
      !/^(?:[a-z0-9]+|Gr8|L8r|Str8|L8)$/.test(written)
    )
      return at;
    return say(scan, words, at, at + written.length);
  },
};

function say(scan: Scan, words: string, at: number, end: number): number {
  scan.out.say(words, at, end);
  scan.remember(words);
  return end;
}

/** Words that have a letter twice; drawn out they have it three times and more. */
const DOUBLED = new Set(
  'cool good well hell all still see free look soon boo woo wood food mood too really feel need keep sweet week been seen week bee fee tree agree three sleep school room moon yell call tall ball small kiss miss pass class guess less off loose choose goose yummy happy funny silly hello bye baby yell ugly'.split(
    ' ',
  ),
);
const LONG = /([a-z])\1{2,}/gi;
const MOST_DRAWN = 40;

/** "wayyyy", "soooo", "coool": as the word that was drawn out. */
export function drawnOut(word: string): string | undefined {
  if (
    word.length < 4 ||
    !hasTriple(word) ||
    word.length > MOST_DRAWN ||
    !/^[A-Za-z][a-z]+$/.test(word) ||
    isInterjection(word)
  )
    return undefined;
  const once = word.replace(LONG, '$1');
  if (once === word || once.length < 2 || !/[aeiouy]/i.test(once)) return undefined;
  const twice = word.replace(LONG, '$1$1');
  return DOUBLED.has(twice.toLowerCase()) ? twice : once;
}

/** Whether a letter stands three times in a row. */
function hasTriple(word: string): boolean {
  for (let i = 2; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code === word.charCodeAt(i - 1) && code === word.charCodeAt(i - 2)) return true;
  }
  return false;
}

/** Behind these "ur" is "you're". */
const BEING =
  /^(?:so|not|the|a|an|welcome|right|wrong|too|very|always|never|gonna|late|early|crazy|funny|amazing|awesome|kidding|joking|beautiful|cute|sweet|nice|mean|sure|really|just|still|also|invited|fired|hired|[a-z]{3,}ing)$/;
/** Beside these a single letter is a word. */
const ADDRESSED =
  /^(?:are|r|can|do|did|will|would|could|should|have|if|when|what|how|love|miss|see|c|thank|tell|told|for|to|with|and|but|hope|wish|bet|did|where|why|who|like|call|text|give|gave|help|let|ask|know|know|got|hey|hi|than|as|of|because|that)$/i;
const VERBS =
  /^(?:r|are|can|can't|do|don't|did|have|will|would|should|could|know|want|need|like|see|get|got|go|going|coming|ok|there|there|too|so|guys|all|think|mean|said|say|were|was|must|should|back|again|soon|later|l|tomorrow|tonight|today|home|in|at|on|for|doing|still|up)$/i;

export const shortWordRule: Rule = {
  name: 'word of a chat',
  begins: { words: { first: /[curCUR]/, known: ['ur', 'Ur', 'u', 'U', 'r', 'R', 'C', 'c'] } },
  apply(scan, at) {
    const { text } = scan;
    const word = scan.wordAt(at);
    const end = at + word.length;
    if (
      !scan.atBoundary(at) ||
      /[-'/.@_=+*^]/.test(text.charAt(at - 1)) ||
      /^(?:[-'/@_=+*^(]|\.\w)/.test(text.slice(end, end + 2))
    )
      return at;
    const next = text[end] === ' ' ? scan.nextWord(end) : '';
    const small = word.toLowerCase();
    if (small === 'ur') {
      if (!/^[a-z]/.test(next)) return at;
      return say(scan, BEING.test(next) ? "you're" : 'your', at, end);
    }
    if (small === 'u') return isYou(scan, word, next, end) ? say(scan, 'you', at, end) : at;
    if ((next !== 'u' && next !== 'U') || (small !== 'r' && small !== 'c')) return at;
    return say(scan, small === 'r' ? 'are' : 'see', at, end);
  },
};

/** "u" alone: behind a verb or before one; a capital only where it begins a message. */
function isYou(scan: Scan, word: string, next: string, end: number): boolean {
  if (/^ ?[=+<>≤≥×^*/]/.test(scan.text.slice(end, end + 2))) return false;
  if (word === 'U' && scan.previous !== '') return false;
  return VERBS.test(next) || (word === 'u' && ADDRESSED.test(scan.previous) && !/^[A-Z]$/.test(next));
}
