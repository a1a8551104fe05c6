/** Signs that stand for words: bounds, grades, "#s", small numerals, arrows, alternatives. */
import type { Rule } from '../../normalize/rule.js';
import { isDigit, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { spell } from '../acronyms.js';
import { cardinal } from '../numbers/numbers.js';
import { romanValue } from '../numbers/roman.js';

const BOUNDS: Readonly<Record<string, string>> = {
  '≥': 'at least',
  '≤': 'at most',
  '>': 'more than',
  '<': 'less than',
};
const BOUND = /([≥≤<>]|[<>]=)( ?)(?=[$£€]?\d)/y;

/** "needs ≥16GB": behind a word the sign bounds a number, behind a quantity it compares two. */
export const boundRule: Rule = {
  name: 'bound',
  begins: { signs: '≥≤<>' },
  apply(scan, at) {
    const { text } = scan;
    const match = at === 0 || text[at - 1] === ' ' || text[at - 1] === '(' ? matchAt(BOUND, text, at) : null;
    if (!match) return at;
    const sign = match[1] === '>=' ? '≥' : match[1] === '<=' ? '≤' : match[1]!;
    const opens = at === 0 || text[at - 1] === '(';
    if (!opens && !/^[A-Za-z][a-z]+$/.test(scan.previous)) return at;
    // With a space behind it "<" is said as it stands.
    if ((sign === '<' || sign === '>') && match[2] === ' ') return at;
    // "width < 5": the name of a quantity, not a verb, an adverb or a preposition.
    if (!opens && !VERBAL.test(scan.previous) && match[2] === ' ') return at;
    scan.out.say(BOUNDS[sign]!, at, at + match[0].length);
    return at + match[0].length;
  },
};

const VERBAL =
  /^(?:needs?|requires?|required|of|at|with|is|are|was|were|be|has|have|had|to|for|by|keep|it|use|used|takes?|took|costs?|weighs?|scored?|and|or|in|only|usually|typically|must|about|than|from|under|over|gets?|got|aged?|ages|minimum|maximum|if|than|choose|pick|a|the)$/i;

const GRADE = /(A{1,3}|B{1,3}|C{1,3}|D|F|O|AB)-(?=[ .,;:!?)"]|$)/y;
const GRADED =
  /^(?:an?|grade|grades|of|to|it|is|was|got|gets?|rated?|rating|type|from|straight|all|her|his|my|our|their|the|at|or|and|solid|mostly|with|earned|received)$/i;

/** "an A-", "rated BBB-", "type O-". */
export const gradeRule: Rule = {
  name: 'grade',
  begins: { words: { first: /[ABCDFO]/, behind: /-/ } },
  apply(scan, at) {
    const match = scan.atBoundary(at) && GRADED.test(scan.previous) ? matchAt(GRADE, scan.text, at) : null;
    if (!match || (scan.text[at + match[0].length] === ' ' && /^ [-–—]/.test(scan.text.slice(at + match[0].length))))
      return at;
    scan.out.say(`${spell(match[1]!)} minus`, at, at + match[0].length);
    scan.remember(match[1]!);
    return at + match[0].length;
  },
};

const NUMBERS = /#s?(?= |[.,;:!?)]|$)/y;

/** "the #s", "the # of rows". */
export const numberSignRule: Rule = {
  name: 'sign for number',
  begins: { signs: '#' },
  apply(scan, at) {
    const match = scan.atBoundary(at) && scan.text[at - 1] === ' ' ? matchAt(NUMBERS, scan.text, at) : null;
    if (!match) return at;
    const end = at + match[0].length;
    if (match[0] === '#' && scan.nextWord(end) !== 'of') return at;
    scan.out.say(match[0] === '#' ? 'number' : 'numbers', at, end);
    scan.remember('number');
    return end;
  },
};

const ITEM = /([ivx]{1,5})\)(?=[ ,;.]|$)/y;
const NEXT_ITEM = /(?:^|[ (,;])ii\)/;

/** "i) open it ii) close it": small numerals that count items. */
export const smallItemRule: Rule = {
  name: 'small numeral of an item',
  begins: { words: { first: /[ivx]/, behind: /\)/ } },
  apply(scan, at) {
    const { text, out } = scan;
    const before = text[at - 1];
    const bracketed = before === '(';
    if (at > 0 && before !== ' ' && !bracketed) return at;
    const match = matchAt(ITEM, text, at);
    const value = match ? romanValue(match[1]!) : undefined;
    if (!match || value === undefined) return at;
    const single = match[1]!.length === 1;
    if (single && !NEXT_ITEM.test(text.slice(Math.max(0, at - 200), at + 200))) return at;
    if (!bracketed && scan.brackets > 0) return at;
    const end = at + match[1]!.length;
    out.say(cardinal(value), at, end);
    scan.remember(match[1]!);
    if (bracketed) return end;
    out.mark(',', end, end + 1);
    return end + 1;
  },
};

const ARROW = / ?(?:→|->|=>|>)(?= )/y;
const MENU =
  /\b(?:click|open|go|goto|select|choose|tap|press|navigate|menu|settings|file|under|via|path|preferences)\b/i;
const CHAIN = /(?:→|->|=>|>) [^→>]{1,40} (?:→|->|=>|>) /;
/** Characters before an arrow that may tell what it is. */
const BEFORE = 60;

/** "Settings → Privacy → Location": arrows between the steps of a menu are pauses. */
export const arrowRule: Rule = {
  name: 'arrow between steps',
  begins: { signs: '→-=>' },
  apply(scan, at) {
    const { text, out } = scan;
    if (text[at - 1] !== ' ') return at;
    const match = matchAt(ARROW, text, at);
    if (!match) return at;
    const end = at + match[0].length;
    const words =
      /[A-Za-z]{2,}[.)"']? $/.test(text.slice(Math.max(0, at - 6), at)) &&
      /^ ["'(]?(?:[A-Za-z]{2}|I )/.test(text.slice(end, end + 4));
    if (!words || /^(?:and|or|the|key|keys|press|arrow|arrows|use|with|by)$/i.test(scan.previous)) return at;
    const around = text.slice(Math.max(0, at - BEFORE), end + BEFORE);
    const small =
      match[0].trim() !== '>' &&
      /[a-z]{2,} $/.test(text.slice(Math.max(0, at - 4), at)) &&
      /^ (?:[a-z]|I )/.test(text.slice(end, end + 3));
    if (!CHAIN.test(around) && !MENU.test(text.slice(Math.max(0, at - BEFORE), at)) && !small) return at;
    out.mark(',', at, end);
    return end;
  },
};

const ALTERNATIVE = /\/ (?=[A-Za-z][A-Za-z'-]{1,20}(?:[.,;:!?)]|$| \/ )|\d)/y;
const CALLED = /^(?:\d{3,4}|[\d-]{7,16})$/;
const EMERGENCY = /^(?:911|411|999|111|112|101|988|000|110|119|61[16])$/;

/** "tea / coffee", "911 / 1-800-…": one or the other. */
export const alternativeRule: Rule = {
  name: 'alternative',
  begins: { signs: '/' },
  apply(scan, at) {
    const { text, out } = scan;
    const match = text[at - 1] === ' ' ? matchAt(ALTERNATIVE, text, at) : null;
    if (!match) return at;
    if (isDigit(text.charCodeAt(at + 2)) ? !isCalled(scan, at) : !isShort(text, at)) return at;
    out.say('or', at, at + 1);
    scan.remember('or');
    return at + 1;
  },
};

function isCalled(scan: Scan, at: number): boolean {
  const next = /^[\d-]+/.exec(scan.text.slice(at + 2, at + 20))![0];
  return CALLED.test(next) && (EMERGENCY.test(scan.previous) || EMERGENCY.test(next) || /^1?-?\d{3}-\d/.test(next));
}

/** One word stands before the slash, behind a verb, an article or another slash. */
const isShort = (text: string, at: number): boolean => /[A-Za-z]{2,} $/.test(text.slice(Math.max(0, at - 24), at));
