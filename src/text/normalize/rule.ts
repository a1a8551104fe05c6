/**
 * A rule of reading, and how those that can apply at a place are found without asking all of them:
 * a language lists its rules, the more particular ones first, and each says what it can begin with.
 */
import { isDigit, isLetter, type Scan } from './scan.js';

export interface Rule {
  readonly name: string;
  readonly begins: Begins;
  /**
   * Says what stands at `at` and returns where it ends; `at` itself where the rule does not apply.
   */
  readonly apply: Apply;
}

type Apply = (scan: Scan, at: number) => number;

/**
 * What a rule can begin with. It is not asked elsewhere, so nothing it would know may be left out.
 */
interface Begins {
  /** One of these signs, or any. */
  readonly signs?: string | 'any sign';
  /** Digits, by what stands behind the first row of them. */
  readonly digits?: Digits | 'any digits';
  readonly words?: Words | 'any word';
  /** Also behind a letter or a digit, where no word and no number begins. */
  readonly inside?: true;
}

/** The character behind the digits, or behind what follows them; where nothing does it is `\0`. */
interface Digits {
  readonly next: RegExp;
  /** Behind "12.5". */
  readonly point?: RegExp;
  /** Behind "12.", where no digit stands. */
  readonly stop?: RegExp;
  /** Behind "12 ". */
  readonly space?: RegExp;
}

/** Words that begin as they must, and are told by any one of the other signs. */
interface Words {
  /** The first letter. */
  readonly first?: RegExp;
  /** The character behind the word; where there is none it is `\0`. */
  readonly behind?: RegExp;
  /** The word itself. */
  readonly known?: Iterable<string>;
  readonly when?: (word: string, scan: Scan, at: number) => boolean;
}

/**
 * A rule as it is asked at a word with a certain first letter and a certain character behind it.
 */
interface Asked {
  readonly apply: Apply;
  /** Nothing more is needed. */
  readonly always: boolean;
  readonly when: Words['when'];
}

const SPACE = 32;
const POINT = 46;
const LETTERS = 0x250;

/** Reads a text to its end, at each place by the first rule that knows what stands there. */
export function createReading(rules: readonly Rule[]): (scan: Scan) => void {
  const signs = findBy(rules, ({ begins }, char) => begins.signs === 'any sign' || !!begins.signs?.includes(char));
  const readDigits = digitReading(rules);
  const readWord = wordReading(rules);
  return (scan) => {
    const { text } = scan;
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at);
      if (isLetter(code)) at = readWord(scan, at, code);
      else if (isDigit(code)) at = readDigits(scan, at);
      else at = firstOf(signs(code), scan, at);
    }
  };
}

function digitReading(rules: readonly Rule[]): Apply {
  const by = (kind: keyof Digits) =>
    findBy(rules, ({ begins: { digits } }, char) => digits === 'any digits' || !!digits?.[kind]?.test(char));
  const [next, point, stop, space] = [by('next'), by('point'), by('stop'), by('space')];
  const inside = rules.filter(({ begins }) => begins.inside && begins.digits).map(({ apply }) => apply);
  const found: Apply = (scan, at) => {
    const { text } = scan;
    if (!scan.atBoundary(at)) return firstOf(inside, scan, at);
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    const follow = codeAt(text, end);
    if (follow === SPACE) return firstOf(space(codeAt(text, end + 1)), scan, at);
    if (follow !== POINT) return firstOf(next(follow), scan, at);
    const decimals = isDigit(text.charCodeAt(++end));
    while (isDigit(text.charCodeAt(end))) end++;
    return firstOf((decimals ? point : stop)(codeAt(text, end)), scan, at);
  };
  return found;
}

function wordReading(rules: readonly Rule[]): (scan: Scan, at: number, code: number) => number {
  const spoken = rules.filter(({ begins }) => begins.words);
  const inside = spoken.filter(({ begins }) => begins.inside).map(({ apply }) => apply);
  const rulesByWord = new Map<string, Set<Apply>>();
  for (const { begins, apply } of spoken) {
    for (const word of (begins.words as Words).known ?? []) {
      rulesByWord.set(word, (rulesByWord.get(word) ?? new Set()).add(apply));
    }
  }
  const asked = (first: number, behind: number): Asked[] =>
    spoken.flatMap(({ begins, apply }) => {
      const words = begins.words === 'any word' ? {} : begins.words!;
      if (words.first && !words.first.test(String.fromCharCode(first))) return [];
      const told = !words.behind && !words.known && !words.when;
      const always = told || !!words.behind?.test(String.fromCharCode(behind));
      if (!always && !words.known && !words.when) return [];
      return [{ apply, always, when: words.when }];
    });
  const byFirst: (Map<number, readonly Asked[]> | undefined)[] = new Array(LETTERS);
  return (scan, at, code) => {
    if (!scan.atBoundary(at)) return firstOf(inside, scan, at);
    const word = scan.wordAt(at);
    const behind = codeAt(scan.text, at + word.length);
    byFirst[code] ??= new Map();
    let list = byFirst[code].get(behind);
    if (!list) {
      list = asked(code, behind);
      byFirst[code].set(behind, list);
    }
    const named = rulesByWord.get(word);
    for (let i = 0; i < list.length; i++) {
      const rule = list[i]!;
      if (!(rule.always || named?.has(rule.apply) || rule.when?.(word, scan, at))) continue;
      const end = rule.apply(scan, at);
      if (end > at) return end;
    }
    return at + 1;
  };
}

/** What the first rule that applies makes of the place; a place that none knows is passed over. */
function firstOf(rules: readonly Apply[], scan: Scan, at: number): number {
  for (let i = 0; i < rules.length; i++) {
    const end = rules[i]!(scan, at);
    if (end > at) return end;
  }
  return at + 1;
}

/** The rules that may be meant by a character, worked out when it is first met. */
function findBy(
  rules: readonly Rule[],
  may: (rule: Rule, char: string) => boolean,
): (code: number) => readonly Apply[] {
  const known: (readonly Apply[] | undefined)[] = new Array(LETTERS);
  return (code) => {
    let found = known[code];
    if (!found) {
      const char = String.fromCharCode(code);
      found = rules.filter((rule) => may(rule, char)).map(({ apply }) => apply);
      known[code] = found;
    }
    return found;
  };
}

/** The character at a place, 0 behind the last one. */
const codeAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) : 0);
