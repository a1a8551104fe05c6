/**
 * The marks that Japanese and Chinese write: they stay as they are written, and take the room of a
 * space with them.
 */
import type { Rule } from './rule.js';
import { matchAt, runLength } from './sticky.js';

/** For `Characters`: marks that are not to be turned into those of Latin text. */
export const WIDE_MARKS = /[、。！？「」『』（）【】〈〉《》〔〕・…，；：“”]/u;

const OPENERS = '「『（【〈《〔“';

export const wideMarkRule: Rule = {
  name: 'wide mark',
  begins: { signs: '、。！？「」『』（）【】〈〉《》〔〕，；：“”' },
  apply(scan, at) {
    const mark = scan.text[at]!;
    const end = at + runLength(scan.text, at, 40);
    if (OPENERS.includes(mark)) scan.out.put(mark, at, end);
    else {
      scan.out.mark(mark, at, end);
      // Latin text has no space inside its quotation marks, so theirs bring none.
      if (mark === '”') scan.out.space(end, end);
    }
    return end;
  },
};

/** Copies a row of characters of a script. The pattern is sticky, and knows a whole row. */
export const scriptRule = (row: RegExp): Rule => ({
  name: 'script',
  begins: { signs: 'any sign' },
  apply(scan, at) {
    const written = matchAt(row, scan.text, at)?.[0];
    if (written === undefined) return at;
    scan.out.copy(written, at);
    return at + written.length;
  },
});

/** "ジョン・スミス": parts of a name, between which there is no pause. */
export const middleDotRule: Rule = {
  name: 'middle dot',
  begins: { signs: '・·' },
  apply(scan, at) {
    scan.out.space(at, at + 1);
    return at + 1;
  },
};
