/**
 * A GPU's first test: who sounds as the CPU does may speak, who does not may not, and both are
 * remembered.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAKING } from '../../../src/atomic-file.js';
import { apartDb, type CheckedModel, testedGraph } from '../../../src/engine/gpu/check.js';
import { SENTENCES } from '../../../src/engine/gpu/cpu-reference.js';
import { graphName } from '../../../src/engine/graphs/acoustic-model.js';
import { GraphThread, GraphThreads } from '../../../src/engine/graphs/graph-threads.js';
import { createKokoroEngine } from '../../../src/engine/kokoro.js';
import { melDistance } from '../../../src/engine/measure/mel-cepstrum.js';
import {
  forgetChecks,
  type GpuCheck,
  readChecks,
  recentLosses,
  rememberLoss,
} from '../../../src/engine/measure/remembered.js';
import { createStyles } from '../../../src/engine/styles.js';
import type { LightFiles } from '../../../src/models/model-files.js';
import type { AcousticPart } from '../../../src/models/onnx/acoustic-parts.js';
import { kokoroParts } from '../../../src/models/onnx/kokoro.js';
import { lightFramesGraph } from '../../../src/models/onnx/light-front-gpu.js';
import { lightBlockGraph, lightGraph } from '../../../src/models/onnx/light-gpu.js';
import { createCodec } from '../../../src/models/onnx/schema.js';
import { shippedBytes } from '../../../src/models/onnx/shipped.js';
import { floatsOf, rawFloats } from '../../../src/models/onnx/weights.js';
import { ensureModel, optimisedDir } from '../../../src/models/packs.js';
import { modelDirForTests, speak } from '../../../testkit/speech.js';

/** Models of its own, so that its verdicts are too; the packs are those of the cache. */
const modelDir = mkdtempSync(path.join(tmpdir(), 'tts-gpu-check-'));
const keptDir = path.join(modelDir, 'optimised');
const right = path.join(modelDir, 'right.onnx');
const rightBlocks = path.join(modelDir, 'right-blocks.onnx');
const wrong = path.join(modelDir, 'wrong.onnx');
const frames = path.join(modelDir, 'frames.onnx');
/** Not to be made: graphs of this suite's devices are opened once or twice, not prepared first. */
const nowhere = path.join(right, 'none');
const cores = new GraphThreads(1, 2, keptDir);
const threads: GraphThread[] = [];
let checked: Omit<CheckedModel, 'thread' | 'files'>;
let light: LightFiles;

const openOnCores = (file: string, part?: AcousticPart) => cores.open(graphName(file, part), file, part);

beforeAll(async () => {
  const cacheDir = await modelDirForTests();
  symlinkSync(path.join(cacheDir, 'kokoro-82m'), path.join(modelDir, 'kokoro-82m'));
  // Graphs that the runtime has prepared already are found; those that are made here stay here.
  mkdirSync(keptDir);
  const kept = existsSync(optimisedDir(cacheDir)) ? readdirSync(optimisedDir(cacheDir)) : [];
  for (const name of kept.filter((each) => !each.startsWith(MAKING)))
    symlinkSync(path.join(optimisedDir(cacheDir), name), path.join(keptDir, name));
  const files = await ensureModel('base-tts-fast', { modelDir, offline: true });
  const bytes = lightGraph(await readFile(files.vocoder.english));
  await writeFile(right, bytes);
  await writeFile(rightBlocks, lightBlockGraph(await readFile(files.vocoder.english)));
  await writeFile(wrong, disturbed(bytes));
  await writeFile(frames, lightFramesGraph(await readFile(files.acousticModel)));
  await openOnCores(files.acousticModel, 'melody');
  checked = { modelDir, keptDir, device: 'webgpu', group: 'english', styles: createStyles(files.stylesDir), cores };
  light = files;
}, 180_000);
afterAll(async () => {
  await Promise.all([cores, ...threads].map((each) => each.close()));
  rmSync(modelDir, { recursive: true });
});

/**
 * The graph as a device computes it that gets one kind of sum wrong: a table of weights is half
 * again too loud.
 */
function disturbed(graph: Uint8Array): Uint8Array {
  const codec = createCodec();
  const model = codec.decode(graph);
  const tables = model.graph.initializer.filter(
    ({ rawData, dataType }) => dataType === 1 && rawData.length > 1_000_000,
  );
  const table = tables[Math.floor(tables.length / 2)]!;
  const values = new Float32Array(new Uint8Array(table.rawData).buffer).map((value) => value * 1.5);
  table.rawData = rawFloats(values);
  return codec.encode(model);
}

/** A device that computes as the CPU does, given these graphs in float and in blocks. */
function device(vocoder: string, vocoderBlocks = vocoder === right ? rightBlocks : wrong): CheckedModel {
  const thread = new GraphThread('cpu', 2, nowhere);
  threads.push(thread);
  const alike = (file: string) => ({ english: file, others: file });
  const gpu = { vocoder: alike(vocoder), vocoderBlocks: alike(vocoderBlocks), frames };
  return { ...checked, thread, files: { ...light, gpu } };
}

/**
 * The graph as a device computes it whose sums are coarse where the sound is soft: a little more of
 * the highest bands, all the time.
 */
function hissing(graph: Uint8Array): Uint8Array {
  const codec = createCodec();
  const model = codec.decode(graph);
  const bias = model.graph.initializer.find(({ name }) => name.endsWith('conv_post.bias_filled'))!;
  bias.rawData = rawFloats(floatsOf(bias).map((value, bin) => (bin > 5 && bin < 11 ? value + 0.5 : value)));
  return codec.encode(model);
}

/**
 * Generators in float take a core several seconds for one of speech: the first two words of the
 * first sentence, and the full stop.
 */
const SHORT = { ...SENTENCES[0]!, text: 'The train.', ids: [...SENTENCES[0]!.ids.slice(0, 8), 4] };
const QUICK = { sentences: [SHORT], timedWindows: 1, warmUp: false };

const HEARD = /"The train\." stands -?\d+\.\d dB above .*at least 25 dB/;

const told: { level: string; message: string; fields: object }[] = [];
const engine = (asked: 'auto' | 'webgpu') =>
  createKokoroEngine({
    modelDir,
    offline: true,
    lexicon: '',
    device: asked,
    seeksGpu: true,
    gpus: ['webgpu'],
    threads: 2,
    preload: ['base-tts-fast'],
    log: (level, message, fields = {}) => told.push({ level, message, fields }),
  });

describe("a device whose samples are others than the CPU's", () => {
  it('is an error that says what was heard, and is not tried again', async () => {
    const checks: GpuCheck[] = [];
    const onCheck = (check: GpuCheck) => checks.push(check);
    await expect(testedGraph(device(wrong), { ...QUICK, onCheck })).rejects.toMatchObject({
      code: 'device_unavailable',
      message: expect.stringMatching(HEARD),
    });
    const failed = { model: 'base-tts-fast', device: 'webgpu', passed: false };
    expect(checks).toMatchObject([
      { ...failed, graph: 'light-blocks' },
      { ...failed, graph: 'light-gpu' },
    ]);
    expect(await readChecks(modelDir)).toEqual(checks);
    // Also with a graph that would pass: nothing is opened for a device that is known.
    await expect(testedGraph(device(right), { ...QUICK, onCheck })).rejects.toThrow(HEARD);
    expect(checks).toHaveLength(2);
  }, 120_000);

  it('is not used where it was asked for by name', async () => {
    await expect(engine('webgpu')).rejects.toMatchObject({
      code: 'device_unavailable',
      message: expect.stringMatching(/"webgpu" does not speak base-tts-fast as it should: .* dB above .*--device cpu/),
    });
  }, 120_000);

  it('gives way to the CPU where nobody named one, with a warning that says why', async () => {
    told.length = 0;
    const cpu = await engine('auto');
    try {
      expect(cpu.description).toMatch(/^cpu, 2 threads/);
      expect(cpu.capacity).toBeUndefined();
      expect(told.filter(({ level }) => level === 'warn')).toEqual([
        {
          level: 'warn',
          message: 'the GPU is not used, the CPU is',
          fields: { device: 'webgpu', reason: expect.stringMatching(HEARD) },
        },
      ]);
      expect((await speak(cpu, 'Good evening.')).pcm.length).toBeGreaterThan(10_000);
    } finally {
      await cpu.close();
    }
  }, 120_000);
});

describe('a device that computes what the CPU does', () => {
  it('may speak, once what was remembered is forgotten, and is not compared again', async () => {
    await forgetChecks(modelDir);
    const checks: GpuCheck[] = [];
    const onCheck = (check: GpuCheck) => checks.push(check);
    const first = await testedGraph(device(right), { ...QUICK, onCheck });
    expect(first).toMatchObject({ passed: true, heard: expect.stringMatching(HEARD) });
    expect(await testedGraph(device(right), { ...QUICK, onCheck })).toEqual(first);
    expect(checks.map(({ graph, passed }) => [graph, passed])).toEqual([
      ['light-blocks', true],
      ['light-gpu', true],
    ]);
    expect(first.realTimeFactor).toBe(Math.min(...checks.map((check) => check.realTimeFactor!)));
    expect(await readChecks(modelDir)).toEqual(checks);
  }, 300_000);
});

describe('a model that has several forms for a device', () => {
  it('is compared for the weights of other voices too, in the form that English ones have', async () => {
    const others = path.join(modelDir, 'others.onnx');
    await writeFile(others, lightGraph(await shippedBytes(light.vocoder.others)));
    const english = device(right);
    const checkOf = (file: string) => {
      const gpu = {
        vocoder: { english: right, others: file },
        vocoderBlocks: { english: wrong, others: wrong },
        frames,
      };
      const asked = { ...english, group: 'others', files: { ...light, gpu } } as const;
      return testedGraph(asked, { ...QUICK, like: 'light-gpu' });
    };
    expect(await checkOf(others)).toMatchObject({ passed: true, graph: 'light-gpu-others' });
  });

  it('is not used in a form that sounds otherwise, even where it has an acoustic model of its own', async () => {
    await forgetChecks(modelDir);
    const checks: GpuCheck[] = [];
    const passed = await testedGraph(device(right, wrong), { ...QUICK, onCheck: (check) => checks.push(check) });
    expect(checks).toEqual([expect.objectContaining({ graph: 'light-blocks', passed: false }), passed]);
    expect(passed).toMatchObject({ graph: 'light-gpu', passed: true });
  }, 300_000);

  it('takes the first that sounds as it should, and says of the others what was heard', async () => {
    await forgetChecks(modelDir);
    const files = await ensureModel('base-tts', { modelDir: await modelDirForTests(), offline: true });
    const parts = kokoroParts(await readFile(files.published));
    const [generatorHalf, generatorFloat, source] = ['hissing', 'whole', 'source'].map((name) =>
      path.join(modelDir, `${name}.onnx`),
    ) as [string, string, string];
    const whole = parts.make('generator-gpu');
    await writeFile(generatorFloat, whole);
    await writeFile(generatorHalf, hissing(whole));
    await writeFile(source, parts.make('source'));
    await openOnCores(files.acousticModel, 'melody');
    await openOnCores(source);
    const thread = new GraphThread('cpu', 2, nowhere);
    threads.push(thread);
    const several = {
      ...checked,
      keptDir: nowhere,
      thread,
      files: { ...files, gpu: { generatorHalf, generatorFloat, source } },
    };
    const checks: GpuCheck[] = [];
    const passed = await testedGraph(several, { ...QUICK, onCheck: (check) => checks.push(check) });
    expect(passed).toMatchObject({ graph: 'generator-gpu', passed: true });
    expect(checks).toEqual([expect.objectContaining({ graph: 'generator-gpu-half', passed: false }), passed]);
    // Loud enough above its difference: it is the spectrum that gives it away.
    const [, decibels, mcdDb] = /stands (\S+) dB above .* and is (\S+) dB of mel-cepstral/.exec(checks[0]!.heard)!;
    expect(Number(decibels)).toBeGreaterThan(14);
    expect(Number(mcdDb)).toBeGreaterThan(0.5);
    // What failed is not tried again, and what passed is not compared again.
    expect(await testedGraph(several, { ...QUICK, onCheck: () => expect.unreachable() })).toEqual(passed);
  }, 300_000);
});

describe('a device that fails under its runs', () => {
  it('is left alone after the second time, until ten minutes have passed or somebody looks into it', async () => {
    await forgetChecks(modelDir);
    const nowMs = Date.now();
    await rememberLoss(modelDir, nowMs - 700_000);
    await rememberLoss(modelDir, nowMs - 1_000);
    expect(await recentLosses(modelDir, nowMs)).toBe(1);
    await rememberLoss(modelDir, nowMs);
    expect(await recentLosses(modelDir, nowMs)).toBe(2);
    told.length = 0;
    const cpu = await engine('auto');
    await cpu.close();
    expect(cpu.description).toMatch(/^cpu/);
    expect(told).toContainEqual({
      level: 'warn',
      message: 'the GPU is not used, the CPU is',
      fields: { device: 'webgpu', reason: expect.stringContaining('lost 2 times within ten minutes') },
    });
    // Nothing of it was tried, and nothing was held against it.
    expect(await readChecks(modelDir)).toEqual([]);
    await forgetChecks(modelDir);
    expect(await recentLosses(modelDir, nowMs)).toBe(0);
  }, 120_000);
});

it('measures how far apart two sounds are to an ear', () => {
  const noise = (seed: number, size: number) => {
    let state = seed;
    return Float32Array.from({ length: 24_000 }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return (size * state) / 2 ** 31 - size / 2;
    });
  };
  const hiss = noise(7, 0.01);
  const tone = Float32Array.from({ length: 24_000 }, (_, i) => Math.sin(i / 20) / 2);
  const both = tone.map((value, i) => value + hiss[i]!);
  expect(melDistance(tone, tone)).toMatchObject({ l1: 0, mcdDb: 0, frames: 90 });
  // What is hardly a difference of samples is one of sound.
  expect(apartDb(both, tone)).toBeGreaterThan(30);
  expect(melDistance(both, tone).mcdDb).toBeGreaterThan(1);
  // The same everywhere louder is no other spectrum.
  const louder = both.map((value) => value * 1.1);
  expect(melDistance(louder, both).mcdDb).toBeLessThan(0.1);
  expect(
    melDistance(
      both.map(() => Number.NaN),
      both,
    ).mcdDb,
  ).toBeNaN();
});

it('measures how far a sound stands above its difference to another', () => {
  const sound = Float32Array.from({ length: 1_000 }, (_, i) => Math.sin(i));
  expect(
    apartDb(
      sound.map((value) => value * 1.1),
      sound,
    ),
  ).toBeCloseTo(20, 3);
  expect(apartDb(new Float32Array(1_000), sound)).toBeCloseTo(0, 6);
  expect(
    apartDb(
      sound.map(() => Number.NaN),
      sound,
    ),
  ).toBeNaN();
  expect(apartDb(sound.subarray(1), sound)).toBeNaN();
});
