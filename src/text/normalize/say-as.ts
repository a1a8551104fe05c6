/** Readings the author asked for by name. */
import type { SayAs } from '../../protocol/job.js';
import { spell } from './acronyms.js';
import { cardinal, digitByDigit, ordinal } from './numbers.js';
import type { Scan } from './scan.js';

/** Reads the whole text as asked; false where it is nothing of that kind, and is then read as usual. */
export function readAs(scan: Scan, as: SayAs): boolean {
  const { text, out } = scan;
  const digits = text.replace(/[,\s]/g, '');
  switch (as) {
    case 'characters':
      return characters(scan);
    case 'cardinal':
    case 'ordinal':
      if (!/^\d{1,36}(?:st|nd|rd|th)?$/i.test(digits)) return false;
      out.say((as === 'cardinal' ? cardinal : ordinal)(digits), 0, text.length);
      return true;
    case 'telephone':
      for (const group of text.matchAll(/\d+/g)) {
        if (out.length > 0) out.mark(',', group.index, group.index);
        out.say(digitByDigit(group[0], 'oh'), group.index, group.index + group[0].length);
      }
      return out.length > 0;
    case 'date':
      return false;
  }
}

function characters(scan: Scan): boolean {
  const { text, out } = scan;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (/\d/.test(char)) out.say(digitByDigit(char), at, at + 1);
    else if (/[A-Za-z\u00c0-\u024f]/.test(char)) out.say(spell(char), at, at + 1);
  }
  return true;
}
