/**
 * Rests at the marks inside an utterance. The model makes them as long as it likes: at a comma from
 * none to as long as the rest between two sentences. They are moved half the way, on a logarithmic
 * scale, to what the mark and the phrases around it ask for.
 */
import type { Delivery } from '../../protocol/delivery/delivery.js';
import type { PauseKind } from '../../protocol/job.js';
import { phraseEnd, restAhead, restBehind } from '../../text/delivery/rests.js';
import type { ReadingToken } from '../../text/types.js';
import { FRAME_SAMPLES, isRest, LAST_PHONEME, STEP_SAMPLES } from '../plan.js';
import type { AcousticFeatures } from '../vocoder/features.js';
import { AHEAD_FRAMES, retimed, STEP_FRAMES } from './retimed.js';

/** Steps of the shortest rest that is changed: a shorter one holds no silence. */
const LEAST_STEPS = 4;
/** Frames at either edge that may hold the voice. */
const EDGE_FRAMES = 2;
const LEAST = 0.6;
const MOST = 1.5;
const MS_PER_STEP = STEP_SAMPLES / 24;
const LAST_PHONEME_FRAMES = LAST_PHONEME / FRAME_SAMPLES;
const ENDS = /[.!?…]/u;

interface Rest {
  /** Indices of the tokens that are heard as one rest. */
  readonly from: number;
  readonly to: number;
}

/** Rests between two phrases: those at the edges are the segment's own. */
function restsIn(tokens: readonly ReadingToken[]): Rest[] {
  const rests: Rest[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (!isRest(tokens[at]!)) continue;
    const from = at;
    while (at + 1 < tokens.length && isRest(tokens[at + 1]!)) at += 1;
    const marked = tokens.slice(from, at + 1).some(({ symbol }) => symbol !== ' ');
    if (marked && from > 0 && at + 1 < tokens.length) rests.push({ from, to: at + 1 });
  }
  return rests;
}

const symbolsOf = (tokens: readonly ReadingToken[], from: number, to: number): string =>
  tokens
    .slice(from, to)
    .map(({ symbol }) => symbol)
    .join('');

/** The same utterance with the rests at its marks as a style has them. */
export function restedAtMarks(
  features: AcousticFeatures,
  tokens: readonly ReadingToken[],
  { rests: factor, spread }: Delivery,
  { seed, pace }: { readonly seed: number; readonly pace: number },
): AcousticFeatures {
  const rests = restsIn(tokens);
  const rates = new Float32Array(features.frames).fill(1);
  let isChanged = false;
  for (const [index, { from, to }] of rests.entries()) {
    const before = symbolsOf(tokens, rests[index - 1]?.to ?? 0, from);
    const after = symbolsOf(tokens, to, rests[index + 1]?.from ?? tokens.length);
    const marks = symbolsOf(tokens, from, to).trim();
    const end = phraseEnd(marks);
    // Inside a segment a quotation is followed by who said it more often than by a sentence.
    const pause: PauseKind = ENDS.test(marks) && !end.quoted ? 'sentence' : 'clause';
    const style = { rests: factor, spread };
    const behind = { pause, end, letters: before.length, key: before.slice(-12), seed };
    const wantedMs = (restBehind(behind, style) + restAhead(pause, after.length, false, style)) / pace;
    // Durations begin with that of the pad. The model counts silence to the phoneme before it.
    const phoneme = framesBefore(features, from);
    const first = Math.min(framesBefore(features, from + 1), phoneme + Math.round(LAST_PHONEME_FRAMES / pace));
    const last = framesBefore(features, to + 1);
    const steps = (last - first) / STEP_FRAMES;
    if (steps < LEAST_STEPS) continue;
    const change = Math.max(LEAST, Math.min(MOST, Math.sqrt(wantedMs / (steps * MS_PER_STEP))));
    const begin = Math.max(0, first - AHEAD_FRAMES + EDGE_FRAMES);
    const stop = last - AHEAD_FRAMES - EDGE_FRAMES;
    if (stop <= begin) continue;
    // All of the change falls on the inner frames, and is of whole frames: what follows stays as it
    // was made, frame by frame.
    const inner = Math.max(0.2, 1 + ((last - first) * (change - 1)) / (stop - begin));
    const [old, size] = [stop - begin, Math.round((stop - begin) * inner)];
    rates.fill(old / Math.max(1, size), begin, stop);
    isChanged = true;
  }
  return isChanged ? retimed(features, rates) : features;
}

function framesBefore({ durations }: AcousticFeatures, index: number): number {
  let steps = 0;
  for (let at = 0; at < index; at += 1) steps += durations[at]!;
  return Math.round(steps * STEP_FRAMES);
}
