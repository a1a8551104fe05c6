/** Dates and times of day. */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { andAHalf, cardinal, year } from './numbers.js';

const MONTHS = 'जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर'.split(' ');
const NUMERIC = /(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-]|\.\d)/y;
const YEAR_FIRST = /(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?![\d/-])/y;
const CLOCK = /(\d{1,2})(?::(\d{2})(?::(\d{2}))?|\.(\d{2})(?= बजे))(?![\d:])( बजे(?![\u0900-\u0963]))?/y;

const UNTIL = / ?[-–] ?(?=\d{1,2}[:.]\d{2})/y;

/** A date in digits that takes the whole of `text`; undefined where it is none. */
export function numericDate(text: string): string | undefined {
  const full = matchAt(NUMERIC, text, 0);
  const match = full ?? matchAt(YEAR_FIRST, text, 0);
  if (!match || match[0].length !== text.length) return undefined;
  const [d, m, y] = full ? [match[1]!, match[3]!, match[4]!] : [match[4]!, match[3]!, match[1]!];
  if (Number(d) < 1 || Number(d) > 31 || Number(m) < 1 || Number(m) > 12) return undefined;
  return `${cardinal(Number(d))} ${MONTHS[Number(m) - 1]} ${year(y)}`;
}

function date(scan: Scan, at: number): number {
  if (!scan.atBoundary(at)) return at;
  const match = matchAt(NUMERIC, scan.text, at) ?? matchAt(YEAR_FIRST, scan.text, at);
  const words = match ? numericDate(match[0]) : undefined;
  if (!match || words === undefined) return at;
  scan.out.say(words, at, at + match[0].length);
  return at + match[0].length;
}

/** "साढ़े पाँच बजे", "सवा दस बजे", "दस बजकर बीस मिनट". */
function clockWords(hours: number, minutes: number, called: boolean): string {
  if (minutes === 0) return `${cardinal(hours)} बजे`;
  if (called && hours > 0 && hours < 13) {
    if (minutes === 30) return `${andAHalf(hours)} बजे`;
    if (minutes === 15) return `सवा ${cardinal(hours)} बजे`;
    if (minutes === 45) return `पौने ${cardinal((hours % 12) + 1)} बजे`;
  }
  return `${cardinal(hours)} बजकर ${cardinal(minutes)} मिनट`;
}

function time(scan: Scan, at: number): number {
  const { text, out } = scan;
  const match = scan.atBoundary(at) ? matchAt(CLOCK, text, at) : null;
  if (!match) return at;
  const [whole, h, colon, seconds, point, called] = match as unknown as [
    string,
    string,
    string?,
    string?,
    string?,
    string?,
  ];
  const minutes = Number(colon ?? point);
  const hours = Number(h);
  if (hours > 24 || minutes > 59) return at;
  if (seconds !== undefined) {
    const length = `${cardinal(hours)} ${hours === 1 ? 'घंटा' : 'घंटे'} ${cardinal(minutes)} मिनट`;
    out.say(`${length} ${cardinal(Number(seconds))} सेकंड`, at, at + whole.length);
  } else out.say(clockWords(hours, minutes, called !== undefined), at, at + whole.length);
  scan.remember('बजे');
  const end = at + whole.length;
  const until = matchAt(UNTIL, text, end);
  if (!until) return end;
  out.say('से', end, end + until[0].length);
  return end + until[0].length;
}

export const dateRule: Rule = {
  name: 'date',
  begins: { digits: { next: /[/-]/, point: /\./, stop: /\0/ } },
  apply: date,
};

export const timeRule: Rule = {
  name: 'time',
  begins: { digits: { next: /:/, point: / / } },
  apply: time,
};
