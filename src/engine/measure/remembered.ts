/** What was measured on this machine once: a small file beside the packs that needs no runtime to be read. */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../../atomic-file.js';
import { makeFolder } from '../../folder.js';
import type { Gpu } from '../../protocol/device.js';
import type { BaseModel } from '../../protocol/job.js';
import { type MachineUse, machineKey } from './machine.js';

export interface Measurement {
  /** Which of Kokoro's vocoders is the faster one. */
  readonly vocoder: 'float' | 'quantised';
  /** Seconds of work for a second of base-tts speech. */
  readonly realTimeFactor: number;
  /** Seconds of work before the first sound of a piece, for a second of its speech. */
  readonly untilHeard: Readonly<Record<BaseModel, number>>;
  /** Version of the runtime it was measured with, and whether graphs were rewritten for this processor. */
  readonly runtime: string;
  /** Seconds of an engine process for a second of speech among many, as the last server that had many saw it. */
  readonly costs?: Readonly<Partial<Record<BaseModel, number>>>;
}

/** How far the GPU's samples stood above their difference to the CPU's, and how fast they came. */
export interface GpuCheck {
  readonly model: BaseModel;
  readonly device: Gpu;
  readonly graph: string;
  readonly passed: boolean;
  /** What was heard, or what went wrong, in words. */
  readonly heard: string;
  /** Seconds of the card for a second of speech. */
  readonly realTimeFactor?: number;
}

const checksFile = (modelDir: string): string => path.join(modelDir, 'gpu-checks.json');
const lossesFile = (modelDir: string): string => path.join(modelDir, 'gpu-losses.json');
const LOSS_KEPT_MS = 600_000;
export const measurementFile = (modelDir: string): string => path.join(modelDir, 'measured.json');

async function readAll<T = Measurement>(
  modelDir: string,
  file = measurementFile(modelDir),
): Promise<Record<string, T>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, T>;
  } catch {
    // Absent, or not what we wrote: it is measured again.
    return {};
  }
}

/** An older version wrote other names, and fewer. */
const isOurs = ({ vocoder, untilHeard }: Partial<Measurement>): boolean =>
  vocoder !== undefined && untilHeard !== undefined;

export async function readMeasurement(modelDir: string, use: MachineUse): Promise<Measurement | undefined> {
  const known = (await readAll(modelDir))[machineKey(use)];
  return known !== undefined && isOurs(known) ? known : undefined;
}

/** Whether anything was ever measured here: a first run that was broken off before leaves it to the next. */
export const wasMeasured = async (modelDir: string): Promise<boolean> =>
  Object.values(await readAll(modelDir)).some(isOurs);

export async function writeMeasurement(modelDir: string, use: MachineUse, measured: Measurement): Promise<void> {
  const all = { ...(await readAll(modelDir)), [machineKey(use)]: measured };
  makeFolder(modelDir);
  await writeFileAtomic(measurementFile(modelDir), `${JSON.stringify(all, null, 2)}\n`);
}

/** Adds what a server saw to what was measured; where nothing was, there is nothing to add to. */
export async function rememberCosts(
  modelDir: string,
  use: MachineUse,
  costs: Required<Measurement>['costs'],
): Promise<void> {
  const known = await readMeasurement(modelDir, use);
  if (known !== undefined) await writeMeasurement(modelDir, use, { ...known, costs: { ...known.costs, ...costs } });
}

/** What came of a GPU's test; `begun` where whoever tried it never came back. */
export const readCheck = async (modelDir: string, key: string): Promise<GpuCheck | 'begun' | undefined> =>
  (await readAll<GpuCheck | 'begun'>(modelDir, checksFile(modelDir)))[key];

/** Undefined forgets it, so that it is tested again. */
export async function writeCheck(modelDir: string, key: string, check: GpuCheck | 'begun' | undefined): Promise<void> {
  const all = { ...(await readAll<GpuCheck | 'begun'>(modelDir, checksFile(modelDir))) };
  if (check === undefined) delete all[key];
  else all[key] = check;
  makeFolder(modelDir);
  await writeFileAtomic(checksFile(modelDir), `${JSON.stringify(all, null, 2)}\n`);
}

/** What is remembered of all GPUs' tests. */
export const readChecks = async (modelDir: string): Promise<GpuCheck[]> =>
  Object.values(await readAll<GpuCheck | 'begun'>(modelDir, checksFile(modelDir))).filter((check) => check !== 'begun');

/** Every GPU is tested again before it is used, and those that were lost may be tried again. */
export async function forgetChecks(modelDir: string): Promise<void> {
  await rm(checksFile(modelDir), { force: true });
  await rm(lossesFile(modelDir), { force: true });
}

/** How often a GPU failed under a run lately. Its verdict stands: it was right while it worked. */
export async function recentLosses(modelDir: string, nowMs = Date.now()): Promise<number> {
  const { times = [] } = await readAll<number[]>(modelDir, lossesFile(modelDir));
  return times.filter((ms) => nowMs - ms < LOSS_KEPT_MS).length;
}

export async function rememberLoss(modelDir: string, nowMs = Date.now()): Promise<void> {
  const { times = [] } = await readAll<number[]>(modelDir, lossesFile(modelDir));
  const kept = [...times.filter((ms) => nowMs - ms < LOSS_KEPT_MS), nowMs];
  await writeFileAtomic(lossesFile(modelDir), `${JSON.stringify({ times: kept })}\n`);
}
