/** Acoustic models that are told another melody: features follow it, and only it. */
import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { UNSCHEDULED } from '../../src/engine/engine.js';
import { bendable } from '../../src/engine/graphs/bendable.js';
import { runAcousticModel } from '../../src/engine/graphs/sessions.js';
import { createStyles } from '../../src/engine/styles.js';
import { type AcousticFeatures, CHANNELS, type Intone } from '../../src/engine/vocoder/features.js';
import { graphOf } from '../../src/engine/vocoder/vocoder.js';
import { createCodec } from '../../src/models/onnx/schema.js';
import { ensureModel } from '../../src/models/packs.js';
import { BASE_MODELS } from '../../src/protocol/job.js';
import { modelDirForTests } from '../../testkit/speech.js';

const OPTIONS = { intraOpNumThreads: 1, logSeverityLevel: 3 } as const;
const TOKENS = [50, 83, 54, 156, 57, 135, 16, 65, 156, 87, 158, 54, 46, 6].map((id) => ({
  id,
  symbol: '',
  start: 0,
  end: 0,
}));
const dataOf = (tensor: Tensor) => tensor.data as Float32Array;

/** Frames of `x` that differ. */
function changedFrames(one: AcousticFeatures, other: AcousticFeatures): number[] {
  const [a, b] = [dataOf(one.x), dataOf(other.x)];
  const differs = (frame: number) =>
    Array.from({ length: CHANNELS }, (_, channel) => channel * one.frames + frame).some((at) => a[at] !== b[at]);
  return Array.from({ length: one.frames }, (_, frame) => frame).filter(differs);
}

describe.each(BASE_MODELS)('the acoustic model of %s', (model) => {
  it('gives the same bits where nothing is changed, and other features where the pitch is', async () => {
    const files = await ensureModel(model, { modelDir: await modelDirForTests(), offline: false });
    const codec = createCodec();
    const rewritten = bendable(codec.decode(await readFile(files.acousticModel)), codec);
    const own = graphOf(await InferenceSession.create(files.acousticModel, OPTIONS));
    const told = graphOf(await InferenceSession.create(codec.encode(rewritten!), OPTIONS));
    expect([own.bends, told.bends]).toEqual([false, true]);
    const style = await createStyles(files.stylesDir).take([{ style: 'bm_george', weight: 1 }], TOKENS.length, 0);
    const before = await runAcousticModel(own, TOKENS, style, UNSCHEDULED);
    const same = await runAcousticModel(told, TOKENS, style, UNSCHEDULED);
    expect(dataOf(same.x)).toEqual(dataOf(before.x));
    expect(dataOf(same.f0)).toEqual(dataOf(before.f0));
    expect(same.energy!.data).toHaveLength(same.frames);

    const from = same.frames - 30;
    const higher: Intone = (melody) => {
      const f0 = dataOf(melody.f0).map((hz, at) => (at < from ? hz : hz + 40));
      return { ...melody, f0: new Tensor('float32', f0, melody.f0.dims) };
    };
    const bent = await runAcousticModel(told, TOKENS, style, UNSCHEDULED, higher);
    expect(dataOf(bent.f0)[from]).toBeCloseTo(dataOf(same.f0)[from]! + 40, 3);
    expect([...bent.durations]).toEqual([...same.durations]);
    const changed = changedFrames(same, bent);
    expect(changed).toContain(from);
    // Kokoro normalises over the whole utterance; the light model sees 44 frames.
    if (model === 'base-tts-fast') expect(Math.min(...changed)).toBeGreaterThan(from - 50);
    await own.release();
    await told.release();
  });
});
