/** This machine measured in a process of its own, with the real model. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readMeasurement } from '../../src/engine/measure/remembered.js';
import { measureMachine } from '../../src/gateway/workers/measure-machine.js';
import { silentLogger } from '../../src/log.js';
import { loadModelManifest } from '../../src/models/manifest.js';
import { modelDirForTests } from '../../testkit/speech.js';

let modelDir: string;
beforeEach(() => {
  modelDir = mkdtempSync(path.join(tmpdir(), 'tts-measure-'));
});
afterEach(() => rmSync(modelDir, { recursive: true }));

const optionsOf = (dir: string) =>
  ({ modelDir: dir, lexicon: '', device: 'cpu', threads: 0, offline: true, preload: [] }) as const;

it('times both vocoders once and remembers the result', async () => {
  const { pack } = loadModelManifest('base-tts');
  symlinkSync(path.join(await modelDirForTests(), pack), path.join(modelDir, pack), 'junction');
  const options = optionsOf(modelDir);
  const measured = await measureMachine(options, silentLogger());
  expect(measured).toBeDefined();
  expect(['float', 'quantised']).toContain(measured!.vocoder);
  expect(measured!.realTimeFactor).toBeGreaterThan(0);
  expect(await readMeasurement(modelDir, options)).toEqual(measured);
  expect(await measureMachine(options, silentLogger())).toEqual(measured);
}, 300_000);

it('is no reason to fail where it cannot be done', async () => {
  expect(await measureMachine(optionsOf(modelDir), silentLogger())).toBeUndefined();
});
