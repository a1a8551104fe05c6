/** Silences of a clip, and what stands in the text where each is heard. */
import { SAMPLE_RATE } from '../../../src/protocol/audio.js';
import type { PlacedWord } from './clip.js';
import { quantile } from './figures.js';

/** A shorter silence is a stop's closure or the gap between two words. */
const LEAST_REST_MS = 80;
const FRAME_MS = 5;
const FRAME = (SAMPLE_RATE * FRAME_MS) / 1_000;
/** This far below the level of speech there is silence (dB); as where the engine trims a voice. */
const SILENCE_DB = -32;
/** The level of speech: this share of the frames is softer. */
const SPEECH_QUANTILE = 0.8;
/** A rest ends where a word begins, give or take the onset of its first consonant. */
const NEAR_MS = 160;

/** What stands before a rest; `none` is between two words, or within one. */
export const PLACES = [
  'heading',
  'paragraph',
  'item',
  'question',
  'sentence',
  'ellipsis',
  'dash',
  'colon',
  'semicolon',
  'bracket',
  'comma',
  'none',
] as const;
export type Place = (typeof PLACES)[number];

export interface Rest {
  readonly startMs: number;
  readonly endMs: number;
  readonly ms: number;
  /** Undefined where the times of words are not known. */
  readonly place?: Place | undefined;
}

/** Silences inside a clip; what comes before its first sound and after its last is none. */
export function silencesOf(pcm: Int16Array): Rest[] {
  const levels: number[] = [];
  for (let at = 0; at + FRAME <= pcm.length; at += FRAME) {
    let sum = 0;
    for (let i = at; i < at + FRAME; i++) sum += pcm[i]! ** 2;
    levels.push(Math.sqrt(sum / FRAME));
  }
  const threshold = quantile(levels, SPEECH_QUANTILE) * 10 ** (SILENCE_DB / 20);
  const found: Rest[] = [];
  let lastSound = -1;
  for (const [at, level] of levels.entries()) {
    if (level <= threshold) continue;
    const ms = (at - lastSound - 1) * FRAME_MS;
    if (lastSound >= 0 && ms >= LEAST_REST_MS)
      found.push({ startMs: (lastSound + 1) * FRAME_MS, endMs: at * FRAME_MS, ms });
    lastSound = at;
  }
  return found;
}

const ENDS: readonly (readonly [RegExp, Place])[] = [
  [/(?:\.\.\.|…)["”’')]*$/u, 'ellipsis'],
  [/\?["”’')]*$/u, 'question'],
  [/[.!]["”’')]*$/u, 'sentence'],
  [/;["”’')]*$/u, 'semicolon'],
  [/:["”’')]*$/u, 'colon'],
  [/[–—]$/u, 'dash'],
  [/,["”’')]*$/u, 'comma'],
  [/\)$/u, 'bracket'],
];

/** An abbreviation's full stop is followed by no rest of its own. */
const ABBREVIATION = /^(?:Mrs?|Dr)\.$/u;

/** What stands in the text between two words. */
export function placeBetween(text: string, before: PlacedWord, after: PlacedWord): Place {
  const gap = text.slice(before.to, after.from);
  const line = text.slice(text.lastIndexOf('\n', before.from) + 1, before.to);
  if (gap.includes('\n')) {
    if (line.startsWith('#')) return 'heading';
    return line.startsWith('-') && !gap.includes('\n\n') ? 'item' : 'paragraph';
  }
  if (ABBREVIATION.test(before.word)) return 'none';
  const mark = ENDS.find(([pattern]) => pattern.test(before.word))?.[1];
  if (mark !== undefined) return mark;
  if (/[–—]/u.test(gap) || /^[–—]/u.test(after.word)) return 'dash';
  return after.word.startsWith('(') ? 'bracket' : 'none';
}

/** Silences with the place of the word that follows each; words without a letter are no words. */
export function restsOf(text: string, pcm: Int16Array, words: readonly PlacedWord[]): Rest[] {
  const spoken = words.filter(({ word }) => /[\p{L}\p{N}]/u.test(word));
  return silencesOf(pcm).map((rest) => {
    let next = -1;
    let nearest = NEAR_MS;
    for (const [at, { startMs }] of spoken.entries()) {
      const apart = Math.abs(startMs - rest.endMs);
      if (apart <= nearest) [next, nearest] = [at, apart];
    }
    const place = next < 1 ? 'none' : placeBetween(text, spoken[next - 1]!, spoken[next]!);
    return { ...rest, place };
  });
}

export interface RestFigures {
  readonly count: number;
  readonly quartilesMs: readonly [number, number, number];
  /** Share of the rests within 5 % of their median: 1 where all are alike. */
  readonly alike: number;
}

export function restFigures(rests: readonly Rest[]): RestFigures {
  const lengths = rests.map(({ ms }) => ms);
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(lengths, share));
  const alike = lengths.filter((ms) => Math.abs(ms - middle!) <= middle! * 0.05).length / lengths.length;
  return { count: lengths.length, quartilesMs: [low!, middle!, high!], alike };
}
