/** Times of day and lengths of time: "14 h 30", "14:30", "2 h 15 min", "24 h/24". */
import type { Rule } from '../normalize/rule.js';
import type { Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { cardinal } from './numbers.js';

const CLOCK =
  /(\d{1,3}) ?h(?: ?(\d{2})(?![\d%€]| ?(?:km|kg|cm|mm|m|g|h)(?![a-z]))(?: ?(min|mn)(?![a-z]))?(?: ?(\d{1,2}) ?s(?![a-z]))?)?(?![a-zà-ÿ0-9])/y;
const COLONS = /(\d{1,2}):(\d{2})(?::(\d{2}))?(?![\d:])/y;
const MINUTES = /(\d{1,3}) ?(?:min|mn) ?(\d{1,2}) ?s(?![a-zà-ÿ])/y;
const ALWAYS = /(\d{1,2}) ?(?:(h) ?\/ ?(24)|(j) ?\/ ?(7))(?!\d)/y;
const UNTIL = / ?[-–] ?(?=\d{1,2} ?h)/y;

const count = (value: string, noun: string): string =>
  `${cardinal(Number(value), { feminine: true })} ${noun}${Number(value) > 1 ? 's' : ''}`;

function time(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at)) return at;
  const always = matchAt(ALWAYS, text, at);
  if (always) {
    const [whole, n, hours] = always as unknown as [string, string, string?];
    const noun = hours ? 'heures' : 'jours';
    const of = hours ? 24 : 7;
    out.say(`${cardinal(n)} ${noun} sur ${cardinal(of)}`, at, at + whole.length);
    return at + whole.length;
  }
  const minutes = matchAt(MINUTES, text, at);
  if (minutes) {
    out.say(`${count(minutes[1]!, 'minute')} ${count(minutes[2]!, 'seconde')}`, at, at + minutes[0].length);
    return at + minutes[0].length;
  }
  const colons = matchAt(COLONS, text, at);
  if (colons && Number(colons[1]) < 25 && Number(colons[2]) < 60) return say(scan, at, colons);
  const clock = matchAt(CLOCK, text, at);
  return clock ? say(scan, at, clock) : at;
}

/** Hours, minutes, whether the minutes are called so, and seconds. */
function say(scan: Scan, at: number, match: RegExpExecArray): number {
  const { text, out } = scan;
  const [whole, hours, minutes] = match as unknown as [string, string, string?];
  const colons = whole.includes(':');
  const seconds = colons ? match[3] : match[4];
  const words = [count(hours, 'heure')];
  if (minutes !== undefined && (Number(minutes) > 0 || seconds)) {
    const called = seconds !== undefined || (!colons && match[3] !== undefined);
    words.push(called ? count(minutes, 'minute') : cardinal(Number(minutes)));
  }
  if (seconds !== undefined) words.push(count(seconds, 'seconde'));
  let end = at + whole.length;
  const until = matchAt(UNTIL, text, end);
  if (until) {
    words.push('à');
    end += until[0].length;
  }
  out.say(words.join(' '), at, end);
  scan.remember('heures');
  return end;
}

export const timeRule: Rule = {
  name: 'time',
  begins: { digits: 'any digits' },
  apply: time,
};
