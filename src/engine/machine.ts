/** This machine: how many threads a process gets, and the name under which what was measured here is remembered. */
import { availableParallelism, cpus } from 'node:os';
import { RECIPE } from '../models/manifest.js';
import type { Device } from '../protocol/device.js';

/** More threads than this a process gain nothing: the graphs are too small. */
const MAX_THREADS = 8;

/** All cores of a small machine, half of a large one (the other halves are often the same cores twice), shared out. */
export function chooseThreads(asked: number, workers = 1, cores = availableParallelism()): number {
  if (asked > 0) return asked;
  const share = Math.max(1, Math.floor(cores / Math.max(1, workers)));
  return share <= 4 ? share : Math.min(MAX_THREADS, Math.max(4, Math.floor(share / 2)));
}

export interface MachineUse {
  readonly device: Device;
  readonly threads: number;
  readonly workers?: number;
}

/** What a measurement of this machine holds for. */
export const machineKey = ({ device, threads, workers }: MachineUse): string =>
  [
    cpus()[0]?.model.trim() || process.arch,
    cpus().length,
    device,
    chooseThreads(threads, workers),
    `graphs ${RECIPE}`,
  ].join(' | ');
