/** Words that begin sentences, and what capitals tell where a whole text is written in them. */
import type { Scan } from '../normalize/scan.js';

const STARTERS = new Set(
  'The|Then|He|She|It|We|They|But|And|So|This|That|There|When|After|If|You|My|Our|His|Her|What|How|Why|Who|These|Those|Now|Yet|However|Not|No|Yes|Its|Their|Some|Many|Most|Also|Later|Here|Each|Every|All|Both'.split(
    '|',
  ),
);

/**
 * Whether a word follows `at` that begins sentences: then a dot before it is a full stop as well.
 */
export function startsSentence(scan: Scan, at: number): boolean {
  return scan.text[at] === ' ' && STARTERS.has(scan.nextWord(at));
}

const CAPITALS = /\b[A-Z]{2,}\b/g;
const WORDS = /[A-Za-z]{2,}/g;
const LITTLE_WORDS = new Set(
  'THE|AND|OR|IS|ARE|WAS|NOT|YOU|YOUR|THIS|THAT|TO|OF|IN|ON|FOR|WITH|BE|DO|MY|WE|IT|ALL|HAVE|WILL|NO'.split('|'),
);

/** Whether a text is written in capitals throughout, so that capitals mean nothing. */
export function isShouted(text: string): boolean {
  const capitals = text.match(CAPITALS) ?? [];
  const mostly = capitals.length > 2 && capitals.length >= 0.6 * (text.match(WORDS) ?? []).length;
  // A list of acronyms is not shouted: only sentences have such words.
  return mostly && capitals.some((word) => LITTLE_WORDS.has(word));
}
