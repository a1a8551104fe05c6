/** Acoustic models in two parts: what the whole gives, and features of another melody. */
import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { UNSCHEDULED } from '../../../src/engine/engine.js';
import { acousticGraphs, runAcousticModel, runMelody } from '../../../src/engine/graphs/acoustic-model.js';
import { createStyles } from '../../../src/engine/styles.js';
import { type AcousticFeatures, CHANNELS, type Intone } from '../../../src/engine/vocoder/features.js';
import { graphOf } from '../../../src/engine/vocoder/vocoder.js';
import { type AcousticPart, acousticPart } from '../../../src/models/onnx/acoustic-parts.js';
import { createCodec } from '../../../src/models/onnx/schema.js';
import { ensureModel } from '../../../src/models/packs.js';
import { BASE_MODELS } from '../../../src/protocol/job.js';
import { modelDirForTests } from '../../../testkit/speech.js';

const OPTIONS = { intraOpNumThreads: 1, logSeverityLevel: 3 } as const;
const IDS = [50, 83, 54, 156, 57, 135, 16, 65, 156, 87, 158, 54, 46, 6];
const TOKENS = IDS.map((id) => ({ id, symbol: '', start: 0, end: 0 }));
const dataOf = (tensor: Tensor) => tensor.data as Float32Array;

/** Frames of `x` that differ. */
function changedFrames(one: AcousticFeatures, other: AcousticFeatures): number[] {
  const [a, b] = [dataOf(one.x), dataOf(other.x)];
  const differs = (frame: number) =>
    Array.from({ length: CHANNELS }, (_, channel) => channel * one.frames + frame).some((at) => a[at] !== b[at]);
  return Array.from({ length: one.frames }, (_, frame) => frame).filter(differs);
}

describe.each(BASE_MODELS)('the acoustic model of %s', (model) => {
  it('gives the bits of the whole where nothing is changed, and other features where the melody is', async () => {
    const files = await ensureModel(model, { modelDir: await modelDirForTests(), offline: false });
    const codec = createCodec();
    const shipped = codec.decode(await readFile(files.acousticModel));
    const open = (part: AcousticPart) =>
      InferenceSession.create(codec.encode(acousticPart(shipped, part, codec)), OPTIONS);
    const [whole, melody, features] = [
      await InferenceSession.create(files.acousticModel, OPTIONS),
      await open('melody'),
      await open('features'),
    ];
    const graphs = acousticGraphs(graphOf(melody), graphOf(features));
    const spoken = await createStyles(files.stylesDir).take([{ style: 'bm_george', weight: 1 }], TOKENS.length, 0);
    const before = await whole.run({
      input_ids: new Tensor('int64', BigInt64Array.from([0, ...IDS, 0], BigInt), [1, IDS.length + 2]),
      style: new Tensor('float32', spoken.style, [1, 256]),
      speed: new Tensor('float32', [spoken.speed], [1]),
    });
    const same = await runAcousticModel(graphs, TOKENS, spoken, UNSCHEDULED);
    expect(dataOf(same.x)).toEqual(before.x!.data);
    expect(dataOf(same.f0)).toEqual(before.f0!.data);
    expect(dataOf(same.s)).toEqual(before.s!.data);
    expect(same.durations).toEqual(before.durations!.data);
    expect(same.frames).toBe(before.x!.dims[2]);
    expect(same.exact.map((steps) => Math.max(1, Math.round(steps)))).toEqual(same.durations);
    expect(same.exact.some((steps) => !Number.isInteger(steps))).toBe(true);

    const alone = await runMelody(graphOf(melody), TOKENS, spoken, UNSCHEDULED);
    expect(dataOf(alone.f0)).toEqual(dataOf(same.f0));
    expect(alone).toMatchObject({ frames: same.frames, durations: same.durations });

    const from = same.frames - 30;
    const above = (more: number) => (tensor: Tensor) =>
      new Tensor(
        'float32',
        dataOf(tensor).map((value, at) => (at < from ? value : value + more)),
        tensor.dims,
      );
    const told = (intone: Intone) => runAcousticModel(graphs, TOKENS, spoken, UNSCHEDULED, intone);
    const higher = await told((own) => ({ ...own, f0: above(40)(own.f0) }));
    const louder = await told((own) => ({ ...own, energy: above(1)(own.energy) }));
    expect(dataOf(higher.f0)[from]).toBeCloseTo(dataOf(same.f0)[from]! + 40, 3);
    for (const bent of [higher, louder]) {
      expect(bent.durations).toEqual(same.durations);
      const changed = changedFrames(same, bent);
      expect(changed).toContain(from);
      // Kokoro normalises over the whole utterance; the light model sees 44 frames.
      if (model === 'base-tts-fast') expect(Math.min(...changed)).toBeGreaterThan(from - 50);
    }
    await Promise.all([whole, melody, features].map((session) => session.release()));
  });
});
