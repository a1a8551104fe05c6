/**
 * How long a voice rests between two phrases: by the mark that parts them, the length of both, and
 * what ends there.
 *
 * The lengths follow readers. Pauses grow from a phrase to a comma, a sentence and the edge of
 * direct speech (literary prose read aloud: "The final lengthening of pre-boundary syllables turns
 * into final shortening as boundary strength levels increase", Journal of Phonetics 2023). Between
 * sentences readers rest 200 to 980 ms where they read fast and 340 to 1360 ms where they read
 * slowly, between paragraphs 400 to 1340 and 750 to 1800 ms, and up to 1.4 times as long behind a
 * long sentence (Kazlauskienė & Kalašinskaitė 2020, "The duration of pauses between phrases in
 * reading language"). Both neighbours count, and more than the sum of both: a rest below 300 ms is
 * likely where both have at most ten syllables (Zvonik & Cummins 2003, "The effect of surrounding
 * phrase lengths on pause duration").
 */
import type { PauseKind } from '../../protocol/job.js';
import { variation } from './variation.js';

type Mark =
  | 'comma'
  | 'semicolon'
  | 'colon'
  | 'dash'
  | 'stop'
  | 'question'
  | 'exclamation'
  | 'ellipsis'
  | 'bracket'
  | 'none';

/** What a phrase ends with. */
interface PhraseEnd {
  readonly mark: Mark;
  /** A quotation ends there. */
  readonly quoted: boolean;
}

const CLOSERS = /["'”’»›)\]}」』）】*_`\s]+$/u;
const QUOTES = /["”’»›」』]/u;
const BRACKETS = /[)\]}）】]/u;
const MARKS: readonly (readonly [RegExp, Mark])[] = [
  [/(?:…|\.{2,})$/u, 'ellipsis'],
  [/[.。।]$/u, 'stop'],
  [/[?？؟]$/u, 'question'],
  [/[!！]$/u, 'exclamation'],
  [/[,，、]$/u, 'comma'],
  [/[;；]$/u, 'semicolon'],
  [/[:：]$/u, 'colon'],
  [/(?:[—–]|\s-)$/u, 'dash'],
];

export function phraseEnd(text: string): PhraseEnd {
  const closers = CLOSERS.exec(text)?.[0] ?? '';
  const words = text.slice(0, text.length - closers.length);
  const mark = MARKS.find(([form]) => form.test(words))?.[1] ?? (BRACKETS.test(closers) ? 'bracket' : 'none');
  return { mark, quoted: QUOTES.test(closers) };
}

/** Rests of the style with a factor of 1, between phrases of usual length, in ms. */
const CLAUSE_MS: Readonly<Record<Mark, number>> = {
  comma: 220,
  semicolon: 330,
  colon: 340,
  dash: 280,
  bracket: 240,
  ellipsis: 450,
  stop: 260,
  question: 260,
  exclamation: 260,
  none: 200,
};
const SENTENCE_MS: Readonly<Partial<Record<Mark, number>>> = { question: 590, ellipsis: 680, exclamation: 540 };
const STOP_MS = 550;
/** Between a quotation and the words that tell who said it. */
const TAG_MS = 150;
const ENDED_MS: Readonly<Record<Exclude<PauseKind, 'sentence' | 'clause'>, number>> = {
  none: 50,
  carried: 110,
  joined: 0,
  item: 520,
  paragraph: 1_060,
  heading: 1_250,
};
/** Answers of another speaker come sooner than the next sentence of the same one would. */
const TURN = 0.85;

function usualMs(pause: PauseKind, { mark, quoted }: PhraseEnd): number {
  if (pause === 'sentence') return SENTENCE_MS[mark] ?? STOP_MS;
  if (pause === 'clause') return quoted ? TAG_MS : CLAUSE_MS[mark];
  return ENDED_MS[pause];
}

/** Letters of a phrase that is short (four syllables or so), and of one that is long. */
const SHORT_LETTERS = 12;
const LONG_LETTERS = 160;

/** From 0 for a short phrase to 1 for a long one, evenly on a logarithmic scale. */
function lengthOf(letters: number): number {
  const share = Math.log(Math.max(1, letters) / SHORT_LETTERS) / Math.log(LONG_LETTERS / SHORT_LETTERS);
  return Math.max(0, Math.min(1, share));
}

/** Of a rest, what its two neighbours add to it where they are long. */
const BEHIND = { least: 0.68, more: 0.42 };
const AHEAD = 0.34;

interface RestStyle {
  readonly rests: number;
  readonly spread: number;
}

interface Behind {
  readonly pause: PauseKind;
  readonly end: PhraseEnd;
  readonly letters: number;
  /** Tells the sentence from others, with the seed: see `variation`. */
  readonly key: string;
  readonly seed: number;
}

/** Pauses whose length the mark does not decide, and that no length of phrases changes. */
const isFixed = (pause: PauseKind): boolean => pause === 'none' || pause === 'carried' || pause === 'joined';

/** The rest behind a phrase (ms), without what the next phrase adds. */
export function restBehind({ pause, end, letters, key, seed }: Behind, { rests, spread }: RestStyle): number {
  const usual = usualMs(pause, end);
  if (isFixed(pause)) return usual;
  const length = BEHIND.least + BEHIND.more * lengthOf(letters);
  return usual * rests * length * Math.exp(spread * variation(key, seed, 1));
}

/** What a phrase adds to the rest before it, by its number of letters (ms). */
export function restAhead(after: PauseKind, letters: number, isTurn: boolean, { rests }: RestStyle): number {
  if (isFixed(after)) return 0;
  const usual = after === 'clause' ? CLAUSE_MS.comma : after === 'sentence' ? STOP_MS : ENDED_MS[after];
  // Of long rests the part that a sentence takes to be planned is no longer.
  return Math.min(usual, STOP_MS) * rests * AHEAD * lengthOf(letters) * (isTurn ? TURN : 1);
}
