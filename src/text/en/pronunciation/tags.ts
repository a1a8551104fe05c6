/** Hashtags, mentions, numbers behind a hash, and stars given as marks. */

import type { Rule } from '../../normalize/rule.js';
import { LETTERS, type Scan } from '../../normalize/scan.js';
import { matchAt, runLength } from '../../normalize/sticky.js';
import { sayIdentifier } from '../identifiers.js';
import { cardinal } from '../numbers/numbers.js';

const HASHTAG = new RegExp(`#([${LETTERS}][${LETTERS}0-9_]{0,100})`, 'y');
const NUMBERED = /#(?=\d)/y;
const MENTION = /@([A-Za-z_][A-Za-z0-9_.-]{0,60})/y;
const TILDE = /~ ?(?=[$£€]?\d)/y;

function tag(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at)) return at;
  const hashtag = matchAt(HASHTAG, text, at);
  if (hashtag) {
    out.say('hashtag', at, at + 1);
    sayIdentifier(scan, at + 1, at + hashtag[0].length);
    return at + hashtag[0].length;
  }
  if (matchAt(NUMBERED, text, at)) {
    out.say('number', at, at + 1);
    return at + 1;
  }
  const mention = matchAt(MENTION, text, at);
  if (mention) {
    const end = at + mention[0].replace(/[.-]+$/, '').length;
    out.say('at', at, at + 1);
    sayIdentifier(scan, at + 1, end);
    return end;
  }
  const tilde = matchAt(TILDE, text, at);
  if (!tilde) return at;
  out.say('about', at, at + tilde[0].length);
  return at + tilde[0].length;
}

/** "★★★★☆": four out of five stars. */
function stars(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (text[at] !== '★') return at;
  const full = runLength(text, at, 11);
  const hollow = text[at + full] === '☆' ? runLength(text, at + full, 11) : 0;
  const end = at + full + hollow;
  if (full + hollow < 2 || full + hollow > 10) return at;
  const words = hollow > 0 ? `${cardinal(full)} out of ${cardinal(full + hollow)} stars` : `${cardinal(full)} stars`;
  out.say(words, at, end);
  return end;
}

export const tagRule: Rule = {
  name: 'tag',
  begins: { signs: '#@~' },
  apply: tag,
};

export const starsRule: Rule = {
  name: 'stars',
  begins: { signs: '★' },
  apply: stars,
};
