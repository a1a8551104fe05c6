/** Where a voice begins, found in windows of any length. */
import { expect, it } from 'vitest';
import { type StepRunner, UNSCHEDULED } from '../../src/engine/engine.js';
import { openingOf, startOf } from '../../src/engine/opening.js';
import { FRAME_SAMPLES, planSpeech } from '../../src/engine/plan.js';
import type { Utterance } from '../../src/engine/vocoder/vocoder.js';

const steps: StepRunner = { run: (work) => work(UNSCHEDULED) };
/** The voice can begin from frame 25 on, and is expected at sample 10,080. */
const plan = planSpeech([{ id: 43, symbol: 'a', start: 0, end: 1 }], [19, 12, 6]);
const [FROM, OPENING_TO, TO] = [25, 57, 70];

/** Silence, and from the sample `onset` of the search on a tone, in windows of so many frames. */
function utteranceOf(onset: number, frames: number): Utterance & { readonly windows: number } {
  const all = Float32Array.from({ length: (TO - FROM) * FRAME_SAMPLES }, (_, i) => (i < onset ? 0 : Math.sin(i / 9)));
  let [at, windows] = [FROM, 0];
  return {
    openingTo: OPENING_TO,
    get ended() {
      return at >= TO;
    },
    get windows() {
      return windows;
    },
    async next() {
      const from = at;
      at = Math.min(TO, from + frames);
      windows += 1;
      return { from, samples: all.slice((from - FROM) * FRAME_SAMPLES, (at - FROM) * FRAME_SAMPLES) };
    },
  };
}

it('is the same place whatever the windows are', async () => {
  expect(plan.fromFrame).toBe(FROM);
  for (const onset of [0, 130, 1_700, 3_480, 3_599, 3_601, 7_199, 9_500, 9_590, 9_800, 13_000]) {
    const places = new Set<number>();
    for (const frames of [TO - FROM, OPENING_TO - FROM, 12, 8, 5, 1]) {
      const utterance = utteranceOf(onset, frames);
      const opening = await openingOf(plan, utterance, steps);
      places.add(startOf(plan, utterance, opening));
      // Windows are run as far as it takes to know.
      if (onset === 1_700) expect(utterance.windows).toBe(Math.ceil(1_800 / FRAME_SAMPLES / frames));
    }
    expect(places.size, `onset ${onset}`).toBe(1);
  }
});
