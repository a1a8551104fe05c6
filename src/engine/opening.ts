/** Where the voice of a segment begins: looked up in its first windows, however short these are. */
import type { StepRunner } from './engine.js';
import { findOnset, findQuietest, joined, LEAD_SAMPLES, LOOK } from './finish.js';
import { FRAME_SAMPLES, type SpeechPlan } from './plan.js';
import type { Utterance, Window } from './vocoder/vocoder.js';

/** The first windows, up to the beginning of the voice; nearly always one is enough. */
export async function openingOf(plan: SpeechPlan, utterance: Utterance, steps: StepRunner): Promise<Window> {
  let opening = await steps.run((grant) => utterance.next(grant));
  while (!utterance.ended && !onsetIn(opening, plan, utterance).isFinal) {
    const { samples } = await steps.run((grant) => utterance.next(grant));
    opening = { from: opening.from, samples: joined([opening.samples, samples]) };
  }
  return opening;
}

/**
 * First sample of a part that is heard. The segment's onset is looked up in its `opening`; later
 * parts have no sound yet and go by their plan.
 */
export function startOf(plan: SpeechPlan, utterance: Utterance, opening: Window | undefined): number {
  const { goesOnFrom } = plan.edges;
  if (goesOnFrom !== undefined) return goesOnFrom;
  const planned = Math.max(0, plan.onset - LEAD_SAMPLES);
  if (opening === undefined) return planned;
  const from = plan.fromFrame * FRAME_SAMPLES;
  const { onset, earliest } = onsetIn(opening, plan, utterance);
  return onset === undefined ? planned : from + Math.max(earliest, onset - LEAD_SAMPLES);
}

/**
 * The voice's first sample behind the frame `fromFrame`. It is final where more windows would not
 * change it: times must not depend on how long windows are.
 */
function onsetIn(
  { from, samples }: Window,
  { fromFrame, onset: planned, edges }: SpeechPlan,
  { openingTo }: Utterance,
): { onset: number | undefined; earliest: number; isFinal: boolean } {
  if (edges.goesOnFrom !== undefined) return { onset: undefined, earliest: 0, isFinal: true };
  const searched = samples.subarray((fromFrame - from) * FRAME_SAMPLES, (openingTo - from) * FRAME_SAMPLES);
  // What rings on of the segment before it is no beginning.
  const quiet = edges.isLed ? planned - fromFrame * FRAME_SAMPLES : 0;
  const earliest = findQuietest(searched.subarray(0, quiet));
  const onset = findOnset(searched, earliest);
  const isWhole = searched.length === (openingTo - fromFrame) * FRAME_SAMPLES;
  const isSeen = onset !== undefined && Math.max(quiet, onset + LOOK) <= searched.length;
  return { onset, earliest, isFinal: isWhole || isSeen };
}
