/**
 * F0 of a voice, frame by frame: peaks of the normalised cross-correlation are candidates, and the
 * path through them that jumps least is the melody (as in Boersma, "Accurate short-term analysis of
 * the fundamental frequency", 1993, without its window correction).
 */
import { SAMPLE_RATE } from '../../../src/protocol/audio.js';
import { median, quantile } from './figures.js';

/** Distance between two frames. */
export const HOP_MS = 10;

const DECIMATION = 3;
const RATE = SAMPLE_RATE / DECIMATION;
const HOP = (RATE * HOP_MS) / 1_000;
const WINDOW = RATE * 0.025;
const LOWEST_HZ = 60;
const HIGHEST_HZ = 600;
const LEAST_LAG = Math.floor(RATE / HIGHEST_HZ);
const MOST_LAG = Math.ceil(RATE / LOWEST_HZ);
/** Above this, formants outweigh the fundamental and its first harmonics. */
const LOW_PASS_HZ = 1_000;
const TAPS = 73;

/** Most candidates of a frame. */
const CANDIDATES = 5;
/** Likeness to itself a period later, from which on a frame counts as voiced. */
const VOICED = 0.5;
/** A frame softer than this share of the loudest one has no voice. */
const SILENT = 0.03;
/** What a candidate loses for each octave it is lower: twice a period is always as like. */
const OCTAVE_COST = 0.03;
/** What a jump of an octave costs between two frames, and a change between voiced and unvoiced. */
const JUMP_COST = 0.5;
const CHANGE_COST = 0.14;
/** Frames of the median filter; shorter runs of voice than the other are taken for noise. */
const MEDIAN_FRAMES = 5;
const LEAST_RUN = 3;
/** A run shorter than this (frames) and this far from the voice's middle (semitones) is hiss. */
const SHORT_RUN = 6;
const FAR = 7;

/** Bounds of a voice, as shares of the quartiles of its pitch. */
const FLOOR = 0.6;
const CEILING = 2.2;

interface Candidate {
  /** 0 where the frame has no voice. */
  readonly hz: number;
  readonly score: number;
}

/** Below 1 kHz, at a third of the rate. */
function lowPassed(pcm: Int16Array): Float32Array {
  const middle = (TAPS - 1) / 2;
  const taps = Float64Array.from({ length: TAPS }, (_, i) => {
    const n = i - middle;
    const sinc =
      n === 0
        ? (2 * LOW_PASS_HZ) / SAMPLE_RATE
        : Math.sin((2 * Math.PI * LOW_PASS_HZ * n) / SAMPLE_RATE) / (Math.PI * n);
    return sinc * (0.54 + 0.46 * Math.cos((Math.PI * n) / middle));
  });
  const out = new Float32Array(Math.floor(pcm.length / DECIMATION));
  for (let at = 0; at < out.length; at++) {
    const first = at * DECIMATION - middle;
    let sum = 0;
    for (let i = Math.max(0, -first); i < Math.min(TAPS, pcm.length - first); i++) sum += taps[i]! * pcm[first + i]!;
    out[at] = sum / 32_768;
  }
  return out;
}

/** Power summed from the beginning, so that the power of any stretch is a difference. */
function summedPower(sound: Float32Array): Float64Array {
  const sums = new Float64Array(sound.length + 1);
  for (let i = 0; i < sound.length; i++) sums[i + 1] = sums[i]! + sound[i]! ** 2;
  return sums;
}

/** How like the sound around `centre` is to itself, for every lag; both stretches lie around it. */
function likenesses(sound: Float32Array, powers: Float64Array, centre: number): Float64Array {
  const likes = new Float64Array(MOST_LAG + 2);
  for (let lag = LEAST_LAG - 1; lag <= MOST_LAG + 1; lag++) {
    const from = centre - ((WINDOW + lag) >> 1);
    let both = 0;
    for (let i = from; i < from + WINDOW; i++) both += sound[i]! * sound[i + lag]!;
    const one = powers[from + WINDOW]! - powers[from]!;
    const other = powers[from + lag + WINDOW]! - powers[from + lag]!;
    likes[lag] = both / Math.sqrt((one + 1e-9) * (other + 1e-9));
  }
  return likes;
}

function candidatesOf(likes: Float64Array, loudness: number): Candidate[] {
  const silence = Math.max(0, 2 - (loudness * (1 + VOICED)) / SILENT);
  const found: Candidate[] = [];
  for (let lag = LEAST_LAG; lag <= MOST_LAG; lag++) {
    const [before, at, after] = [likes[lag - 1]!, likes[lag]!, likes[lag + 1]!];
    if (at < VOICED / 2 || at <= before || at < after) continue;
    // The top of a parabola through the three.
    const shift = (before - after) / (2 * (before - 2 * at + after));
    const hz = RATE / (lag + shift);
    const top = at - ((before - after) * shift) / 4;
    found.push({ hz, score: Math.min(1, top) + OCTAVE_COST * Math.log2(hz / LOWEST_HZ) });
  }
  found.sort((a, b) => b.score - a.score);
  return [{ hz: 0, score: VOICED + silence }, ...found.slice(0, CANDIDATES)];
}

const costBetween = (one: number, other: number): number => {
  if (one === 0 || other === 0) return one === other ? 0 : CHANGE_COST;
  return JUMP_COST * Math.abs(Math.log2(one / other));
};

/** The path with the highest sum of scores less jumps. */
function bestPath(frames: readonly (readonly Candidate[])[]): number[] {
  let totals = frames[0]?.map(({ score }) => score) ?? [];
  const origins: number[][] = [];
  for (let at = 1; at < frames.length; at++) {
    const came: number[] = [];
    totals = frames[at]!.map(({ hz, score }) => {
      let [best, origin] = [Number.NEGATIVE_INFINITY, 0];
      for (const [i, total] of totals.entries()) {
        const sum = total - costBetween(frames[at - 1]![i]!.hz, hz);
        if (sum > best) [best, origin] = [sum, i];
      }
      came.push(origin);
      return best + score;
    });
    origins.push(came);
  }
  let place = totals.indexOf(Math.max(...totals));
  const path: number[] = [];
  for (let at = frames.length - 1; at >= 0; at--) {
    path.unshift(frames[at]![place]!.hz);
    place = origins[at - 1]?.[place] ?? 0;
  }
  return path;
}

/** Runs of voiced frames: [first, one past the last). */
export function* voicedRuns(track: ArrayLike<number>): Generator<readonly [number, number]> {
  let from = -1;
  for (let at = 0; at <= track.length; at++) {
    const voiced = at < track.length && track[at]! > 0;
    if (voiced && from < 0) from = at;
    if (voiced || from < 0) continue;
    yield [from, at];
    from = -1;
  }
}

function smoothed(path: readonly number[]): Float64Array {
  const out = new Float64Array(path.length);
  const half = MEDIAN_FRAMES >> 1;
  const middle = median(path.filter((hz) => hz > 0));
  for (const [from, to] of voicedRuns(path)) {
    if (to - from < LEAST_RUN) continue;
    const away = Math.abs(semitones(median(path.slice(from, to))) - semitones(middle));
    if (to - from < SHORT_RUN && away > FAR) continue;
    for (let at = from; at < to; at++) {
      const near = path.slice(Math.max(from, at - half), Math.min(to, at + half + 1)).sort((a, b) => a - b);
      out[at] = near[near.length >> 1]!;
    }
  }
  return out;
}

/**
 * Candidates a voice can have that has this track: hiss below 1 kHz passes for a pitch of 500 Hz. A
 * range around the quartiles is De Looze and Hirst's way (2008); theirs ends at 1.5 or 2.5 times.
 */
function withinRange(frames: readonly (readonly Candidate[])[], track: Float64Array): (readonly Candidate[])[] {
  const voiced = [...track].filter((hz) => hz > 0);
  const [floor, ceiling] = [FLOOR * quantile(voiced, 0.25), CEILING * quantile(voiced, 0.75)];
  return frames.map((candidates) => candidates.filter(({ hz }) => hz === 0 || (hz >= floor && hz <= ceiling)));
}

/** Hz of frames of 10 ms, 0 where there is no voice; frame `i` lies around `i * HOP_MS`. */
export function pitchTrack(pcm: Int16Array): Float64Array {
  const sound = lowPassed(pcm);
  const powers = summedPower(sound);
  const margin = (WINDOW + MOST_LAG + 4) >> 1;
  const count = Math.floor(sound.length / HOP);
  const levels: number[] = [];
  for (let at = 0; at < count; at++) {
    const [from, to] = [Math.max(0, at * HOP - WINDOW / 2), Math.min(sound.length, at * HOP + WINDOW / 2)];
    levels.push(Math.sqrt((powers[to]! - powers[from]!) / (to - from)));
  }
  const loudest = Math.max(1e-6, ...levels);
  const frames = levels.map((level, at): readonly Candidate[] => {
    const centre = at * HOP;
    const inside = centre >= margin && centre + margin < sound.length;
    if (!inside || level < (loudest * SILENT) / 4) return [{ hz: 0, score: VOICED }];
    return candidatesOf(likenesses(sound, powers, centre), level / loudest);
  });
  return smoothed(bestPath(withinRange(frames, smoothed(bestPath(frames)))));
}

/** Semitones above 100 Hz. */
export const semitones = (hz: number): number => 12 * Math.log2(hz / 100);
