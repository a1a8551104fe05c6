/**
 * Does the fast voice have harmonics wherever the other has them? Its generator's filters once
 * ended at 3.3 kHz, and haze began there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import type { BaseModel } from '../../src/protocol/job.js';
import { BANDS, median, voicedFrames } from '../../testkit/periodicity.js';
import { realEngine, speak, VOICES } from '../../testkit/speech.js';

const TEXT =
  'The old engine carried nine hundred people over the mountains, and nobody ever complained about the noise.';

let engine: Engine;
beforeAll(async () => {
  engine = await realEngine([]);
}, 600_000);
afterAll(async () => engine?.close());

async function periodicity(model: BaseModel): Promise<number[]> {
  const frames: (readonly number[])[] = [];
  for (const voice of VOICES) {
    const { pcm } = await speak(engine, TEXT, { model, voice });
    for (const { likenesses } of voicedFrames(pcm)) frames.push(likenesses);
  }
  return BANDS.map((_, band) => median(frames.map((likenesses) => likenesses[band]!)));
}

describe('the fast voice', () => {
  it('is as periodic as base-tts in every band up to 4.6 kHz', async () => {
    const base = await periodicity('base-tts');
    const fast = await periodicity('base-tts-fast');
    for (const [band, [, toHz]] of BANDS.entries())
      if (toHz <= 4_600) expect(fast[band], `up to ${toHz} Hz`).toBeGreaterThan(0.85 * base[band]!);
  }, 600_000);
});
