/** Two numbers with a slash between: fractions, marks out of ten, dates and names. */

import type { Rule } from '../../normalize/rule.js';
import type { Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { MONTHS } from './dates.js';
import { measure } from './measures.js';
import { amount, cardinal, fraction, integer, ordinal, year } from './numbers.js';

const SLASHED = /(\d{1,4}(?:\.\d{1,2})?)\/(\d{1,4})(?![\d/]|[.,]\d)/y;

const HOUR =
  /^ (?:past|to) (?:1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)(?![\w:/]|\.\d)/;

/** "1/2 past 6", "at 1/4 to 9". */
export function partOfHour(scan: Scan, top: number, bottom: number, end: number): string | undefined {
  if (!HOUR.test(scan.text.slice(end, end + 16)) || top !== 1) return undefined;
  if (
    /^ to/.test(scan.text.slice(end, end + 3)) &&
    !/^(?:at|by|until|till|around|about|before|after|is|was|it's)$/i.test(scan.previous)
  )
    return undefined;
  return bottom === 2 ? 'half' : bottom === 4 ? 'quarter' : undefined;
}

/** "3/4", "24/7", "9/11": halves and quarters, marks out of ten, names. */
function slashed(scan: Scan, at: number): number {
  if (!scan.atBoundary(at)) return at;
  const match = matchAt(SLASHED, scan.text, at);
  if (!match) return at;
  const end = at + match[0].length;
  const [, top, bottom] = match as unknown as [string, string, string];
  if (/[A-Za-z]/.test(scan.text.charAt(end))) return at;
  const [a, b] = [Number(top), Number(bottom)];
  const next = scan.nextWord(end);
  const say = (words: string) => {
    scan.out.say(words, at, end);
    return end;
  };
  if ((a === 24 && b === 7) || (a === 9 && b === 11) || (a === 20 && b === 20) || (a === 50 && b === 50))
    return say(`${cardinal(a)} ${cardinal(b)}`);
  const past = /^(?:past|to)$/.test(next) ? partOfHour(scan, a, b, end) : undefined;
  if (past !== undefined) return say(past);
  // "287/6": runs for wickets; nobody writes such a fraction.
  if (
    a >= 30 &&
    b < 10 &&
    /^\d+$/.test(top) &&
    !/^ ?[=+*×]/.test(scan.text.slice(end, end + 2)) &&
    !/[=+*×-] ?$/.test(scan.text.slice(Math.max(0, at - 2), at))
  )
    return say(`${integer(top)} for ${cardinal(b)}`);
  if (next === 'time') return say(`${cardinal(a)} ${cardinal(b)}`);
  if (/^(?:19|20)\d\d$/.test(top) && bottom.length === 2)
    return say(`${year(a)} ${b < 10 ? `oh ${cardinal(b)}` : cardinal(b)}`);
  if (
    /^(?:on|by|until|since|before|after|due)$/i.test(scan.previous) &&
    a >= 1 &&
    a <= 12 &&
    b >= 1 &&
    b <= 31 &&
    !/^(?:of|stars?)$/.test(next)
  )
    return say(`${MONTHS[a - 1]} ${ordinal(b)}`);
  if (
    a === b ||
    top.includes('.') ||
    /^(?:stars?|points?)$/.test(next) ||
    /^(?:scored?|scores|rated?|rating|got|gave|grade|answered|completed|passed)$/i.test(scan.previous)
  )
    return say(`${amount(top)} out of ${integer(bottom)}`);
  if (/^(?:page|step|part|slide|chapter|question|level|item)$/i.test(scan.previous))
    return say(`${integer(top)} of ${integer(bottom)}`);
  // "07/04": nobody writes a fraction with a zero in front.
  if (/^0\d$/.test(top) && /^\d\d$/.test(bottom)) {
    const [month, day] = scan.language === 'en-GB' ? [b, a] : [a, b];
    if (month >= 1 && month <= 12 && day >= 1 && day <= 31) return say(`${MONTHS[month - 1]} ${ordinal(day)}`);
  }
  if (b === 0 || top.startsWith('0')) return say(`${integer(top)} over ${integer(bottom)}`);
  if (b > 20 && ![24, 25, 30, 32, 40, 50, 60, 64, 100, 128, 1000].includes(b)) {
    return say(`${integer(top)} over ${integer(bottom)}`);
  }
  // "1/4 tsp": of a part there is only one.
  const measured = measure(scan, end, true);
  if (!measured) return say(fraction(top, bottom));
  scan.out.say(`${fraction(top, bottom)} ${measured.words}`, at, measured.end);
  return measured.end;
}

export const slashedRule: Rule = {
  name: 'fraction',
  begins: { digits: { next: /\//, point: /\// } },
  apply: slashed,
};
