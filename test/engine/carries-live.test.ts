/** What was measured once is remembered, and decides what a machine speaks with by default. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { carriesLive } from '../../src/engine/measure/carries-live.js';
import { readMeasurement, rememberCosts, writeMeasurement } from '../../src/engine/measure/remembered.js';

const USE = { device: 'auto', threads: 0 } as const;
const measured = (realTimeFactor: number) =>
  ({
    vocoder: 'float',
    realTimeFactor,
    untilHeard: { 'base-tts': realTimeFactor, 'base-tts-fast': 0.1 },
    runtime: '1.30.0',
  }) as const;
let modelDir: string;
beforeEach(() => {
  modelDir = mkdtempSync(path.join(tmpdir(), 'tts-measured-'));
});
afterEach(() => rmSync(modelDir, { recursive: true }));

it('does not know what was never measured', async () => {
  expect(await carriesLive(modelDir, USE)).toBeUndefined();
});

it('says yes where speech is made well faster than it is heard, else no', async () => {
  await writeMeasurement(modelDir, USE, measured(0.4));
  expect(await carriesLive(modelDir, USE)).toBe(true);
  await writeMeasurement(modelDir, USE, measured(0.95));
  expect(await carriesLive(modelDir, USE)).toBe(false);
});

it('keeps measurements of other uses of the machine apart', async () => {
  await writeMeasurement(modelDir, USE, measured(0.4));
  await writeMeasurement(modelDir, { device: 'cpu', threads: 1 }, measured(1.6));
  expect((await readMeasurement(modelDir, USE))?.realTimeFactor).toBe(0.4);
  expect(await carriesLive(modelDir, { device: 'cpu', threads: 1 })).toBe(false);
  expect(await carriesLive(modelDir, { device: 'cpu', threads: 7 })).toBeUndefined();
});

it('adds to it what many listeners cost, and makes up no measurement for them', async () => {
  await rememberCosts(modelDir, USE, { 'base-tts': 0.5 });
  expect(await readMeasurement(modelDir, USE)).toBeUndefined();
  await writeMeasurement(modelDir, USE, measured(0.4));
  await rememberCosts(modelDir, USE, { 'base-tts': 0.5 });
  await rememberCosts(modelDir, USE, { 'base-tts-fast': 0.1 });
  expect(await readMeasurement(modelDir, USE)).toEqual({
    ...measured(0.4),
    costs: { 'base-tts': 0.5, 'base-tts-fast': 0.1 },
  });
});

it('measures again rather than trust a damaged file', async () => {
  await writeMeasurement(modelDir, USE, measured(0.4));
  const file = path.join(modelDir, 'measured.json');
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 20));
  expect(await carriesLive(modelDir, USE)).toBeUndefined();
  await writeMeasurement(modelDir, USE, measured(0.4));
  expect(await carriesLive(modelDir, USE)).toBe(true);
});
