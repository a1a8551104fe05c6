/** How a speed is reached, for the engine that does it and the gateway that knows what it costs. */
import { type BaseModel, MAX_SPEED, MIN_SPEED } from './job.js';

/**
 * Speeds at which an acoustic model predicts well. They count a phoneme in steps of 25 ms, at least
 * one: faster than this, phonemes cannot be told apart; slower, the voice stammers (measured with
 * the recogniser of the tests).
 */
const ACOUSTIC_SPEEDS: Readonly<Record<BaseModel, { readonly slowest: number; readonly fastest: number }>> = {
  'base-tts': { slowest: 0.5, fastest: 1.25 },
  'base-tts-fast': { slowest: 0.5, fastest: 1.25 },
};

/**
 * What the acoustic model leaves is done in two halves, each the square root of it: frames are left
 * out before the vocoder, and its audio is shortened. Frames alone blur consonants beyond 2 ×, the
 * audio alone roughens the voice (`npm run bench -- fast`).
 */
const VOCODER_SHARE = 0.5;

export interface SpeedParts {
  /** The speed at which the acoustic model predicts durations. */
  readonly acoustic: number;
  /** The speed of the vocoder's audio: the acoustic model's, or faster with frames left out. */
  readonly vocoder: number;
  /** Seconds of the vocoder's audio for one that is heard. */
  readonly stretch: number;
}

export function speedParts(model: BaseModel, asked: number): SpeedParts {
  const speed = Math.max(MIN_SPEED, Math.min(MAX_SPEED, asked));
  const { slowest, fastest } = ACOUSTIC_SPEEDS[model];
  const acoustic = Math.max(slowest, Math.min(fastest, speed));
  const vocoder = acoustic * Math.max(1, speed / acoustic) ** VOCODER_SHARE;
  return { acoustic, vocoder, stretch: speed / vocoder };
}
