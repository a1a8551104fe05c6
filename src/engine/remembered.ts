/** What was measured on this machine once: a small file beside the packs that needs no runtime to be read. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../atomic-file.js';
import { makeFolder } from '../folder.js';
import type { BaseModel } from '../protocol/job.js';
import { type MachineUse, machineKey } from './machine.js';

export interface Measurement {
  /** Which of Kokoro's vocoders is the faster one. */
  readonly vocoder: 'float' | 'quantised';
  /** Seconds of work for a second of base-tts speech. */
  readonly realTimeFactor: number;
  /** Version of the runtime it was measured with. */
  readonly runtime: string;
  /** Seconds of an engine process for a second of speech among many, as the last server that had many saw it. */
  readonly costs?: Readonly<Partial<Record<BaseModel, number>>>;
}

export const measurementFile = (modelDir: string): string => path.join(modelDir, 'measured.json');

async function readAll(modelDir: string): Promise<Record<string, Measurement>> {
  try {
    return JSON.parse(await readFile(measurementFile(modelDir), 'utf8')) as Record<string, Measurement>;
  } catch {
    // Absent, or not what we wrote: it is measured again.
    return {};
  }
}

export async function readMeasurement(modelDir: string, use: MachineUse): Promise<Measurement | undefined> {
  const known = (await readAll(modelDir))[machineKey(use)];
  // An older version wrote other names.
  return known?.vocoder === undefined ? undefined : known;
}

/** Whether anything was ever measured here: a first run that was broken off before leaves it to the next. */
export const wasMeasured = async (modelDir: string): Promise<boolean> =>
  Object.keys(await readAll(modelDir)).length > 0;

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
