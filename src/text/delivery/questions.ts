/** The questions of a segment, and the melody that each asks for. */
import type { FrontEnd } from '../front-end.js';
import type { Item } from '../reading-pieces.js';
import type { Question } from '../types.js';

/** Words of a sentence that are looked at; longer ones are known by their beginning and end. */
const MOST_WORDS = 120;
/** Brackets and quotations within each other that are told apart. */
const DEEPEST = 4;

interface Said {
  readonly text: string;
  readonly start: number;
}

/** `before` is what the segment's first sentence began with in an earlier segment. */
export function questionsOf(items: readonly Item[], { asked }: FrontEnd, before = ''): Question[] {
  if (asked === undefined || !items.some((item) => item.kind === 'sign' && item.symbol === '?')) return [];
  const found: Question[] = [];
  const outer: Said[][] = [];
  let said: Said[] = wordsOf(before);
  let closed = false;
  for (const item of items) {
    if (item.kind === 'word') {
      if (closed) said = [];
      closed = false;
      if (said.length >= MOST_WORDS) said.splice(MOST_WORDS / 2, 1);
      said.push({ text: item.text, start: item.start });
      continue;
    }
    const symbol = item.kind === 'silence' ? ',' : item.symbol;
    if (symbol === '?' && !closed) {
      const question = questionAt(said, item.start, asked);
      if (question) found.push(question);
    }
    if ('.?!…:;'.includes(symbol)) closed = true;
    else if ('“('.includes(symbol)) {
      if (outer.length === DEEPEST) outer.shift();
      outer.push(closed ? [] : said);
      [said, closed] = [[], false];
    } else if ('”)'.includes(symbol)) {
      // The sentence around a quotation goes on when the quotation ends: Did he say “no”?
      const around = outer.pop();
      if (around !== undefined && !closed) said = [...around, ...said];
    } else if (symbol !== ' ') said.push({ text: ',', start: -1 });
  }
  return found;
}

function questionAt(said: readonly Said[], at: number, asked: NonNullable<FrontEnd['asked']>): Question | undefined {
  const answer = asked(said.map(({ text }) => text));
  if (answer.melody === 'choice') return { at, or: said[answer.or]!.start };
  return answer.melody === 'rise' ? { at } : undefined;
}

const wordsOf = (text: string): Said[] =>
  [...text.matchAll(/[\p{L}\p{N}'’]+|[,–—]/gu)].map(([word]) => ({
    text: /[,–—]/.test(word) ? ',' : word,
    start: -1,
  }));
