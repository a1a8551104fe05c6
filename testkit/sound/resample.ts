/** 24 kHz → 16 kHz: two phases of a windowed sinc that lets nothing above 8 kHz fold back. */

const UP = 2;
const DOWN = 3;
/** Taps of the filter at 48 kHz, odd so that it has a centre. */
const TAPS = 193;
/** In cycles per sample at 48 kHz: a little below 8 kHz, where the transition band ends. */
const CUTOFF = 7_500 / 48_000;
const KAISER_BETA = 8;

function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; k < 40; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function lowPass(): Float64Array {
  const filter = new Float64Array(TAPS);
  const centre = (TAPS - 1) / 2;
  for (let i = 0; i < TAPS; i += 1) {
    const t = i - centre;
    const sinc = t === 0 ? 2 * CUTOFF : Math.sin(2 * Math.PI * CUTOFF * t) / (Math.PI * t);
    const window = besselI0(KAISER_BETA * Math.sqrt(1 - (t / centre) ** 2)) / besselI0(KAISER_BETA);
    filter[i] = UP * sinc * window;
  }
  return filter;
}

export function resampleTo16k(samples: Float32Array): Float32Array {
  const filter = lowPass();
  const centre = (TAPS - 1) / 2;
  const out = new Float32Array(Math.floor((samples.length * UP) / DOWN));
  for (let n = 0; n < out.length; n += 1) {
    // Position in the (never built) 48 kHz signal, in which every second sample is zero.
    const at = n * DOWN;
    let sum = 0;
    const first = Math.ceil((at - centre) / UP);
    const last = Math.floor((at + centre) / UP);
    for (let i = Math.max(0, first); i <= Math.min(samples.length - 1, last); i += 1) {
      sum += samples[i]! * filter[at - i * UP + centre]!;
    }
    out[n] = sum;
  }
  return out;
}
