/** This machine: how many threads a process gets, and the name under which what was measured here is remembered. */
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { RECIPE } from '../../models/manifest.js';
import type { Device } from '../../protocol/device.js';

/** More threads than this a process gain nothing: the graphs are too small. */
const MAX_THREADS = 8;

/** What a further engine process takes when it has spoken with both models for a while; what it shares is not in it. */
const PROCESS_BYTES = 250_000_000;
/** Of the memory, for engines: the rest is for the server, the files of the models, and whoever else lives here. */
const ENGINES_SHARE = 0.5;

/** As the settings have it: a number, or what suits the machine. */
export type Count = number | 'auto';

/** Cores this process may use: a container may have fewer than the machine. */
function coresHere(): number {
  let limit = Number.POSITIVE_INFINITY;
  try {
    const [quota, period] = readFileSync('/sys/fs/cgroup/cpu.max', 'utf8').split(' ');
    if (Number(quota) > 0) limit = Math.ceil(Number(quota) / Number(period));
  } catch {
    // No container, or none of this kind.
  }
  return Math.min(limit, availableParallelism());
}

/** Bytes of memory this process and its children may use. */
function memoryHere(): number {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/**
 * How many engine processes carry the most listeners: one a core, each with one thread, because a second thread makes a
 * graph of this size far less than twice as fast. Fewer where memory is short or a process was given more threads.
 */
export function mostWorkers(threads: Count, cores = coresHere(), memoryBytes = memoryHere()): number {
  const byCores = Math.floor(cores / (threads === 'auto' ? 1 : Math.max(1, threads)));
  return Math.max(1, Math.min(byCores, Math.floor((memoryBytes * ENGINES_SHARE) / PROCESS_BYTES)));
}

/** All cores of a small machine, half of a large one (the other halves are often the same cores twice), shared out. */
export function chooseThreads(asked: Count, workers: Count = 1, cores = coresHere()): number {
  if (asked !== 'auto' && asked > 0) return asked;
  const share = Math.max(1, Math.floor(cores / Math.max(1, workers === 'auto' ? 1 : workers)));
  return share <= 4 ? share : Math.min(MAX_THREADS, Math.max(4, Math.floor(share / 2)));
}

/**
 * Whether threads may wait for each other without sleep: a run alone on the machine is a quarter sooner done so, but where other
 * work wants the same cores it takes twice as long. Half of them left over is room enough for whoever that may be.
 */
export const maySpin = (threads: number, cores = coresHere()): boolean => threads * 2 <= cores;

export interface MachineUse {
  readonly device: Device;
  readonly threads: Count;
  readonly workers?: Count;
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
