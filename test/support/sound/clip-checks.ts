/**
 * What can be wrong with a clip of speech without a word being misheard: cut, clipped, silent,
 * clicking.
 */

export type Fault = 'cut at the start' | 'cut at the end' | 'clipped' | 'silent' | 'a hole' | 'a click';

const RATE = 24_000;
const ms = (value: number): number => Math.round((value * RATE) / 1000);
const decibels = (value: number): number => 20 * Math.log10(Math.max(value, 1e-9));

function rms(samples: ArrayLike<number>, from: number, to: number): number {
  let sum = 0;
  const [first, last] = [Math.max(0, from), Math.min(samples.length, to)];
  for (let i = first; i < last; i += 1) sum += samples[i]! ** 2;
  return last > first ? Math.sqrt(sum / (last - first)) : 0;
}

/**
 * Speech that begins or ends with the clip was cut: there must be a moment of quiet at either end.
 */
const QUIET_DB = -46;
const EDGE = ms(10);
/** The level of the parts that sound, by which a clip counts as speech at all. */
const SPEECH_DB = -40;
const LONGEST_HOLE = ms(900);
/**
 * A click stands this far above the curvature of the sound just around it. Clean speech of these
 * models stays below 8 (the bursts of its consonants ring on for a millisecond, which a click does
 * not).
 */
const CLICK_RATIO = 10;
const LEAST_CLICK = 0.02;

export function faultsOf(pcm: Int16Array): Fault[] {
  const faults: Fault[] = [];
  const samples = Float64Array.from(pcm, (sample) => sample / 32_768);
  const hop = ms(10);
  const levels: number[] = [];
  for (let at = 0; at + hop <= samples.length; at += hop) levels.push(decibels(rms(samples, at, at + hop)));
  const loudest = Math.max(-180, ...levels);
  const first = levels.findIndex((level) => level > SPEECH_DB);
  const last = levels.findLastIndex((level) => level > SPEECH_DB);
  if (first < 0 || loudest < SPEECH_DB + 8) return ['silent'];
  if (decibels(rms(samples, 0, EDGE)) > QUIET_DB) faults.push('cut at the start');
  if (decibels(rms(samples, samples.length - EDGE, samples.length)) > QUIET_DB) faults.push('cut at the end');
  if (isClipped(pcm)) faults.push('clipped');
  let quiet = 0;
  for (let i = first; i <= last; i += 1) {
    quiet = levels[i]! < QUIET_DB ? quiet + hop : 0;
    if (quiet > LONGEST_HOLE) {
      faults.push('a hole');
      break;
    }
  }
  if (clicksOf(samples).length > 0) faults.push('a click');
  return faults;
}

/** Two neighbours at the end of the scale: a peak that was cut flat. */
function isClipped(pcm: Int16Array): boolean {
  for (let i = 1; i < pcm.length; i += 1) {
    if (Math.abs(pcm[i]!) >= 32_760 && Math.abs(pcm[i - 1]!) >= 32_760) return true;
  }
  return false;
}

/**
 * Where the curve breaks: its second difference is far out of proportion to that of the 2 ms to
 * either side.
 */
function clicksOf(samples: ArrayLike<number>): number[] {
  const bend = new Float64Array(samples.length);
  for (let i = 1; i + 1 < samples.length; i += 1) {
    bend[i] = Math.abs(samples[i + 1]! - 2 * samples[i]! + samples[i - 1]!);
  }
  const squares = new Float64Array(samples.length + 1);
  for (let i = 0; i < samples.length; i += 1) squares[i + 1] = squares[i]! + bend[i]! ** 2;
  const [reach, gap] = [ms(2), 3];
  const clicks: number[] = [];
  for (let i = 1; i + 1 < samples.length; i += 1) {
    if (bend[i]! < LEAST_CLICK) continue;
    const level = (from: number, to: number) => {
      const [a, b] = [Math.max(0, from), Math.min(samples.length, to)];
      return b > a ? (squares[b]! - squares[a]!) / (b - a) : 0;
    };
    // The louder side counts: speech may begin at once after a closure, a click stands alone
    // against both.
    const around = Math.sqrt(Math.max(level(i - reach, i - gap), level(i + gap + 1, i + reach + 1)));
    if (bend[i]! > CLICK_RATIO * Math.max(around, 2e-4)) clicks.push(i);
  }
  return clicks;
}

/** How far the difference of two signals lies under the first. */
export function decibelsOfDifference(expected: ArrayLike<number>, found: ArrayLike<number>): number {
  let [signal, noise] = [0, 0];
  for (let i = 0; i < expected.length; i += 1) {
    signal += expected[i]! ** 2;
    noise += (expected[i]! - found[i]!) ** 2;
  }
  return 10 * Math.log10(signal / Math.max(noise, 1e-12));
}

/** The largest difference between two samples at the same place. */
export const furthestApart = (one: Int16Array, other: Int16Array): number =>
  one.reduce((most, sample, at) => Math.max(most, Math.abs(sample - other[at]!)), 0);
