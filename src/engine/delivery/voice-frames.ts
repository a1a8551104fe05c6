/** Where in an utterance the voice sounds, by its tokens and by the pitch that was predicted. */
import type { ReadingToken } from '../../text/types.js';
import { AHEAD, FRAME_SAMPLES, isRest } from '../plan.js';
import type { AcousticFeatures } from '../vocoder/features.js';
import { STEP_FRAMES } from './retimed.js';

const AHEAD_FRAMES = AHEAD / FRAME_SAMPLES;
/** Semitones a frame; faster movement is the voice setting in or breaking off. */
const STEADY = 1;
/** Frames of the last sound of a question that are to have a pitch, and of one that is a stop. */
const LAST_FRAMES = 10;
const LAST_STOP_FRAMES = 4;
const STOP = /[bdɡʤ]/u;
/** Frames at the end of a question that get a pitch where the model lets the voice creak. */
const MOST_CREAK = 48;
/** Share of the last steady pitch below which the voice is over. */
export const BROKEN = 0.35;
/** Sounds without a voice. */
const VOICELESS = /[ptkfθsʃhʧʔçx]/u;

export const semitones = (hz: number): number => 12 * Math.log2(hz);

/** First frame of each token, and of the pad behind them; sound precedes what was predicted. */
export function tokenStarts({ durations }: Pick<AcousticFeatures, 'durations'>): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const steps of durations) {
    starts.push(Math.max(0, Math.round(at - AHEAD_FRAMES)));
    at += steps * STEP_FRAMES;
  }
  return starts.slice(1);
}

/** The last stress before the token `end` in its sentence; the sentence's beginning without one. */
export function footOf(tokens: readonly ReadingToken[], end: number): number {
  let begin = end;
  while (begin > 0 && !/[.?!…]/.test(tokens[begin - 1]!.symbol)) begin -= 1;
  for (const stress of 'ˈˌ') {
    for (let at = end - 1; at >= begin; at -= 1) if (tokens[at]!.symbol === stress) return at;
  }
  return begin;
}

/**
 * Frames of sounds that have a voice, also where the model lets them creak without a pitch. It goes
 * on between two words.
 */
export function voicedFrames(tokens: readonly ReadingToken[], starts: readonly number[], frames: number): Uint8Array {
  const voiced = new Uint8Array(frames);
  for (const [index, token] of tokens.entries()) {
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    const hasVoice = token.symbol === ' ' ? isVoiced(before) && isVoiced(next) : isVoiced(token);
    if (!hasVoice) continue;
    const end = Math.min(starts[index + 1] ?? frames, frames);
    const isLast = next === undefined || (isRest(next) && next.symbol !== ' ');
    const most = starts[index]! + (STOP.test(token.symbol) ? LAST_STOP_FRAMES : LAST_FRAMES);
    voiced.fill(1, starts[index]!, isLast ? Math.min(end, most) : end);
  }
  return voiced;
}

const isVoiced = (token: ReadingToken | undefined): boolean =>
  token !== undefined && !isRest(token) && !VOICELESS.test(token.symbol);

/**
 * Behind its last steady frame: the last sound that has a voice, perhaps behind one that has none,
 * and on to where the pitch has broken off.
 */
export function voiceEnd(f0: Float32Array, last: number, to: number, voiced: Uint8Array): number {
  const broken = BROKEN * f0[last]!;
  let end = Math.max(last, voiced.subarray(0, Math.min(to, last + MOST_CREAK)).lastIndexOf(1));
  while (end + 1 < to && end - last < MOST_CREAK && f0[end + 1]! > broken) end += 1;
  return end;
}

/** The melody in semitones by frame: steady frames, and between and behind them what creaks. */
export function filled(
  f0: Float32Array,
  steady: readonly number[],
  { from, end, voiced }: { readonly from: number; readonly end: number; readonly voiced: Uint8Array },
): Map<number, number> {
  const melody = new Map<number, number>();
  const last = steady.at(-1)!;
  const broken = BROKEN * f0[last]!;
  let next = 0;
  for (let at = from; at <= end; at += 1) {
    while (next < steady.length && steady[next]! < at) next += 1;
    if (steady[next] === at) melody.set(at, semitones(f0[at]!));
    else if (next > 0 && (voiced[at] === 1 || (at > last && f0[at]! > broken))) {
      const before = steady[next - 1]!;
      const after = steady[next] ?? before;
      const share = after === before ? 0 : (at - before) / (after - before);
      const [one, other] = [semitones(f0[before]!), semitones(f0[after]!)];
      melody.set(at, one + (other - one) * share);
    }
  }
  return melody;
}

/** The median of the pitch (Hz). */
export const middleOf = (f0: Float32Array): number => {
  const voiced = f0.filter((hz) => hz > 50).sort();
  return voiced[voiced.length >> 1] ?? 0;
};

/** Frames in [`from`, `to`) in which the voice sounds and neither sets in nor breaks off. */
export function steadyFrames(f0: Float32Array, from: number, to: number): number[] {
  const least = Math.max(50, 0.45 * middleOf(f0));
  const places: number[] = [];
  for (let at = Math.max(1, from); at < Math.min(to, f0.length - 1); at += 1) {
    if (Math.min(f0[at - 1]!, f0[at]!, f0[at + 1]!) < least) continue;
    const here = semitones(f0[at]!);
    const moves = [semitones(f0[at - 1]!) - here, semitones(f0[at + 1]!) - here];
    if (moves.every((move) => Math.abs(move) <= STEADY)) places.push(at);
  }
  return places;
}
