/**
 * Whether a process that is silent works: it gains processor time, or waits for a processor. Linux tells that in /proc; where
 * nothing is told (macOS, Windows), a silence counts a third, so that three times as much is waited for.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** One thread, by /proc/PID/task/TID. */
interface Thread {
  /** Processor time since its start, and time in the queue for a processor. */
  readonly ranMs: number;
  readonly waitedMs: number;
  /** It runs, or could run if a processor were free. */
  readonly runnable: boolean;
  /** It waits for a disk, which a machine that swaps keeps waiting for long. */
  readonly waitsForDisk: boolean;
}

interface Sample {
  /** By SIGSTOP, SIGTSTP or a debugger. */
  readonly stopped: boolean;
  readonly threads: ReadonlyMap<string, Thread>;
}

/** The unit of processor time in /proc/PID/stat, on every machine that Node runs on. */
const TICK_MS = 10;
/** A thread at work runs or waits all the time. One that only wakes to look round may wait long on a busy machine. */
const BUSY_SHARE = 0.5;
/** Processor time of all threads; an engine whose main thread is stuck has next to none. */
const RAN_SHARE = 0.02;
/** Of a process that cannot be seen, or waits for a disk, this much of a silence counts: the machine may be slow. */
const UNCERTAIN_SHARE = 1 / 3;
/** Processor time without a sign of progress. The slowest segment of a slow machine takes a quarter of it. */
const SPIN_MS = 300_000;
/** An endless loop is told from work that is this many times longer than is ever waited for. */
const SPIN_MARGIN = 4;

export class Standstill {
  readonly #pid: () => number | undefined;
  readonly #spinMs: number;
  #lookedMs: number | undefined;
  #before: Sample | undefined;
  #stillMs = 0;
  #ranMs = 0;
  #certain = true;

  constructor(pid: () => number | undefined, spinMs = SPIN_MS) {
    this.#pid = pid;
    this.#spinMs = spinMs;
  }

  /** Since the last `reset`, as far as it was looked at: time in which it neither ran nor waited for a processor. */
  get stillMs(): number {
    return this.#stillMs;
  }

  /** False where the system does not tell what the process does, or that it waits for a disk. */
  get certain(): boolean {
    return this.#certain;
  }

  /** It has run for so long since the last `reset` that it will hardly come to an end. `allowedMs`: the silence it is given. */
  spins(allowedMs = 0): boolean {
    return this.#ranMs > Math.max(this.#spinMs, SPIN_MARGIN * allowedMs);
  }

  /** The process gave a sign of progress. */
  reset(): void {
    this.#stillMs = 0;
    this.#ranMs = 0;
    this.#lookedMs = undefined;
    this.#before = undefined;
  }

  /**
   * To be called regularly while the process has work. `mostMs`: what one look may add at most, because this process
   * may have been stopped as well.
   */
  look(nowMs: number, mostMs: number): void {
    const before = this.#before;
    const windowMs = this.#lookedMs === undefined ? 0 : nowMs - this.#lookedMs;
    const pid = this.#pid();
    const sample = pid === undefined ? undefined : sampleOf(pid);
    this.#lookedMs = nowMs;
    this.#before = sample;
    if (windowMs <= 0) return;
    const countedMs = Math.min(windowMs, mostMs);
    const seen = sample && before && compare(before, sample, windowMs);
    this.#ranMs += seen?.ranMs ?? 0;
    if (seen?.works) return;
    this.#certain = seen !== undefined && !seen.waitsForDisk;
    this.#stillMs += this.#certain ? countedMs : countedMs * UNCERTAIN_SHARE;
  }
}

interface Seen {
  readonly works: boolean;
  readonly waitsForDisk: boolean;
  /** Of its busiest thread. */
  readonly ranMs: number;
}

function compare(before: Sample, now: Sample, windowMs: number): Seen {
  let allRanMs = 0;
  let mostRanMs = 0;
  let mostBusyMs = 0;
  let runnable = false;
  let waitsForDisk = false;
  for (const [id, thread] of now.threads) {
    const earlier = before.threads.get(id);
    const ranMs = thread.ranMs - (earlier?.ranMs ?? 0);
    const waitedMs = thread.waitedMs - (earlier?.waitedMs ?? 0);
    allRanMs += ranMs;
    mostRanMs = Math.max(mostRanMs, ranMs);
    mostBusyMs = Math.max(mostBusyMs, ranMs + waitedMs);
    runnable ||= thread.runnable;
    waitsForDisk ||= thread.waitsForDisk;
  }
  const busy = runnable || mostBusyMs >= BUSY_SHARE * windowMs || allRanMs >= RAN_SHARE * windowMs;
  return { works: busy && !now.stopped, waitsForDisk, ranMs: mostRanMs };
}

/** Undefined where there is no such process, or no /proc. */
function sampleOf(pid: number): Sample | undefined {
  const folder = `/proc/${pid}/task`;
  try {
    const threads = new Map<string, Thread>();
    let stopped = false;
    for (const id of readdirSync(folder)) {
      const stat = read(`${folder}/${id}/stat`);
      // It has ended since.
      if (stat === undefined) continue;
      // The name before the state is in brackets and may hold anything.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const state = fields[0]!;
      const [ranNs, waitedNs] = read(`${folder}/${id}/schedstat`)?.split(' ').map(Number) ?? [];
      threads.set(id, {
        ranMs: ranNs === undefined ? (Number(fields[11]) + Number(fields[12])) * TICK_MS : ranNs / 1e6,
        waitedMs: (waitedNs ?? 0) / 1e6,
        runnable: state === 'R',
        waitsForDisk: state === 'D',
      });
      stopped ||= state === 'T' || state === 't';
    }
    return threads.size === 0 ? undefined : { stopped, threads };
  } catch {
    return undefined;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
