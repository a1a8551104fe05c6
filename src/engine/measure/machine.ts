/**
 * This machine: threads and processes that suit it, and the name under which measurements are kept.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { RECIPE } from '../../models/manifest.js';
import type { Device } from '../../protocol/device.js';

/** Most threads of a process; more gain nothing, because the graphs are too small (measured). */
const MAX_THREADS = 8;

/** Memory of a further engine process that has spoken with both models, shared pages left out. */
const PROCESS_BYTES = 250_000_000;
/** Share of the memory for engines. The rest is for the server, file caches and other programs. */
const ENGINES_SHARE = 0.5;

/** As in the settings: a number, or what suits the machine. */
export type Count = number | 'auto';

/** Cores this process may use; a container may have fewer than the machine. */
function coresHere(): number {
  let limit = Number.POSITIVE_INFINITY;
  try {
    const [quota, period] = readFileSync('/sys/fs/cgroup/cpu.max', 'utf8').split(' ');
    if (Number(quota) > 0) limit = Math.ceil(Number(quota) / Number(period));
  } catch {
    // No container, or none with cgroup v2.
  }
  return Math.min(limit, availableParallelism());
}

/** Bytes of memory this process and its children may use. */
function memoryHere(): number {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/**
 * How many engine processes carry the most listeners: one for each core, with one thread each,
 * because a second thread makes graphs of this size far less than twice as fast. Fewer where memory
 * is short or processes have more threads.
 */
export function mostWorkers(threads: Count, cores = coresHere(), memoryBytes = memoryHere()): number {
  const byCores = Math.floor(cores / (threads === 'auto' ? 1 : Math.max(1, threads)));
  return Math.max(1, Math.min(byCores, Math.floor((memoryBytes * ENGINES_SHARE) / PROCESS_BYTES)));
}

/**
 * All cores of a small machine, half of a large one (where two of them are often one physical
 * core), divided by the number of processes.
 */
export function chooseThreads(asked: Count, workers: Count = 1, cores = coresHere()): number {
  if (asked !== 'auto' && asked > 0) return asked;
  const share = Math.max(1, Math.floor(cores / Math.max(1, workers === 'auto' ? 1 : workers)));
  return share <= 4 ? share : Math.min(MAX_THREADS, Math.max(4, Math.floor(share / 2)));
}

/**
 * Whether threads may wait for each other without sleep. A run on an idle machine takes a quarter
 * less time that way, but twice as long where other work wants the same cores. Half of the cores
 * are therefore left to others.
 */
export const maySpin = (threads: number, cores = coresHere()): boolean => threads * 2 <= cores;

export interface MachineUse {
  readonly device: Device;
  readonly threads: Count;
  readonly workers?: Count;
}

/** All that a measurement depends on. */
export const machineKey = ({ device, threads, workers }: MachineUse): string =>
  [
    cpus()[0]?.model.trim() || process.arch,
    cpus().length,
    device,
    chooseThreads(threads, workers),
    `graphs ${RECIPE}`,
  ].join(' | ');
