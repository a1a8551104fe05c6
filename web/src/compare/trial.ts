/** A blind test of two speakers: its rounds, the choices made in them, and what they come to. */
import { type Preference, preferenceOf } from '../../../src/protocol/playground/preference-test.js';

export interface Variant {
  readonly model: string;
  readonly voice: string;
  /** Times the voice's own pace. */
  readonly speed: number;
  /** How it is delivered; the server's default where absent. */
  readonly style?: string | undefined;
}

export interface Speaker extends Variant {
  /** All that tells it from another, for people. */
  readonly name: string;
}

export type Side = 'a' | 'b';

export interface Round {
  /** Which part of the text is heard. */
  readonly part: number;
  /** Who is heard as the first of the two. */
  readonly first: Side;
  readonly preferred?: Side;
  /** Time from the start of the round to the choice. */
  readonly answerMs?: number;
}

/** Rounds of a run. */
export const ROUNDS = 10;
/** Most parts of a text; rounds go through them in turn. */
const MAX_PARTS = 5;
const MAX_PART_CHARS = 300;

/** Sentences of a text, short ones joined, the same for both speakers. */
export function partsOf(text: string): string[] {
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)]
    .map(({ segment }) => segment.trim())
    .filter((segment) => segment !== '');
  const parts: string[] = [];
  for (const sentence of sentences) {
    const last = parts.at(-1);
    const joined = last === undefined ? sentence : `${last} ${sentence}`;
    if (last !== undefined && last.length < 40 && joined.length <= MAX_PART_CHARS) parts[parts.length - 1] = joined;
    else parts.push(sentence);
  }
  return parts.slice(0, MAX_PARTS);
}

const coin = (): Side => (crypto.getRandomValues(new Uint8Array(1))[0]! < 128 ? 'a' : 'b');

export const newRounds = (parts: number, from = 0): Round[] =>
  Array.from({ length: ROUNDS }, (_, index) => ({ part: (from + index) % parts, first: coin() }));

export const sideOf = ({ first }: Round, place: 0 | 1): Side => (place === 0 ? first : first === 'a' ? 'b' : 'a');

/** How often each was preferred. */
export const countsOf = (rounds: readonly Round[]): Readonly<Record<Side, number>> => ({
  a: rounds.filter(({ preferred }) => preferred === 'a').length,
  b: rounds.filter(({ preferred }) => preferred === 'b').length,
});

/** As seen from the one that was preferred more often. */
export function outcomeOf(rounds: readonly Round[]): Preference & { readonly winner: Side | undefined } {
  const { a, b } = countsOf(rounds);
  const winner = a === b ? undefined : a > b ? 'a' : 'b';
  return { ...preferenceOf(Math.max(a, b), a + b), winner };
}

const quoted = (value: string | number) => {
  const text = String(value);
  // A spreadsheet would run what begins like a formula.
  return `"${(/^[=+\-@]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
};

export interface Exported {
  readonly a: Speaker;
  readonly b: Speaker;
  readonly parts: readonly string[];
  readonly rounds: readonly Round[];
}

export function asCsv({ a, b, parts, rounds }: Exported): string {
  const names = { a: a.name, b: b.name };
  const rows = rounds.map((round, index) => [
    index + 1,
    parts[round.part]!,
    names[sideOf(round, 0)],
    names[sideOf(round, 1)],
    names[round.preferred!],
    Math.round(round.answerMs ?? 0),
  ]);
  const head = ['round', 'text', 'first', 'second', 'preferred', 'answer_ms'];
  return [head, ...rows].map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

export function asJson({ a, b, parts, rounds }: Exported): string {
  const { a: aPreferred, b: bPreferred } = countsOf(rounds);
  const { share, low, high, p } = preferenceOf(aPreferred, rounds.length);
  const result = { a_preferred: aPreferred, b_preferred: bPreferred, share_of_a: share, interval_95: [low, high], p };
  return `${JSON.stringify({ a, b, result, parts, rounds }, null, 2)}\n`;
}
