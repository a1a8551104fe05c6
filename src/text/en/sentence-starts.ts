/** Words that begin sentences, and what capitals tell where a whole text is written in them. */
import type { Scan } from '../normalize/scan.js';

/** In small letters. None of them is a name or stands in one before a noun, as "First" does. */
export const OPENERS: ReadonlySet<string> = new Set(
  (
    'the then he she it we they but so this that there when after if you my our his her what how why who these those now yet however ' +
    'not no yes its their some many most also later here each every all both in on at by from for during because although though ' +
    'while since as with without until before unless once despite instead according afterwards meanwhile therefore moreover ' +
    'perhaps maybe please let i nobody everybody everyone someone somebody anyone nothing everything something others another ' +
    'two three four five six seven eight nine ten several few last even only still just never always often sometimes soon ' +
    'mine yours hers ours theirs today yesterday tomorrow where which whether having being her your to'
  ).split(' '),
);
/** "I" is an initial as often. */
const STARTERS = new Set(
  [...OPENERS]
    .filter((word) => word !== 'i')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .concat('And'),
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
