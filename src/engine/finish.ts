/** The edges of speech: where the voice begins and ends, the rest after it, and 16-bit samples. */
import { msToSamples } from '../protocol/audio.js';
import type { PauseKind } from '../protocol/job.js';

/**
 * Silence from the end of a segment's voice to the beginning of the next one's (by ear), where no
 * style asks for other rests.
 */
export const PAUSE_SAMPLES: Readonly<Record<PauseKind, number>> = {
  none: msToSamples(50),
  carried: msToSamples(120),
  joined: 0,
  clause: msToSamples(240),
  sentence: msToSamples(420),
  item: msToSamples(450),
  paragraph: msToSamples(800),
  heading: msToSamples(800),
};

/** Kept before the voice: the onset of a consonant softer than `AUDIBLE`, and the fade. */
export const LEAD_SAMPLES = msToSamples(30);
export const FADE_IN = msToSamples(8);
export const FADE_OUT = msToSamples(12);
/** At an edge behind which the voice goes on: no click, and no gap that is heard. */
export const JOIN_FADE = msToSamples(3);

/** Length and step of the stretches whose level decides whether there is voice. */
export const LOOK = msToSamples(10);
const HOP = msToSamples(5);
/** About 30 dB below ordinary speech of these voices, and far above their level in a rest. */
const AUDIBLE = 10 ** (-52 / 20);

/** Mean square of the stretch of `LOOK` samples from `from` on. */
function powerAt(samples: Float32Array, from: number): number {
  let sum = 0;
  const to = Math.min(samples.length, from + LOOK);
  for (let i = from; i < to; i += 1) sum += samples[i]! * samples[i]!;
  return sum / Math.max(1, to - from);
}

const audible = (samples: Float32Array, from: number): boolean => powerAt(samples, from) > AUDIBLE * AUDIBLE;

/** Index of the softest stretch; of stretches without voice the first, and 0 of no samples. */
export function findQuietest(samples: Float32Array): number {
  let [quietest, least] = [0, Number.POSITIVE_INFINITY];
  for (let at = 0; at + LOOK <= samples.length; at += HOP) {
    const power = powerAt(samples, at);
    if (power <= AUDIBLE * AUDIBLE) return at;
    if (power < least) [quietest, least] = [at, power];
  }
  return quietest;
}

/** Index of the first sample of voice from `from` on, or undefined where there is none. */
export function findOnset(samples: Float32Array, from = 0): number | undefined {
  for (let at = from; at < samples.length; at += HOP) if (audible(samples, at)) return at;
  return undefined;
}

/** One past the last sample of voice, or 0 where there is none. */
export function findEnd(samples: Float32Array): number {
  for (let at = Math.max(0, samples.length - LOOK); ; at = Math.max(0, at - HOP)) {
    if (audible(samples, at)) return Math.min(samples.length, at + LOOK);
    if (at === 0) return 0;
  }
}

export function fadeIn(samples: Float32Array, most = FADE_IN): void {
  const length = Math.min(most, samples.length);
  for (let i = 0; i < length; i += 1) samples[i]! *= 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / length);
}

export function fadeOut(samples: Float32Array, most = FADE_OUT): void {
  const length = Math.min(most, samples.length);
  const last = samples.length - 1;
  for (let i = 0; i < length; i += 1) samples[last - i]! *= 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / length);
}

/** Amplitude from which the curve bends, so that no peak is clipped. */
const KNEE = 0.9;

/** `length` samples of PCM, scaled by `gain`, with silence behind the end of `samples`. */
export function toPcm(samples: Float32Array, gain: number, length = samples.length): Int16Array {
  const pcm = new Int16Array(length);
  const spoken = Math.min(length, samples.length);
  for (let i = 0; i < spoken; i += 1) {
    let value = samples[i]! * gain;
    if (value > KNEE || value < -KNEE)
      value = Math.sign(value) * (KNEE + (1 - KNEE) * Math.tanh((Math.abs(value) - KNEE) / (1 - KNEE)));
    // Rounded as Math.round does it, in half of its time.
    pcm[i] = Math.trunc(value * 32_767 + 32_768.5) - 32_768;
  }
  return pcm;
}

export function joined(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
