/**
 * Questions: the pitch that the acoustic model predicts is bent over the last foot, the stretch
 * from the last stressed syllable on, where the voice does not do by itself what people do.
 */
import { Tensor } from 'onnxruntime-node';
import type { Question, ReadingToken } from '../text/types.js';
import { AHEAD, FRAME_SAMPLES, isRest } from './plan.js';
import { STEP_FRAMES, VOICED_HZ } from './prosody.js';
import type { AcousticFeatures } from './vocoder/features.js';

const AHEAD_FRAMES = AHEAD / FRAME_SAMPLES;
/** Semitones a frame; faster movement is the voice setting in or breaking off. */
const STEADY = 1;
/** Most that a bend adds, in semitones a frame of 12.5 ms: people reach some 60 semitones a second. */
const STEEPEST = 0.8;
/** Frames of a bend: a shorter foot begins earlier, a longer one later. */
const SHORTEST = 14;
const LONGEST = 72;
/**
 * What an end must reach, in semitones: so far above the lowest point of the foot, and so far below
 * its beginning at most. A voice that does `own` is left alone.
 */
const ENDING_RISE = { own: { above: 4, below: 2 }, wanted: { above: 5, below: 1 } };
const INNER_RISE = { own: { above: 2, below: 3 }, wanted: { above: 3, below: 2 } };
const ENDING_FALL = { own: { above: 2, below: 1 }, wanted: { above: 3.5, below: 0 } };
/** A rise that has turned down by more than this is none (semitones). */
const TURN = 1.5;
/** The last frames of a voice are hardly heard: an end is what precedes them. */
const WEAK_FRAMES = 3;
/** Shares of the voice's own movement that are taken away, the least that will do. */
const FLATTENED = [0, 0.3, 0.6, 0.85];

interface Reach {
  readonly above: number;
  readonly below: number;
}

/** A stretch of the pitch that is to end higher or lower, in frames. */
interface Bend {
  readonly from: number;
  /** The voice ends before this frame. */
  readonly to: number;
  /** Behind `to` the bend has faded out here. */
  readonly fade: number;
  readonly direction: 1 | -1;
  readonly reach: { readonly own: Reach; readonly wanted: Reach };
}

/** The same utterance with the melody of its questions. */
export function intoned(
  features: AcousticFeatures,
  tokens: readonly ReadingToken[],
  questions: readonly Question[],
): AcousticFeatures {
  const bends = questions.flatMap((question) => bendsOf(question, tokens, features));
  if (bends.length === 0) return features;
  const f0 = Float32Array.from(features.f0.data as Float32Array);
  for (const bend of bends) apply(bend, f0);
  return { ...features, f0: new Tensor('float32', f0, features.f0.dims) };
}

function bendsOf({ at, or }: Question, tokens: readonly ReadingToken[], features: AcousticFeatures): Bend[] {
  const mark = tokens.findIndex(({ symbol, start }) => symbol === '?' && start === at);
  if (mark < 0) return [];
  const starts = tokenStarts(features);
  const frameOf = (token: number): number => starts[Math.min(token, starts.length - 1)]!;
  const next = tokens.findIndex((token, index) => index > mark && !isRest(token));
  const to = next < 0 ? features.frames : frameOf(next);
  const ending = { from: frameOf(footOf(tokens, mark)), to, fade: next < 0 ? Number.POSITIVE_INFINITY : to };
  if (or === undefined) return [{ ...ending, direction: 1, reach: ENDING_RISE }];
  const fall: Bend = { ...ending, direction: -1, reach: ENDING_FALL };
  const word = tokens.findIndex(({ start }) => start === or);
  if (word <= 0) return [fall];
  const behind = tokens.findIndex(({ start }, index) => index > word && start !== or);
  const rise: Bend = {
    from: frameOf(footOf(tokens, word)),
    to: frameOf(word),
    fade: frameOf(behind < 0 ? mark : behind),
    direction: 1,
    reach: INNER_RISE,
  };
  return [rise, fall];
}

/** First frame of each token, and of the pad behind them; sound precedes what was predicted. */
function tokenStarts({ durations }: AcousticFeatures): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const steps of durations) {
    starts.push(Math.max(0, Math.round(at - AHEAD_FRAMES)));
    at += steps * STEP_FRAMES;
  }
  return starts.slice(1);
}

/** The last stress before the token `end` in its sentence; the sentence's beginning without one. */
function footOf(tokens: readonly ReadingToken[], end: number): number {
  let begin = end;
  while (begin > 0 && !/[.?!…]/.test(tokens[begin - 1]!.symbol)) begin -= 1;
  for (const stress of 'ˈˌ') {
    for (let at = end - 1; at >= begin; at -= 1) if (tokens[at]!.symbol === stress) return at;
  }
  return begin;
}

function apply(bend: Bend, f0: Float32Array): void {
  const places = steadyFrames(f0, Math.max(0, bend.to - LONGEST - SHORTEST), Math.min(bend.to, f0.length));
  const end = places.at(-1);
  if (end === undefined) return;
  const from = Math.max(0, Math.min(Math.max(bend.from, end - LONGEST), end - SHORTEST));
  const foot = places.filter((place) => place >= from);
  const own = foot.map((place) => bend.direction * semitones(f0[place]!));
  if (endsUp(own, bend.reach.own)) return;
  const part = (at: number): number => Math.min(1, (at - from) / (end - from));
  const { flat, height } = leastBend(own, foot.map(part), end - from, bend.reach.wanted);
  const level = semitones(f0[foot[0]!]!);
  const fading = Math.min(bend.fade, f0.length) - end;
  for (let at = from; at < f0.length; at += 1) {
    if (f0[at]! <= VOICED_HZ) continue;
    const fade = at <= end || bend.fade > f0.length ? 1 : smooth(Math.max(0, 1 - (at - end) / fading));
    const levelled = flat * flattening(part(at)) * (level - semitones(f0[Math.min(at, end)]!));
    const bent = levelled + bend.direction * height * smooth(part(at));
    f0[at]! *= 2 ** ((bent * fade) / 12);
  }
}

/** The least flattening of a melody, and the least height at its end, with which it ends up. */
function leastBend(
  own: readonly number[],
  parts: readonly number[],
  frames: number,
  wanted: Reach,
): { flat: number; height: number } {
  const most = (STEEPEST * frames) / STEEPEST_SHARE;
  for (const flat of FLATTENED) {
    for (let height = 0.5; height <= most; height += 0.25) {
      const bent = own.map((each, i) => {
        const part = parts[i]!;
        return each + flat * flattening(part) * (own[0]! - each) + height * smooth(part);
      });
      if (endsUp(bent, wanted)) return { flat, height };
    }
  }
  return { flat: FLATTENED.at(-1)!, height: most };
}

/** From 0 to 1: begins without a corner and goes on rising to its end. */
const smooth = (x: number): number => x * x * (2.2 - 1.2 * x);
/** The largest slope of `smooth`. */
const STEEPEST_SHARE = 1.35;
/** The voice's own movement is left alone at the beginning of a foot. */
const flattening = (x: number): number => smooth(Math.min(1, x / 0.4));

/** Whether a melody ends up, without having turned down. */
function endsUp(melody: readonly number[], { above, below }: Reach): boolean {
  const heard = melody.slice(0, Math.max(1, melody.length - WEAK_FRAMES));
  const last = heard.slice(-3);
  const end = last.reduce((sum, each) => sum + each, 0) / last.length;
  const lowest = Math.min(...heard);
  const highest = Math.max(...heard.slice(heard.indexOf(lowest)));
  return end - lowest >= above && melody[0]! - end <= below && highest - end <= TURN;
}

const semitones = (hz: number): number => 12 * Math.log2(hz);

/** Frames in [`from`, `to`) in which the voice sounds and neither sets in nor breaks off. */
function steadyFrames(f0: Float32Array, from: number, to: number): number[] {
  const voiced = f0.filter((hz) => hz > 50).sort();
  const least = Math.max(50, 0.45 * (voiced[voiced.length >> 1] ?? 0));
  const places: number[] = [];
  for (let at = Math.max(1, from); at < Math.min(to, f0.length - 1); at += 1) {
    if (Math.min(f0[at - 1]!, f0[at]!, f0[at + 1]!) < least) continue;
    const here = semitones(f0[at]!);
    const moves = [semitones(f0[at - 1]!) - here, semitones(f0[at + 1]!) - here];
    if (moves.every((move) => Math.abs(move) <= STEADY)) places.push(at);
  }
  return places;
}
