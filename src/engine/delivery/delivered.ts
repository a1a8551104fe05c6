/** A delivery in sound: the rests around a segment, and its pitch as a whole. */
import { msToSamples } from '../../protocol/audio.js';
import type { Delivery } from '../../protocol/delivery/delivery.js';
import type { SegmentJob } from '../../protocol/job.js';
import type { SpeedParts } from '../../protocol/speed.js';
import type { ReadingToken } from '../../text/types.js';
import { PAUSE_SAMPLES } from '../finish.js';
import type { AcousticFeatures } from '../vocoder/features.js';
import { restedAtMarks } from './mark-rests.js';
import { bentPitch } from './prosody.js';

/** Samples of silence before and behind the voice, at the pace of the vocoder's audio. */
export function restsOf({ delivery, segment }: SegmentJob, { vocoder }: SpeedParts): { lead: number; behind: number } {
  if (delivery === undefined) return { lead: 0, behind: Math.round(PAUSE_SAMPLES[segment.pause] / vocoder) };
  // The style has slower words and rests of its own: its pace does not change them once more.
  const samples = (ms: number) => Math.round((msToSamples(ms) * delivery.rate) / vocoder);
  return { lead: samples(delivery.leadMs), behind: samples(delivery.restMs) };
}

/** The same utterance as its delivery asks for: its rests at marks, and its pitch. */
export function delivered(
  features: AcousticFeatures,
  tokens: readonly ReadingToken[],
  { delivery, seed }: SegmentJob,
  { acoustic }: SpeedParts,
): AcousticFeatures {
  if (delivery === undefined) return features;
  const pace = acoustic / delivery.rate;
  return moved(restedAtMarks(features, tokens, delivery, { seed, pace }), delivery);
}

/** The pitch moved, and widened around its mean. */
function moved(features: AcousticFeatures, delivery: Delivery): AcousticFeatures {
  if (delivery.pitch === 0 && delivery.range === 1) return features;
  const bend = { semitones: delivery.pitch, range: delivery.range };
  return { ...features, f0: bentPitch(features.f0, () => bend) };
}
