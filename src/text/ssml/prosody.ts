/** How SSML asks for delivery: the values of `<prosody>` and `<emphasis>`, and how they add up. */
import { excerpt } from '../../protocol/errors.js';
import { PROSODY_LIMITS, type Prosody } from '../../protocol/job.js';

type Fail = (problem: string) => never;
type Attributes = ReadonlyMap<string, string>;

interface Scale {
  readonly words: Readonly<Record<string, number>>;
  /** A value in other words, or undefined where it is none. */
  readonly parse: (value: string) => number | undefined;
  /** What else may be written, for messages. */
  readonly form: string;
}

const { rate, pitch, range, volume } = PROSODY_LIMITS;

/** "80%" is a share of the voice's own, "+20%" and "-20%" a change of it. */
function share(value: string): number | undefined {
  const found = /^([+-]?)(\d{1,4}(?:\.\d{1,4})?)(%?)$/.exec(value);
  if (!found || (found[3] === '' && found[1] !== '')) return undefined;
  const number = Number(found[2]) / (found[3] === '' ? 1 : 100);
  return found[1] === '' ? number : found[1] === '+' ? 1 + number : 1 - number;
}

function semitones(value: string): number | undefined {
  const found = /^([+-]\d{1,2}(?:\.\d{1,4})?)st$/.exec(value);
  if (found) return Number(found[1]);
  const ratio = /^[+-].*%$/.test(value) ? share(value) : undefined;
  return ratio === undefined ? undefined : 12 * Math.log2(Math.max(1e-3, ratio));
}

function decibels(value: string): number | undefined {
  const found = /^([+-]\d{1,2}(?:\.\d{1,4})?)dB$/i.exec(value);
  return found ? Number(found[1]) : undefined;
}

const percent = (least: number, most: number) => `${least * 100}% to ${most * 100}%`;
const SCALES: Readonly<Record<keyof Prosody, Scale>> = {
  rate: {
    words: { 'x-slow': 0.6, slow: 0.8, medium: 1, fast: 1.25, 'x-fast': 1.6, default: 1 },
    parse: share,
    form: `${percent(...rate)}`,
  },
  pitch: {
    words: { 'x-low': -5, low: -2.5, medium: 0, high: 2.5, 'x-high': 5, default: 0 },
    parse: semitones,
    form: `${pitch[0]}st to +${pitch[1]}st, or a change such as +10%`,
  },
  range: {
    words: { 'x-low': 0.3, low: 0.6, medium: 1, high: 1.4, 'x-high': 1.8, default: 1 },
    parse: share,
    form: `${percent(...range)}`,
  },
  volume: {
    words: { silent: volume[0], 'x-soft': -12, soft: -6, medium: 0, loud: 3, 'x-loud': 6, default: 0 },
    parse: decibels,
    form: `${volume[0]}dB to +${volume[1]}dB`,
  },
};
const NAMES = Object.keys(SCALES) as readonly (keyof Prosody)[];

/**
 * By how much a word that is emphasised differs. Measured with both models: no word is heard as
 * another, and the pitch moves by less than two semitones in 10 ms.
 */
const LEVELS: Readonly<Record<string, Prosody>> = {
  strong: { rate: 0.85, pitch: 2.5, range: 1.2, volume: 3 },
  moderate: { rate: 0.92, pitch: 1.5, range: 1.1, volume: 2 },
  none: {},
  reduced: { rate: 1.1, pitch: -1, range: 0.8, volume: -3 },
};

/** What `<emphasis>` without a level asks for. */
export const EMPHASIS: Prosody = LEVELS.moderate!;

/** What an element asks for; undefined for other elements. Attributes it lacks stay as they are. */
export function prosodyOf(name: string, attributes: Attributes, fail: Fail): Prosody | undefined {
  if (name === 'emphasis') {
    const level = attributes.get('level') ?? 'moderate';
    if (Object.hasOwn(LEVELS, level)) return LEVELS[level];
    return fail(`level="${excerpt(level, 20)}" is not known; allowed are ${Object.keys(LEVELS).join(', ')}`);
  }
  if (name !== 'prosody') return undefined;
  const asked: { -readonly [K in keyof Prosody]: Prosody[K] } = {};
  for (const key of NAMES) {
    const value = attributes.get(key);
    if (value !== undefined) asked[key] = checkedValue(key, value.trim(), fail);
  }
  return asked;
}

function checkedValue(key: keyof Prosody, value: string, fail: Fail): number {
  const { words, parse, form } = SCALES[key];
  const [least, most] = PROSODY_LIMITS[key];
  const found = Object.hasOwn(words, value) ? words[value] : parse(value);
  if (found !== undefined && found >= least - 1e-9 && found <= most + 1e-9) return found;
  const wrong = found === undefined ? 'is not known' : 'is too much';
  return fail(`${key}="${excerpt(value, 20)}" ${wrong}; allowed are ${Object.keys(words).join(', ')}, and ${form}`);
}

/** What holds inside two elements, within the limits; undefined where it is the voice's own. */
export function combined(outer: Prosody | undefined, inner: Prosody | undefined): Prosody | undefined {
  if (inner === undefined) return outer;
  const within = (key: keyof Prosody, value: number): number =>
    Math.min(PROSODY_LIMITS[key][1], Math.max(PROSODY_LIMITS[key][0], value));
  const all = {
    rate: within('rate', (outer?.rate ?? 1) * (inner.rate ?? 1)),
    pitch: within('pitch', (outer?.pitch ?? 0) + (inner.pitch ?? 0)),
    range: within('range', (outer?.range ?? 1) * (inner.range ?? 1)),
    volume: within('volume', (outer?.volume ?? 0) + (inner.volume ?? 0)),
  };
  const changes = Object.entries(all).filter(([key, value]) => value !== (key === 'rate' || key === 'range' ? 1 : 0));
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
