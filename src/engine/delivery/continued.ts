/**
 * The melody over a cut with a rest in it. What was said before the cut did not know what follows,
 * and ended higher or lower than it would have: what follows begins as much higher or lower.
 */
import { Tensor } from 'onnxruntime-node';
import type { ReadingToken } from '../../text/types.js';
import { isRest } from '../plan.js';
import type { AcousticFeatures, Melody } from '../vocoder/features.js';
import { VOICED_HZ } from './retimed.js';
import { semitones, steadyFrames, tokenStarts } from './voice-frames.js';

/** Most semitones that a beginning is moved; beyond, it would sound like another voice. */
const MOST = 3;
/** Frames in which the melody comes back to its own: 600 ms. */
const FADE_FRAMES = 48;
/** Frames before the end of a phrase in which its last pitch is looked for. */
const SEARCH_FRAMES = 60;
/** Frames in which the last sound of a phrase is heard at most. */
const SOUND_FRAMES = 14;
/** Steady frames that give the height of an end. */
const END_FRAMES = 6;

type Contour = Pick<Melody, 'f0' | 'durations'>;

/**
 * The same utterance, of which the tokens before the index `own` are heard elsewhere, as they are
 * in `alone`, where nothing follows them.
 */
export function continued(
  features: AcousticFeatures,
  tokens: readonly ReadingToken[],
  own: number,
  alone: Contour,
): AcousticFeatures {
  const last = tokens.findLastIndex((token, index) => index < own && !isRest(token));
  const [heard, meant] = [heightOf(alone, last), heightOf(features, last)];
  if (heard === undefined || meant === undefined) return features;
  const moved = Math.max(-MOST, Math.min(MOST, heard - meant));
  const from = tokenStarts(features)[own]!;
  const f0 = (features.f0.data as Float32Array).map((hz, at) => {
    if (hz <= VOICED_HZ) return hz;
    const share = Math.max(0, Math.min(1, (at - from) / FADE_FRAMES));
    return hz * 2 ** ((moved * (0.5 + 0.5 * Math.cos(Math.PI * share))) / 12);
  });
  return { ...features, f0: new Tensor('float32', f0, features.f0.dims) };
}

/** The height in semitones of the end of a phrase, of which the token `last` is the last sound. */
function heightOf(features: Contour, last: number): number | undefined {
  const start = tokenStarts(features)[last];
  if (start === undefined) return undefined;
  const f0 = features.f0.data as Float32Array;
  const to = start + SOUND_FRAMES;
  const steady = steadyFrames(f0, to - SEARCH_FRAMES, to).slice(-END_FRAMES);
  if (steady.length === 0) return undefined;
  return steady.reduce((sum, at) => sum + semitones(f0[at]!), 0) / steady.length;
}
