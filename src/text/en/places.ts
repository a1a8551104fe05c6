/** Parts of an address on a letter: states, and the points of the compass. */
import type { Rule } from '../normalize/rule.js';
import { isCapitalised, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';

function say(scan: Scan, words: string, from: number, to: number, written: string): number {
  scan.out.say(words, from, to);
  scan.remember(written);
  return to;
}

const STATES: ReadonlyMap<string, string> = new Map(
  (
    'AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|FL Florida|GA Georgia|HI Hawaii|ID Idaho|' +
    'IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|' +
    'MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|' +
    'OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|' +
    'WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|DC D C'
  )
    .split('|')
    .map((entry) => [entry.slice(0, 2), entry.slice(3)] as const),
);
const STATE = /[A-Z]{2}(?![A-Za-z0-9'-])/y;
const STATE_DOUBTFUL = /^(?:IN|OR|ME|OK|HI|OH|PA|MA|LA|ID|AL|DE|CO|MD|MS|PR|CT|MI)$/;

/** "Austin, TX", "Springfield, IL 62701": a state behind the name of a town. */
function state(scan: Scan, at: number): number {
  const { text } = scan;
  if (text[at - 1] !== ' ') return at;
  const written = scan.wordAt(at);
  const name = STATES.get(written);
  if (!name || !matchAt(STATE, text, at)) return at;
  const zip = /^ \d{5}(?!\d)/.test(text.slice(at + 2, at + 9));
  const town = text[at - 2] === ',' && isCapitalised(scan.previous) && scan.previous !== scan.previous.toUpperCase();
  if (!zip && !(town && !STATE_DOUBTFUL.test(written))) return at;
  return say(scan, name, at, at + 2, written);
}

const DIRECTION = /(N|S|E|W|NE|NW|SE|SW)\.?(?= [A-Z][a-z]+ (?:St|Ave|Rd|Blvd|Street|Avenue|Road|Dr|Drive|Ln|Lane)\b)/y;
const QUADRANT = /(NE|NW|SE|SW)(?![A-Za-z0-9])/y;
const DIRECTIONS: Readonly<Record<string, string>> = {
  N: 'North',
  S: 'South',
  E: 'East',
  W: 'West',
  NE: 'Northeast',
  NW: 'Northwest',
  SE: 'Southeast',
  SW: 'Southwest',
};

/** "123 N. Main St.", "5th St. NW". */
function direction(scan: Scan, at: number): number {
  if (!'NSEW'.includes(scan.text[at]!) || !scan.atBoundary(at)) return at;
  const before = matchAt(DIRECTION, scan.text, at);
  if (before) return say(scan, DIRECTIONS[before[1]!]!, at, at + before[0].length, before[1]!);
  const after = matchAt(QUADRANT, scan.text, at);
  if (!after || !/^(?:St|Ave|Rd|Blvd|Street|Avenue|Road|Dr|Drive)$/.test(scan.previous)) return at;
  return say(scan, DIRECTIONS[after[1]!]!, at, at + after[0].length, after[1]!);
}

export const directionRule: Rule = {
  name: 'direction',
  begins: { words: { first: /[NSEW]/, when: (word) => word.length < 3 } },
  apply: direction,
};

export const stateRule: Rule = {
  name: 'state',
  begins: { words: { first: /[A-Z]/, when: (word) => word.length === 2 } },
  apply: state,
};
