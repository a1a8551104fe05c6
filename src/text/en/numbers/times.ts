/** Times of day, ratios written like them, and lengths of time. */

import type { Rule } from '../../normalize/rule.js';
import { isDigit, isLetter, type Scan } from '../../normalize/scan.js';
import { matchAt } from '../../normalize/sticky.js';
import { startsSentence } from '../sentence-starts.js';
import { amount, cardinal } from './numbers.js';

const HALF = '(?: ?([AaPp])(?:\\.[Mm]\\.|\\. [Mm]\\.|[Mm]\\.?)(?![A-Za-z0-9]))';
const CLOCK = new RegExp(`(\\d{1,2}):(\\d\\d)(?::(\\d\\d)(?:\\.\\d{1,3})?)?${HALF}?(?![\\d:])`, 'y');
const HOUR = new RegExp(`(\\d{1,2})${HALF}`, 'y');
const HOURS = new RegExp(`(\\d{1,2})(?::(\\d\\d))? ?[-–—] ?(?=\\d{1,2}(?::\\d\\d)?${HALF})`, 'y');
const DOTTED = new RegExp(`(\\d{1,2})\\.([0-5]\\d)${HALF}`, 'y');
/** "22h30". */
const FRENCH = /([01]?\d|2[0-4])h([0-5]\d)(?![A-Za-z0-9])/y;
const UNTIL = /(?: ?[-–—] ?)(?=\d{1,2}(?:[:.]\d\d| ?[AaPp]\.?[Mm])|(?:noon|midnight)(?![A-Za-z]))/y;
const RATIO = /(\d{1,4}(?:\.\d{1,3})?):(\d{1,4}(?:\.\d{1,3})?)(?![\d:])/y;
const LENGTH =
  /(\d{1,4})(d|h|hr|hrs|m|min|s) ?(?:(\d{1,2})(h|hr|m|min|s|sec))(?: ?(\d{1,2})(m|min|s|sec))?(?: ?(\d{1,2})(s|sec))?(?![A-Za-z0-9])/y;
/** ":30 — 12:30 " */
const LONGEST_SPAN = 12;
const NAMES: Readonly<Record<string, string>> = { d: 'day', h: 'hour', m: 'minute', s: 'second' };

/**
 * "five thirty", "nine oh five", "seventeen hundred", "five o'clock"; `written` is the hour as it
 * stood.
 */
export function clockWords(hour: number, minute: string, second?: string, written = String(hour), half = ''): string {
  const minutes = Number(minute);
  const seconds = Number(second ?? '0');
  const tail = seconds > 0 ? ` and ${cardinal(seconds)} second${seconds === 1 ? '' : 's'}` : '';
  const name = hour === 0 && half === '' ? 'zero' : cardinal(hour);
  if (minutes > 0) return `${name} ${minutes < 10 ? `oh ${cardinal(minutes)}` : cardinal(minutes)}${tail}${half}`;
  if (half !== '') return `${name}${tail}${half}`;
  if (hour === 0) return tail === '' ? 'midnight' : `zero hundred${tail}`;
  if (hour > 12 || written.startsWith('0')) return `${written.startsWith('0') ? 'oh ' : ''}${name} hundred${tail}`;
  return `${name} o'clock${tail}`;
}

const halfWords = (letter: string | undefined): string => (letter ? ` ${letter.toUpperCase()} M` : '');

/** The end of a time; the dot of "p.m." is left where it also ends the sentence. */
function stop(scan: Scan, end: number): number {
  return scan.text[end - 1] === '.' && (scan.endsAt(end) || startsSentence(scan, end)) ? end - 1 : end;
}

function clock(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at) || text[at - 1] === ':') return at;
  const end = at + (isDigit(text.charCodeAt(at + 1)) ? 2 : 1);
  const follow = text.charCodeAt(end);
  const open = !isDigit(follow) && endsInHalf(text, end) ? matchAt(HOURS, text, at) : null;
  if (open) {
    const hour = Number(open[1]);
    if (hour > 24) return at;
    out.say(`${open[2] ? clockWords(hour, open[2]) : cardinal(hour)} to`, at, at + open[0].length);
    return at + open[0].length;
  }
  const stops = time(scan, at, end);
  if (stops === at) return at;
  const until = matchAt(UNTIL, text, stops);
  if (!until) return stops;
  out.say('to', stops, stops + until[0].length);
  return stops + until[0].length;
}

/** Whether digits, dashes and the like lead to a letter, as to that of "a.m.". */
function endsInHalf(text: string, from: number): boolean {
  let at = from;
  while (at < from + LONGEST_SPAN && isSpanned(text.charCodeAt(at))) at++;
  return at > from && isLetter(text.charCodeAt(at));
}

/** A digit, a colon, a space or a dash. */
const isSpanned = (code: number): boolean =>
  isDigit(code) || code === 32 || code === 45 || code === 58 || code === 0x2013 || code === 0x2014;

/** `digits` is where the first two digits end, or the only one. */
function time(scan: Scan, at: number, digits: number): number {
  const { text, out } = scan;
  const follow = text.charCodeAt(digits);
  const full = follow === 58 /* : */ ? matchAt(CLOCK, text, at) : null;
  if (full) {
    const [whole, h, m, s, half] = full as unknown as [string, string, string, string?, string?];
    const hour = Number(h);
    if (hour <= 24 && Number(m) < 60 && Number(s ?? 0) < 60 && !isRatio(scan, at + whole.length)) {
      const end = stop(scan, at + whole.length);
      const words = isDuration(scan, h, s, half)
        ? durationWords(hour, m, s!)
        : clockWords(hour, m, s, h, halfWords(half));
      out.say(words, at, end);
      return end;
    }
    // Longer than a day: a stopwatch.
    if (Number(m) < 60 && s === undefined && hour < 100 && !isRatio(scan, at + whole.length)) {
      out.say(`${cardinal(hour)} ${Number(m) < 10 ? `oh ${cardinal(m)}` : cardinal(m)}`, at, at + whole.length);
      return at + whole.length;
    }
  }
  const hour = follow === 32 || isLetter(follow) ? matchAt(HOUR, text, at) : null;
  if (!hour || Number(hour[1]) > 24) return at;
  const end = stop(scan, at + hour[0].length);
  out.say(cardinal(hour[1]!) + halfWords(hour[2]), at, end);
  return end;
}

/** "in 2:16:16": how long somebody ran. */
const isDuration = (scan: Scan, hour: string, second: string | undefined, half: string | undefined): boolean =>
  second !== undefined &&
  half === undefined &&
  hour.length === 1 &&
  !/^(?:at|until|till|by|before|after|since|around|about|from|to)$/i.test(scan.previous);

const counted = (count: number, name: string): string => `${cardinal(count)} ${name}${count === 1 ? '' : 's'}`;

function durationWords(hour: number, minute: string, second: string): string {
  const parts = [hour, Number(minute), Number(second)].map((count, i) => ({
    count,
    name: ['hour', 'minute', 'second'][i]!,
  }));
  const said = parts.filter(({ count }) => count > 0).map(({ count, name }) => counted(count, name));
  const last = said.pop() ?? 'zero';
  return said.length === 0 ? last : `${said.join(' ')} and ${last}`;
}

const isRatio = (scan: Scan, end: number): boolean =>
  /^(?:scale|ratio|odds|aspect|split|mix|mixture)$/.test(scan.nextWord(end));

/** "3:1", "16:9". */
function ratio(scan: Scan, at: number): number {
  if (!scan.atBoundary(at) || scan.text[at - 1] === ':') return at;
  const match = matchAt(RATIO, scan.text, at);
  if (!match) return at;
  const end = at + match[0].length;
  scan.out.say(`${amount(match[1]!)} to ${amount(match[2]!)}`, at, end);
  return end;
}

/** "1h 30m", "2h15m30s": here an m is a minute. */
function lengthOfTime(scan: Scan, at: number): number {
  if (!scan.atBoundary(at)) return at;
  const match = matchAt(LENGTH, scan.text, at);
  if (!match) return at;
  const words: string[] = [];
  for (let i = 1; i < match.length; i += 2) {
    if (match[i] === undefined) continue;
    const name = NAMES[match[i + 1]!.charAt(0)]!;
    words.push(`${cardinal(match[i]!)} ${name}${Number(match[i]) === 1 ? '' : 's'}`);
  }
  const end = at + match[0].length;
  scan.out.say(words.join(' '), at, end);
  return end;
}

export const clockRule: Rule = {
  name: 'time of day',
  begins: { digits: { next: /[:AaPp–—-]/, space: /[AaPp–—-]/ } },
  apply: clock,
};

const BRITISH = /(\d{1,2})\.([0-5]\d)(?![\d%])/y;
const SPAN = /\bfrom (?:\d{1,2}\.[0-5]\d|noon|midnight) (?:to|until|till) $/;
const MEASURED =
  /^(?:percent|per|points?|million|billion|trillion|thousand|hundred|dollars?|euros?|pounds?|pence|cents?|miles?|meters?|metres?|feet|inches|seconds?|minutes?|hours?|degrees?|times|yards?|kg|km|cm|mm|m|g|kilograms?|kilometers?|kilometres?|grams?|tons?|tonnes?|liters?|litres?)$/;
const TRADED =
  /\b(?:stocks?|shares?|index|price|trading|traded|odds|ratio|average|score|scored|rate|version|volts?|temperature)\b/i;

/** "at 17.30", "the 14.05 to Leeds": a time that is written with a stop, told by its neighbours. */
function isTrainTime(scan: Scan, at: number, end: number, hour: string): boolean {
  const { text, previous } = scan;
  const next = text[end] === ' ' ? scan.nextWord(end) : '';
  if (MEASURED.test(next) || /^ ?[%$£€°]/.test(text.slice(end, end + 2))) return false;
  const before = text.slice(Math.max(0, at - 60), at);
  if (TRADED.test(before)) return false;
  if (/^the$/i.test(previous))
    return (
      hour.length === 2 &&
      /^(?:to|from|train|service|bus|flight|departure|express|ferry|coach|show|performance|screening|kick-off|match|game|news|class)$/.test(
        next,
      )
    );
  if (SPAN.test(before)) return true;
  if (/^from$/i.test(previous)) return /^ (?:to|until|till) \d{1,2}\.[0-5]\d/.test(text.slice(end, end + 16));
  if (!/^(?:at|until|till|by|before|after|around|about)$/i.test(previous)) return false;
  return hour.length === 2 || /^(?:at|until|till)$/i.test(previous);
}

/** "17.30". */
export const britishClockRule: Rule = {
  name: 'time of day with a stop',
  begins: { digits: { next: /(?!)/, point: /[^%]/ } },
  apply(scan, at) {
    const match = scan.atBoundary(at) && scan.text[at - 1] !== '.' ? matchAt(BRITISH, scan.text, at) : null;
    if (!match || Number(match[1]) > 24 || (match[1]!.length === 1 && match[1] === '0')) return at;
    const end = at + match[0].length;
    if (!isTrainTime(scan, at, end, match[1]!)) return at;
    scan.out.say(stationWords(match[1]!, match[2]!), at, end);
    scan.remember(match[0]);
    return end;
  },
};

/** "oh eight fifteen", "seventeen hundred". */
const stationWords = (hour: string, minute: string): string => {
  const words = clockWords(Number(hour), minute, undefined, hour);
  return hour.startsWith('0') && minute !== '00' ? `oh ${words}` : words;
};

/** "6.30pm", "22h30". */
export const dottedClockRule: Rule = {
  name: 'time of day with a dot or an h',
  begins: { digits: { point: /[AaPp ]/, next: /h/ } },
  apply(scan, at) {
    const { text, out } = scan;
    if (!scan.atBoundary(at) || text[at - 1] === '.') return at;
    const match = matchAt(DOTTED, text, at) ?? matchAt(FRENCH, text, at);
    if (!match || Number(match[1]) > 24) return at;
    const end = stop(scan, at + match[0].length);
    out.say(clockWords(Number(match[1]), match[2]!, undefined, match[1], halfWords(match[3])), at, end);
    const until = matchAt(UNTIL, text, end);
    if (!until) return end;
    out.say('to', end, end + until[0].length);
    return end + until[0].length;
  },
};

export const ratioRule: Rule = {
  name: 'ratio',
  begins: { digits: { next: /:/, point: /:/ } },
  apply: ratio,
};

export const lengthOfTimeRule: Rule = {
  name: 'length of time',
  begins: { digits: { next: /[dhms]/ } },
  apply: lengthOfTime,
};
