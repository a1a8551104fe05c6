/**
 * Texts that make no sound, found as their reader finds it, in steps so short that nobody else has
 * to wait.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Language } from '../protocol/job.js';
import { Segmenter } from './segment/segment.js';
import { Survey } from './survey.js';
import type { Reader } from './types.js';
import { unspokenInWords } from './unspoken.js';

const STEP_UNITS = 256;
const TURN_MS = 5;

/**
 * What of a text is left out, in words, where that is all of it; undefined where any of it is
 * spoken. Ends with the first segment that sounds, so that an ordinary text costs the reading of a
 * sentence.
 */
export async function soundless(text: string, reader: Reader, language: Language): Promise<string | undefined> {
  // Whether a sentence sounds does not hang on where it is parted for its length, so that need not
  // be counted exactly.
  const countTokens = (part: string) => part.length;
  const segmenter = new Segmenter({ countTokens, language, inTimeChars: Number.POSITIVE_INFINITY });
  const survey = new Survey({ language });
  let turnEndsMs = performance.now() + TURN_MS;
  for (let at = 0; at <= text.length; at += STEP_UNITS) {
    const segments = segmenter.push(text.slice(at, at + STEP_UNITS));
    if (at + STEP_UNITS > text.length) segments.push(...segmenter.end());
    for (const segment of segments) {
      if (segment.spans.length > 0 && reader.sounds(segment.text)) return undefined;
      survey.add(segment);
      if (performance.now() < turnEndsMs) continue;
      await turn();
      turnEndsMs = performance.now() + TURN_MS;
    }
  }
  return unspokenInWords(survey.unspoken);
}
