/** What the F0 of a clip does over questions, sentences and paragraphs. */
import type { SpokenSentence } from './clip.js';
import { deviation, mean, median, quantile, slopeOf } from './figures.js';
import { HOP_MS, semitones } from './pitch-track.js';

/** Where the last movement of a question is looked for, back from its last voiced frame. */
const ENDING_MS = 800;
/** The contour turns where it moves back by more than this (semitones). */
const TURN = 1.5;
/** A last movement of at least this is heard as a rise (semitones). */
export const RISE = 2;
/** Voiced frames that give the value of an end. */
const END_FRAMES = 5;
/** A shorter statement has no slope that means anything. */
const LEAST_SLOPE_MS = 1_000;
/** Sentences of a paragraph, from which on it has a slope. */
const LEAST_SENTENCES = 3;

/** A voiced frame: when, in seconds, and how high, in semitones. */
type Point = readonly [second: number, semitones: number];

export function voicedPoints(track: ArrayLike<number>, fromMs: number, toMs: number): Point[] {
  const points: Point[] = [];
  for (let at = Math.ceil(fromMs / HOP_MS); at * HOP_MS < toMs && at < track.length; at++)
    if (track[at]! > 0) points.push([(at * HOP_MS) / 1_000, semitones(track[at]!)]);
  return points;
}

/**
 * The last movement of the pitch in a stretch, in semitones: up from its last trough or down from
 * its last peak. NaN where there is no voice.
 */
export function lastMovement(track: ArrayLike<number>, fromMs: number, toMs: number): number {
  const all = voicedPoints(track, fromMs, toMs);
  const lastS = all.at(-1)?.[0] ?? Number.NaN;
  const heights = all.filter(([second]) => second > lastS - ENDING_MS / 1_000).map(([, height]) => height);
  if (heights.length === 0) return Number.NaN;
  const end = median(heights.slice(-END_FRAMES));
  let turn = end;
  let direction = 0;
  for (const height of heights.slice(0, -END_FRAMES).reverse()) {
    if (direction === 0 && Math.abs(height - end) > TURN) direction = Math.sign(height - end);
    if (direction === 0) continue;
    if ((height - turn) * direction > 0) turn = height;
    else if ((turn - height) * direction > TURN) break;
  }
  return direction === 0 ? end - heights[0]! : end - turn;
}

export interface MelodyFigures {
  /** The last movement of each question, in semitones. */
  readonly questions: readonly { readonly sentence: SpokenSentence; readonly movement: number }[];
  /** Slope over statements, median, semitones a second; and what a reader's rule gives for them. */
  readonly sentenceSlope: number;
  readonly readerSlope: number;
  /** Slope over paragraphs of three sentences and more, mean, semitones a second. */
  readonly paragraphSlope: number;
  /** From a sentence's end to the next one's beginning, inside a paragraph and at its start. */
  readonly sentenceReset: number;
  readonly paragraphReset: number;
  /** How much sentences differ: their median pitch, and its range, in semitones (deviations). */
  readonly levelSpread: number;
  readonly rangeSpread: number;
  readonly medianHz: number;
  /** 10th to 90th percentile of the pitch, semitones. */
  readonly range: number;
}

/**
 * The slope of the base line that listeners took for a reader's, by the length of the utterance: 't
 * Hart, Collier and Cohen, "A perceptual study of intonation", 1990.
 */
export const readerSlopeOf = (seconds: number): number => (seconds <= 5 ? -11 / (seconds + 1.5) : -8.5 / seconds);

const heightsOf = (points: readonly Point[]): number[] => points.map(([, height]) => height);

/** How much higher a sentence begins than the one before it ended: a second of each. */
function resetBetween(track: ArrayLike<number>, one: SpokenSentence, other: SpokenSentence): number {
  const end = heightsOf(voicedPoints(track, Math.max(one.startMs, one.endMs - 1_000), one.endMs));
  const start = heightsOf(voicedPoints(track, other.startMs, Math.min(other.endMs, other.startMs + 1_000)));
  return median(start) - median(end);
}

const meanOf = (values: readonly number[]): number => mean(values.filter((value) => !Number.isNaN(value)));

export function melodyOf(track: ArrayLike<number>, sentences: readonly SpokenSentence[]): MelodyFigures {
  const pointsOf = ({ startMs, endMs }: SpokenSentence) => voicedPoints(track, startMs, endMs);
  const statements = sentences.filter(({ asks, kind }) => asks === undefined && kind === 'prose');
  const long = statements.filter(({ startMs, endMs }) => endMs - startMs >= LEAST_SLOPE_MS);
  const prose = sentences.filter(({ kind }) => kind === 'prose');
  const blocks = [...new Set(prose.map(({ block }) => block))].map((block) => prose.filter((s) => s.block === block));
  const paragraphs = blocks.filter(({ length }) => length >= LEAST_SENTENCES);
  const pairs = prose.slice(1).map((other, at) => [prose[at]!, other] as const);
  const resets = (sameBlock: boolean) =>
    pairs
      .filter(([one, other]) => (one.block === other.block) === sameBlock && one.asks === undefined)
      .map(([one, other]) => resetBetween(track, one, other));
  const contours = prose.map((sentence) => heightsOf(pointsOf(sentence))).filter(({ length }) => length > 10);
  const rangeOf = (heights: readonly number[]) => quantile(heights, 0.9) - quantile(heights, 0.1);
  const all = sentences.flatMap((sentence) => heightsOf(pointsOf(sentence)));
  return {
    questions: sentences
      .filter(({ asks }) => asks !== undefined)
      .map((sentence) => ({ sentence, movement: lastMovement(track, sentence.startMs, sentence.endMs) })),
    sentenceSlope: median(long.map((sentence) => slopeOf(pointsOf(sentence)))),
    readerSlope: median(long.map(({ startMs, endMs }) => readerSlopeOf((endMs - startMs) / 1_000))),
    paragraphSlope: meanOf(paragraphs.map((own) => slopeOf(own.flatMap(pointsOf)))),
    sentenceReset: meanOf(resets(true)),
    paragraphReset: meanOf(resets(false)),
    levelSpread: deviation(contours.map(median)),
    rangeSpread: deviation(contours.map(rangeOf)),
    medianHz: 100 * 2 ** (median(all) / 12),
    range: rangeOf(all),
  };
}
