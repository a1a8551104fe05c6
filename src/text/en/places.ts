/** Parts of an address on a letter: states, and the points of the compass. */
import type { Rule } from '../normalize/rule.js';
import { isCapitalised, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { startsSentence } from './sentence-starts.js';

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

/** As the press shortens them; the others are written out. */
const SHORT_STATES: ReadonlyMap<string, string> = new Map(
  (
    'Ala Alabama|Ariz Arizona|Ark Arkansas|Calif California|Colo Colorado|Conn Connecticut|Del Delaware|Fla Florida|Ga Georgia|Ill Illinois|' +
    'Ind Indiana|Kan Kansas|Ky Kentucky|La Louisiana|Md Maryland|Mass Massachusetts|Mich Michigan|Minn Minnesota|Miss Mississippi|Mo Missouri|' +
    'Mont Montana|Neb Nebraska|Nev Nevada|N.H New Hampshire|N.J New Jersey|N.M New Mexico|N.Y New York|N.C North Carolina|N.D North Dakota|' +
    'Okla Oklahoma|Ore Oregon|Pa Pennsylvania|R.I Rhode Island|S.C South Carolina|S.D South Dakota|Tenn Tennessee|Tex Texas|Vt Vermont|' +
    'Va Virginia|Wash Washington|W.Va West Virginia|Wis Wisconsin|Wyo Wyoming'
  )
    .split('|')
    .map((entry) => {
      const space = entry.indexOf(' ');
      return [entry.slice(0, space), entry.slice(space + 1)] as const;
    }),
);
const FULL_STATES = new Set(STATES.values());
/** The last words of the states' names, behind which a ZIP code may stand. */
export const STATE_ENDS: ReadonlySet<string> = new Set([...FULL_STATES].map((name) => name.split(' ').at(-1)!));
const PARTY = /([DRI])-([A-Z]\.[A-Z][a-z]?|[A-Z][a-z]{1,12}(?: [A-Z][a-z]{3,12})?)(\.)?(?![A-Za-z0-9])/y;
const PARTIES: Readonly<Record<string, string>> = { D: 'Democrat', R: 'Republican', I: 'Independent' };

/** "D-Mass.", "R-Ohio": the party and the state of a politician. */
function party(scan: Scan, at: number): number {
  if (!scan.atBoundary(at)) return at;
  const match = matchAt(PARTY, scan.text, at);
  if (!match) return at;
  const [whole, letter, name, dot] = match as unknown as [string, string, string, string?];
  const state = dot ? SHORT_STATES.get(name) : FULL_STATES.has(name) ? name : undefined;
  if (state === undefined) return at;
  const end = at + whole.length - (dot && scan.endsAt(at + whole.length) ? 1 : 0);
  return say(scan, `${PARTIES[letter]} of ${state}`, at, end, state);
}

export const partyRule: Rule = {
  name: 'party and state',
  begins: { words: { first: /[DRI]/, behind: /-/, when: () => false } },
  apply: party,
};

const UNMISTAKEN = new Set('Ariz Calif Colo Conn Fla Ky Mich Minn Neb Nev Okla Tenn Tex Wis Wyo'.split(' '));
const SHORT_STATE = /([A-Z][a-z]{1,4}|[A-Z]\. ?(?:[A-Z][a-z]?))\.(?![A-Za-z0-9])/y;

/** "Cambridge, Mass.": a state behind a town. */
function shortState(scan: Scan, at: number): number {
  const { text } = scan;
  if (text[at - 1] !== ' ') return at;
  const town = text[at - 2] === ',' && isCapitalised(scan.previous);
  const match = matchAt(SHORT_STATE, text, at);
  const name = match ? SHORT_STATES.get(match[1]!.replace(' ', '')) : undefined;
  if (!match || !name) return at;
  // "in Wis., Mich. and Pa.": nothing else is so shortened, or another state stands before.
  const listed = /^(?:and|or)$/.test(scan.previous) && FULL_STATES.has(scan.beforePrevious);
  if (!town && !listed && !UNMISTAKEN.has(match[1]!)) return at;
  const stop = at + match[0].length;
  return say(scan, name, at, scan.endsAt(stop) || startsSentence(scan, stop) ? stop - 1 : stop, name);
}

export const shortStateRule: Rule = {
  name: 'state in short',
  begins: { words: { first: /[A-Z]/, behind: /\./ } },
  apply: shortState,
};

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
