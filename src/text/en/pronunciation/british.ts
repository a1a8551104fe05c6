/**
 * What the British say otherwise than the Americans: the quarters of an hour, numbers with "and".
 */
import type { Rule } from '../../normalize/rule.js';
import { matchAt } from '../../normalize/sticky.js';
import { cardinal } from '../numbers/numbers.js';

const PAST = /([1-9]|1[0-2]):(15|30|45)(?![\d:]|\.\d| ?[-–—] ?\d| ?[AaPp]\.?\s?[Mm]\b)/y;
const NOT_A_TIME = /^(?:scale|ratio|odds|aspect|split|mix|mixture)$/;

/**
 * "5:15", "half past five", "quarter to six"; hours as a timetable writes them ("05:15", "17:15")
 * are not said so.
 */
export const pastHourRule: Rule = {
  name: 'quarter of an hour',
  begins: { digits: { next: /:/ } },
  apply(scan, at) {
    if (!scan.atBoundary(at) || /[-–—:] ?$/.test(scan.text.slice(Math.max(0, at - 2), at))) return at;
    const match = matchAt(PAST, scan.text, at);
    if (!match) return at;
    const end = at + match[0].length;
    if (NOT_A_TIME.test(scan.nextWord(end))) return at;
    const hour = Number(match[1]);
    const next = (hour % 12) + 1;
    if (match[2] === '45') scan.out.say(`quarter to ${cardinal(next)}`, at, end);
    else scan.out.say(`${match[2] === '15' ? 'quarter' : 'half'} past ${cardinal(hour)}`, at, end);
    return end;
  },
};

const BELOW_TWENTY =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|' +
  'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|' +
  'sixteenth|seventeenth|eighteenth|nineteenth';
const TENS = '(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)(?:y|ieth)';
const BELOW_HUNDRED = `(?:${TENS}(?:-[a-z]+)?|${BELOW_TWENTY})`;
const AFTER_HUNDRED = new RegExp(`\\bhundred (?=${BELOW_HUNDRED}\\b)`, 'g');
const AFTER_THOUSAND = new RegExp(
  `\\b(thousand|[mbtr]+illion|quadrillion) (?=${BELOW_HUNDRED}(?![\\w-]| (?:hundred|thousand|[a-z]*illion)))`,
  'g',
);

/** "one hundred and five", "two thousand and nine". */
export const britishWording = (words: string): string =>
  words.includes('hundred') || words.includes('thousand') || words.includes('illion')
    ? words.replace(AFTER_HUNDRED, 'hundred and ').replace(AFTER_THOUSAND, '$1 and ')
    : words;
