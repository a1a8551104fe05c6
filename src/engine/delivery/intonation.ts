/**
 * Questions: the pitch that the acoustic model predicts is bent over the last foot, the stretch
 * from the last stressed syllable on, where the voice does not do by itself what people do. Where
 * it rises the energy stays up with it, so that the model makes a voice of it and no creak.
 */
import { Tensor } from 'onnxruntime-node';
import type { Question, ReadingToken } from '../../text/types.js';
import { isRest } from '../plan.js';
import type { Melody } from '../vocoder/features.js';
import { VOICED_HZ } from './retimed.js';
import {
  BROKEN,
  filled,
  footOf,
  middleOf,
  semitones,
  steadyFrames,
  tokenStarts,
  voicedFrames,
  voiceEnd,
} from './voice-frames.js';

/** Most that a bend adds, in semitones a frame of 12.5 ms; people move 60 in a second. */
const STEEPEST = 0.8;
/** Frames of a bend: a shorter foot begins earlier, a longer one later. */
const SHORTEST = 18;
const LONGEST = 72;
/**
 * What an end must reach, in semitones: so far above the lowest point of the foot, so far below its
 * beginning at most, and turned down again by so much at most.
 */
const ENDING_RISE: Rise = { own: { above: 4, below: 4, turn: 1.8 }, wanted: { above: 5, below: 1, turn: 1 } };
const INNER_RISE: Rise = { own: { above: 2, below: 3, turn: 1.8 }, wanted: { above: 3, below: 2, turn: 1 } };
const ENDING_FALL: Rise = { own: { above: 2, below: 1, turn: 1.8 }, wanted: { above: 3.5, below: 0, turn: 1 } };
/**
 * Of a voice whose pitch lies low. At the end of a sentence it creaks at half the pitch that the
 * model has for it, also where that seems to rise: only a voice that is high and loud does not.
 */
const LOW_RISE: Rise = {
  wanted: { above: 9, below: -6, turn: 1 },
  highest: 9,
  flattened: [1],
  softer: -0.05,
};
/** The middle of the pitch of such a voice lies below this. */
const LOW_HZ = 99;
/** The last frames of a voice are hardly heard: what precedes them has to have risen. */
const WEAK_FRAMES = 6;
/** Frames in which the pitch of a voice breaks off. */
const BREAK_FRAMES = 3;
/** Frames in which the last sound of a sentence is heard at most; the pitch may go on. */
const AUDIBLE_FRAMES = 16;
/** Semitones above the highest point of the foot that a bend may reach. */
const HIGHEST = 5;
/** Frames in which the energy rises to that, and falls at the end of the voice. */
const RAISE_FRAMES = 3;
/** Quantiles of the energy that are silence and the louder sounds. */
const SILENCE = 0.05;
const LOUD = 0.9;
/** Shares of the voice's own movement that are taken away, the least that will do. */
const FLATTENED = [0, 0.3, 0.6, 0.85];

interface Reach {
  readonly above: number;
  readonly below: number;
  readonly turn: number;
}

/** How far a melody is bent. */
interface Rise {
  /** A voice that does this is left alone. */
  readonly own?: Reach;
  readonly wanted: Reach;
  /** Semitones above the highest point of the foot that it may reach. */
  readonly highest?: number;
  /** Shares of the voice's own movement that may be taken away, the least that will do. */
  readonly flattened?: readonly number[];
  /**
   * How much softer than the louder sounds of the utterance the voice may be, as a share of what
   * lies between those and silence. Softer, some voices creak at half their pitch.
   */
  readonly softer?: number;
}

/** A stretch of the pitch that is to end higher or lower, in frames. */
interface Bend {
  readonly from: number;
  /** The voice ends before this frame. */
  readonly to: number;
  /** Behind `to` the bend has faded out here. */
  readonly fade: number;
  readonly direction: 1 | -1;
  readonly rise: Rise;
}

/** Frames that were bent, from the first to the last, which is one of them. */
interface Stretch {
  readonly from: number;
  readonly end: number;
  readonly softer: number;
}

/** The melody of an utterance with that of its questions. */
export function intoned(own: Melody, tokens: readonly ReadingToken[], questions: readonly Question[]): Melody {
  if (questions.length === 0) return own;
  const starts = tokenStarts(own);
  const bends = questions.flatMap((question) => bendsOf(question, tokens, starts, own.frames));
  if (bends.length === 0) return own;
  const f0 = Float32Array.from(own.f0.data as Float32Array);
  const voiced = voicedFrames(tokens, starts, f0.length);
  const bent = bends.flatMap((bend) => apply(bend, f0, voiced) ?? []);
  if (bent.length === 0) return own;
  return { ...own, f0: new Tensor('float32', f0, own.f0.dims), energy: raised(own.energy, bent, voiced) };
}

/** The energy where the voice was bent, as loud as a voice that does not creak. */
function raised(tensor: Tensor, stretches: readonly Stretch[], voiced: Uint8Array): Tensor {
  const energy = Float32Array.from(tensor.data as Float32Array);
  const sorted = energy.slice().sort();
  const [silence, loud] = [SILENCE, LOUD].map((share) => sorted[Math.floor(share * (sorted.length - 1))]!) as [
    number,
    number,
  ];
  for (const { from, end, softer } of stretches) {
    const wanted = loud - softer * (loud - silence);
    for (let at = from; at <= end; at += 1) {
      if (voiced[at] === 0 || energy[at]! >= wanted) continue;
      const ramp = Math.min(1, (at - from) / RAISE_FRAMES, (end + 1 - at) / RAISE_FRAMES);
      energy[at]! += ramp * (wanted - energy[at]!);
    }
  }
  return new Tensor('float32', energy, tensor.dims);
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
  if (or === undefined) return [{ ...ending, direction: 1, rise: ENDING_RISE }];
  const fall: Bend = { ...ending, direction: -1, rise: ENDING_FALL };
  const word = tokens.findIndex(({ start }) => start === or);
  if (word <= 0) return [fall];
  const behind = tokens.findIndex(({ start }, index) => index > word && start !== or);
  const rise: Bend = {
    from: starts[footOf(tokens, word)]!,
    to: starts[word]!,
    fade: starts[behind < 0 ? mark : behind]!,
    direction: 1,
    rise: INNER_RISE,
  };
  return [rise, fall];
}

/** Bends `f0`. Answers with the frames that were bent; undefined where the voice does it itself. */
function apply(bend: Bend, f0: Float32Array, voiced: Uint8Array): Stretch | undefined {
  const to = Math.min(bend.to, f0.length);
  const steady = steadyFrames(f0, Math.max(0, to - LONGEST - SHORTEST), to);
  const last = steady.at(-1);
  if (last === undefined) return undefined;
  const end = voiceEnd(f0, last, to, voiced);
  const from = Math.max(0, Math.min(Math.max(bend.from, end - LONGEST), end - SHORTEST));
  const sung = steady.filter((place) => place >= from);
  if (sung.length === 0) return undefined;
  const own = sung.map((place) => bend.direction * semitones(f0[place]!));
  const rise = bend.rise === ENDING_RISE && middleOf(f0) < LOW_HZ ? LOW_RISE : bend.rise;
  if (rise.own !== undefined && endsUp(own, rise.own)) return undefined;
  const melody = filled(f0, sung, { from, end, voiced });
  const places = [...melody.keys()];
  const part = (at: number): number => Math.min(1, (at - from) / (end - from));
  const values = [...melody.values()];
  const upright = values.map((each) => bend.direction * each);
  const { flat, height } = leastBend(upright, places.map(part), end - from, rise);
  const bent = (at: number, value: number): number =>
    flat * flattening(part(at)) * (values[0]! - value) + bend.direction * height * smooth(part(at));
  for (let at = from; at <= end; at += 1) {
    const value = melody.get(at);
    if (value !== undefined) f0[at] = 2 ** ((value + bent(at, value)) / 12);
    else if (f0[at]! > VOICED_HZ) f0[at]! *= 2 ** (bent(at, semitones(f0[at]!)) / 12);
  }
  leave(f0, end, bent(end, melody.get(end)!), bend.fade);
  return { from, end, softer: bend.direction < 0 ? Number.POSITIVE_INFINITY : (rise.softer ?? 0) };
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

/** The least flattening of a melody, and the least height at its end, with which it ends up. */
function leastBend(
  own: readonly number[],
  parts: readonly number[],
  frames: number,
  { wanted, highest = HIGHEST, flattened = FLATTENED }: Rise,
): { flat: number; height: number } {
  const steepest = (STEEPEST * frames) / STEEPEST_SHARE;
  const ceiling = Math.max(...own) + highest;
  let [flat, height] = [0, 0];
  for (flat of flattened) {
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
