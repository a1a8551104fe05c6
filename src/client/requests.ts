/** Cuts a text of any length into pieces that one request may carry, at the best place each window offers. */
import { MAX_INPUT_CHARS } from '../protocol/speech.js';

/** Words whose full stop ends no sentence. */
const ABBREVIATION =
  /(?:^|[\s("'“‘[])(?:[A-Za-z]|Mr|Mrs|Ms|Mx|Dr|Prof|Rev|Hon|Sr|Jr|St|Mt|Ft|Gen|Col|Maj|Capt|Lt|Sgt|Gov|Sen|Rep|Pres|No|Nos|vs|etc|e\.g|i\.e|cf|ca|approx|Fig|figs?|pp|vol|ch|ed|eds|Inc|Ltd|Co|Corp|Dept|est|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$/;
const SENTENCE_END = /[.!?…。！？]+["'”’»)\]]*(?=\s+\S)|[。！？]["'”’»)\]]*/gu;
const PARAGRAPH = /\n[^\S\n]*\n\s*/gu;
const CLAUSE_END = /[,;:–—、，；：]["'”’»)\]]*(?=\s)/gu;
const SPACE = /\s+/gu;

/**
 * The pieces in order, none empty, none longer than `maxChars` code points, each without white space around it. Together
 * they hold every other character of `text`. Looks at each window of the text once, so the time grows with its length.
 */
export function* splitIntoRequests(text: string, maxChars: number = MAX_INPUT_CHARS): Generator<string> {
  let rest = skipSpace(text, 0);
  while (rest < text.length) {
    const limit = advance(text, rest, maxChars);
    let end = text.length;
    if (skipSpace(text, limit) < text.length) end = rest + cutWithin(text.slice(rest, limit + 1));
    const piece = text.slice(rest, end).trim();
    if (piece !== '') yield piece;
    rest = skipSpace(text, end);
  }
}

/** Where to cut a window that is one UTF-16 unit longer than may be sent (what follows decides whether a word ended). */
function cutWithin(window: string): number {
  const size = window.length - 1;
  // A paragraph is the best place, as long as it does not make a crumb of the request.
  const paragraph = lastEnd(window, PARAGRAPH, size);
  if (paragraph > size / 2) return paragraph;
  const sentence = lastEnd(window, SENTENCE_END, size, (before) => !ABBREVIATION.test(before));
  if (sentence > 0) return sentence;
  if (paragraph > 0) return paragraph;
  const clause = lastEnd(window, CLAUSE_END, size);
  if (clause > 0) return clause;
  const space = lastEnd(window, SPACE, size);
  if (space > 0) return space;
  // One endless word. Never cut a surrogate pair in two.
  const last = window.charCodeAt(size - 1);
  return last >= 0xd800 && last <= 0xdbff ? size - 1 : size;
}

function lastEnd(window: string, mark: RegExp, size: number, accept: (before: string) => boolean = () => true): number {
  let best = 0;
  for (const match of window.matchAll(mark)) {
    const end = match.index + match[0].length;
    if (end > size) break;
    if (accept(window.slice(Math.max(0, end - 16), end))) best = end;
  }
  return best;
}

function skipSpace(text: string, from: number): number {
  SKIP.lastIndex = from;
  return SKIP.exec(text) ? SKIP.lastIndex : from;
}
const SKIP = /\s+/y;

/** The UTF-16 index `chars` code points after `from`, or the end. */
function advance(text: string, from: number, chars: number): number {
  let index = from;
  for (let count = 0; count < chars && index < text.length; count++) {
    index += text.codePointAt(index)! > 0xffff ? 2 : 1;
  }
  return index;
}

/** Characters as the service counts them. */
export function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
