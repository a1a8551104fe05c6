/** Measurements of this machine, in small files beside the packs; reading them loads no runtime. */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../../atomic-file.js';
import { makeFolder } from '../../folder.js';
import type { Gpu } from '../../protocol/device.js';
import type { BaseModel } from '../../protocol/job.js';
import { type MachineUse, machineKey } from './machine.js';

export interface Measurement {
  /** Which form of Kokoro's generator is the faster one. */
  readonly vocoder: 'float' | 'quantised';
  /** Seconds of work for a second of base-tts speech. */
  readonly realTimeFactor: number;
  /** Seconds of work before the first sound of a segment, for a second of its speech. */
  readonly untilHeard: Readonly<Record<BaseModel, number>>;
  /** Version of the runtime, and whether graphs were rewritten for this processor. */
  readonly runtime: string;
  /** Seconds of an engine process for a second of speech under load, as a server last saw it. */
  readonly costs?: Readonly<Partial<Record<BaseModel, number>>>;
}

/** The verdict on a GPU: whether its samples are the CPU's, and how fast they come. */
export interface GpuCheck {
  readonly model: BaseModel;
  readonly device: Gpu;
  readonly graph: string;
  readonly passed: boolean;
  /** The comparison or the failure in words. */
  readonly heard: string;
  /** Seconds of the GPU for a second of speech. */
  readonly realTimeFactor?: number;
}

const checksFile = (modelDir: string): string => path.join(modelDir, 'gpu-checks.json');
const lossesFile = (modelDir: string): string => path.join(modelDir, 'gpu-losses.json');
/** A loss of the GPU counts for this long (ms). */
const LOSS_KEPT_MS = 600_000;
export const measurementFile = (modelDir: string): string => path.join(modelDir, 'measured.json');

async function readAll<T = Measurement>(
  modelDir: string,
  file = measurementFile(modelDir),
): Promise<Record<string, T>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, T>;
  } catch {
    // Absent or damaged: it is measured again.
    return {};
  }
}

/** Older versions wrote other fields. */
const isOurs = ({ vocoder, untilHeard }: Partial<Measurement>): boolean =>
  vocoder !== undefined && untilHeard !== undefined;

export async function readMeasurement(modelDir: string, use: MachineUse): Promise<Measurement | undefined> {
  const known = (await readAll(modelDir))[machineKey(use)];
  return known !== undefined && isOurs(known) ? known : undefined;
}

/** Whether anything was measured here. A first run that was interrupted leaves it to the next. */
export const wasMeasured = async (modelDir: string): Promise<boolean> =>
  Object.values(await readAll(modelDir)).some(isOurs);

export async function writeMeasurement(modelDir: string, use: MachineUse, measured: Measurement): Promise<void> {
  const all = { ...(await readAll(modelDir)), [machineKey(use)]: measured };
  makeFolder(modelDir);
  await writeFileAtomic(measurementFile(modelDir), `${JSON.stringify(all, null, 2)}\n`);
}

/** Adds the costs that a server saw to the measurement; does nothing where there is none. */
export async function rememberCosts(
  modelDir: string,
  use: MachineUse,
  costs: Required<Measurement>['costs'],
): Promise<void> {
  const known = await readMeasurement(modelDir, use);
  if (known !== undefined) await writeMeasurement(modelDir, use, { ...known, costs: { ...known.costs, ...costs } });
}

/** The verdict on a GPU; `begun` where the process that tested it died. */
export const readCheck = async (modelDir: string, key: string): Promise<GpuCheck | 'begun' | undefined> =>
  (await readAll<GpuCheck | 'begun'>(modelDir, checksFile(modelDir)))[key];

/** Undefined forgets the verdict, so that the GPU is tested again. */
export async function writeCheck(modelDir: string, key: string, check: GpuCheck | 'begun' | undefined): Promise<void> {
  const all = { ...(await readAll<GpuCheck | 'begun'>(modelDir, checksFile(modelDir))) };
  if (check === undefined) delete all[key];
  else all[key] = check;
  makeFolder(modelDir);
  await writeFileAtomic(checksFile(modelDir), `${JSON.stringify(all, null, 2)}\n`);
}

/** The verdicts on all GPUs. */
export const readChecks = async (modelDir: string): Promise<GpuCheck[]> =>
  Object.values(await readAll<GpuCheck | 'begun'>(modelDir, checksFile(modelDir))).filter((check) => check !== 'begun');

/** Forgets verdicts and losses: every GPU is tested again before it is used. */
export async function forgetChecks(modelDir: string): Promise<void> {
  await rm(checksFile(modelDir), { force: true });
  await rm(lossesFile(modelDir), { force: true });
}

/** How often a GPU failed during a run lately. Its verdict stands: it was right while it worked. */
export async function recentLosses(modelDir: string, nowMs = Date.now()): Promise<number> {
  const { times = [] } = await readAll<number[]>(modelDir, lossesFile(modelDir));
  return times.filter((ms) => nowMs - ms < LOSS_KEPT_MS).length;
}

export async function rememberLoss(modelDir: string, nowMs = Date.now()): Promise<void> {
  const { times = [] } = await readAll<number[]>(modelDir, lossesFile(modelDir));
  const kept = [...times.filter((ms) => nowMs - ms < LOSS_KEPT_MS), nowMs];
  await writeFileAtomic(lossesFile(modelDir), `${JSON.stringify({ times: kept })}\n`);
}
