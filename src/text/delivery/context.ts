/**
 * How a sentence's place in its paragraph changes its delivery. Readers begin a paragraph higher,
 * in a wider range, and come down from sentence to sentence; the last one is lowest and slower
 * (Sluijter & Terken 1993, "Beyond sentence prosody: paragraph intonation in Dutch"; Peiró-Lilja &
 * Farrús 2018, "Paragraph prosodic patterns to enhance text-to-speech naturalness", from talks and
 * read articles: decay of pitch, its range, and the pace). What was said before is said again with
 * less effort (Fowler & Housum 1987). All of it stays within a semitone and a few percent.
 */
import type { SentencePlace } from '../../protocol/delivery/delivery.js';
import { variation } from './variation.js';

interface Shift {
  /** Semitones. */
  readonly pitch: number;
  readonly range: number;
  readonly rate: number;
}

const OPENING: Shift = { pitch: 0.7, range: 1.06, rate: 1 };
const LAST: Shift = { pitch: -0.65, range: 0.97, rate: 0.97 };
const REPEATED: Shift = { pitch: -0.3, range: 0.95, rate: 1.02 };
const OWN: Shift = { pitch: 0, range: 1, rate: 1 };
/** The second sentence, and each one behind it until the voice is as low as it gets. */
const SECOND_PITCH = 0.25;
const DECLINATION = 0.2;
const DECLINING = 3;
/** Deviation between sentences of the same place (semitones, and times the pace). */
const PITCH_SPREAD = 0.15;
const RATE_SPREAD = 0.008;

function byPlace({ sentence, last }: SentencePlace): Shift {
  // A paragraph of one sentence is as the voice has it.
  if (sentence === 0) return last ? OWN : OPENING;
  if (last) return LAST;
  const pitch = SECOND_PITCH - DECLINATION * Math.min(DECLINING, sentence - 1);
  return { pitch, range: 1, rate: 1.01 };
}

/** The shift of a sentence; a text that is one sentence long has none. */
export function shiftOf(place: SentencePlace, repeats: number, key: string, seed: number): Shift {
  const placed = byPlace(place);
  if (placed === OWN && repeats === 0) return OWN;
  const again = repeats > 0 ? REPEATED : OWN;
  return {
    pitch: placed.pitch + again.pitch + PITCH_SPREAD * variation(key, seed, 2),
    range: placed.range * again.range,
    rate: placed.rate * again.rate * (1 + RATE_SPREAD * variation(key, seed, 3)),
  };
}
