/**
 * Questions: the pitch that the acoustic model predicts is bent over the last foot, the stretch
 * from the last stressed syllable on, where the voice does not do by itself what people do.
 */
import { Tensor } from 'onnxruntime-node';
import type { Question, ReadingToken } from '../../text/types.js';
import { isRest } from '../plan.js';
import type { AcousticFeatures } from '../vocoder/features.js';
import { semitones, steadyFrames, tokenStarts } from './melody.js';
import { VOICED_HZ } from './retimed.js';

/** Most that a bend adds, in semitones a frame of 12.5 ms; people move 60 in a second. */
const STEEPEST = 0.8;
/** Frames of a bend: a shorter foot begins earlier, a longer one later. */
const SHORTEST = 18;
const LONGEST = 72;
/**
 * What an end must reach, in semitones: so far above the lowest point of the foot, so far below its
 * beginning at most, and turned down again by so much at most. A voice that does `own` is left
 * alone.
 */
const ENDING_RISE = { own: { above: 4, below: 4, turn: 1.8 }, wanted: { above: 5, below: 1, turn: 1 } };
const INNER_RISE = { own: { above: 2, below: 3, turn: 1.8 }, wanted: { above: 3, below: 2, turn: 1 } };
const ENDING_FALL = { own: { above: 2, below: 1, turn: 1.8 }, wanted: { above: 3.5, below: 0, turn: 1 } };
/** The last frames of a voice are hardly heard: what precedes them has to have risen. */
const WEAK_FRAMES = 6;
/** Frames of the last sound of a question that are to have a pitch. */
const LAST_FRAMES = 10;
/** Frames at the end of a question that get a pitch where the model lets the voice creak. */
const MOST_CREAK = 20;
/** Frames in which the pitch of a voice breaks off. */
const BREAK_FRAMES = 3;
/** Frames in which the last sound of a sentence is heard at most; the pitch may go on. */
const AUDIBLE_FRAMES = 16;
/** Semitones above the highest point of the foot that a bend may reach. */
const HIGHEST = 5;
/** Share of the last steady pitch below which the voice is over. */
const BROKEN = 0.35;
/** Sounds without a voice. */
const VOICELESS = /[ptkfθsʃhʧʔçx]/u;
/** Shares of the voice's own movement that are taken away, the least that will do. */
const FLATTENED = [0, 0.3, 0.6, 0.85];

interface Reach {
  readonly above: number;
  readonly below: number;
  readonly turn: number;
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
  if (questions.length === 0) return features;
  const starts = tokenStarts(features);
  const bends = questions.flatMap((question) => bendsOf(question, tokens, starts, features.frames));
  if (bends.length === 0) return features;
  const f0 = Float32Array.from(features.f0.data as Float32Array);
  const voiced = voicedFrames(tokens, starts, f0.length);
  for (const bend of bends) apply(bend, f0, voiced);
  return { ...features, f0: new Tensor('float32', f0, features.f0.dims) };
}

function bendsOf(
  { at, or }: Question,
  tokens: readonly ReadingToken[],
  starts: readonly number[],
  frames: number,
): Bend[] {
  const mark = tokens.findIndex(({ symbol, start }) => symbol === '?' && start === at);
  if (mark < 0) return [];
  const next = tokens.findIndex((token, index) => index > mark && !isRest(token));
  const lastSound = tokens.findLastIndex((token, index) => index < mark && !isRest(token));
  const to = Math.min(next < 0 ? frames : starts[next]!, (starts[lastSound] ?? 0) + AUDIBLE_FRAMES);
  const ending = { from: starts[footOf(tokens, mark)]!, to, fade: next < 0 ? Number.POSITIVE_INFINITY : starts[next]! };
  if (or === undefined) return [{ ...ending, direction: 1, reach: ENDING_RISE }];
  const fall: Bend = { ...ending, direction: -1, reach: ENDING_FALL };
  const word = tokens.findIndex(({ start }) => start === or);
  if (word <= 0) return [fall];
  const behind = tokens.findIndex(({ start }, index) => index > word && start !== or);
  const rise: Bend = {
    from: starts[footOf(tokens, word)]!,
    to: starts[word]!,
    fade: starts[behind < 0 ? mark : behind]!,
    direction: 1,
    reach: INNER_RISE,
  };
  return [rise, fall];
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

/** Frames of sounds that have a voice, also where the model lets them creak without a pitch. */
function voicedFrames(tokens: readonly ReadingToken[], starts: readonly number[], frames: number): Uint8Array {
  const voiced = new Uint8Array(frames);
  for (const [index, token] of tokens.entries()) {
    if (isRest(token) || VOICELESS.test(token.symbol)) continue;
    const next = tokens[index + 1];
    const end = Math.min(starts[index + 1] ?? frames, frames);
    const isLast = next === undefined || (isRest(next) && next.symbol !== ' ');
    voiced.fill(1, starts[index]!, isLast ? Math.min(end, starts[index]! + LAST_FRAMES) : end);
  }
  return voiced;
}

function apply(bend: Bend, f0: Float32Array, voiced: Uint8Array): void {
  const to = Math.min(bend.to, f0.length);
  const steady = steadyFrames(f0, Math.max(0, to - LONGEST - SHORTEST), to);
  const last = steady.at(-1);
  if (last === undefined) return;
  const end = voiceEnd(f0, last, to, voiced);
  const from = Math.max(0, Math.min(Math.max(bend.from, end - LONGEST), end - SHORTEST));
  const sung = steady.filter((place) => place >= from);
  if (sung.length === 0) return;
  const own = sung.map((place) => bend.direction * semitones(f0[place]!));
  if (endsUp(own, bend.reach.own)) return;
  const melody = filled(f0, sung, { from, end, voiced });
  const places = [...melody.keys()];
  const part = (at: number): number => Math.min(1, (at - from) / (end - from));
  const values = [...melody.values()];
  const upright = values.map((each) => bend.direction * each);
  const { flat, height } = leastBend(upright, places.map(part), end - from, bend.reach.wanted);
  const bent = (at: number, value: number): number =>
    flat * flattening(part(at)) * (values[0]! - value) + bend.direction * height * smooth(part(at));
  for (let at = from; at <= end; at += 1) {
    const value = melody.get(at);
    if (value !== undefined) f0[at] = 2 ** ((value + bent(at, value)) / 12);
    else if (f0[at]! > VOICED_HZ) f0[at]! *= 2 ** (bent(at, semitones(f0[at]!)) / 12);
  }
  leave(f0, end, bent(end, melody.get(end)!), bend.fade);
}

/** Behind a bend: the voice breaks off as it does by itself, or goes on and loses it by `fade`. */
function leave(f0: Float32Array, end: number, bent: number, fade: number): void {
  const goesOn = f0[end + 1]! > BROKEN * f0[end]!;
  const frames = goesOn ? Math.max(BREAK_FRAMES, fade - end) : BREAK_FRAMES;
  const held = semitones(f0[end]!);
  for (let at = end + 1; at < Math.min(f0.length, end + frames); at += 1) {
    if (f0[at]! <= VOICED_HZ) continue;
    const share = 1 - (at - end) / frames;
    const own = semitones(f0[at]!);
    f0[at] = 2 ** ((goesOn ? own + bent * smooth(share) : own + (held - own) * share) / 12);
  }
}

/** Behind its last steady frame: up to where sounds have a voice, or the pitch has broken off. */
function voiceEnd(f0: Float32Array, last: number, to: number, voiced: Uint8Array): number {
  const broken = BROKEN * f0[last]!;
  let end = last;
  while (end + 1 < to && end - last < MOST_CREAK && (voiced[end + 1] === 1 || f0[end + 1]! > broken)) end += 1;
  return end;
}

/** The melody in semitones by frame: steady frames, and between and behind them what creaks. */
function filled(
  f0: Float32Array,
  steady: readonly number[],
  { from, end, voiced }: { readonly from: number; readonly end: number; readonly voiced: Uint8Array },
): Map<number, number> {
  const melody = new Map<number, number>();
  let next = 0;
  for (let at = from; at <= end; at += 1) {
    while (next < steady.length && steady[next]! < at) next += 1;
    if (steady[next] === at) melody.set(at, semitones(f0[at]!));
    else if (next > 0 && (voiced[at] === 1 || at > steady.at(-1)!)) {
      const before = steady[next - 1]!;
      const after = steady[next] ?? before;
      const share = after === before ? 0 : (at - before) / (after - before);
      const [one, other] = [semitones(f0[before]!), semitones(f0[after]!)];
      melody.set(at, one + (other - one) * share);
    }
  }
  return melody;
}

/** The least flattening of a melody, and the least height at its end, with which it ends up. */
function leastBend(
  own: readonly number[],
  parts: readonly number[],
  frames: number,
  wanted: Reach,
): { flat: number; height: number } {
  const steepest = (STEEPEST * frames) / STEEPEST_SHARE;
  const ceiling = Math.max(...own) + HIGHEST;
  let [flat, height] = [0, 0];
  for (flat of FLATTENED) {
    const levelled = own.map((each, i) => each + flat * flattening(parts[i]!) * (own[0]! - each));
    const most = Math.min(steepest, ceiling - levelled.at(-1)!);
    for (height = 0.5; height < most; height += 0.25) {
      const bent = levelled.map((each, i) => each + height * smooth(parts[i]!));
      if (endsUp(bent, wanted)) return { flat, height };
    }
  }
  return { flat, height };
}

/** From 0 to 1: begins without a corner and goes on rising to its end. */
const smooth = (x: number): number => x * x * (2.2 - 1.2 * x);
/** The largest slope of `smooth`. */
const STEEPEST_SHARE = 1.35;
/** The voice's own movement is left alone at the beginning of a foot. */
const flattening = (x: number): number => smooth(Math.min(1, x / 0.4));

const meanOfLast = (values: readonly number[]): number => {
  const last = values.slice(-3);
  return last.reduce((sum, each) => sum + each, 0) / last.length;
};

/** Whether a melody ends up, without having turned down. */
function endsUp(melody: readonly number[], { above, below, turn }: Reach): boolean {
  const heard = melody.slice(0, Math.max(1, melody.length - WEAK_FRAMES));
  const end = meanOfLast(heard);
  const lowest = Math.min(...heard);
  const highest = Math.max(...melody.slice(melody.indexOf(lowest)));
  return end - lowest >= above && melody[0]! - end <= below && highest - meanOfLast(melody) <= turn;
}
