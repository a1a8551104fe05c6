/**
 * Whether a silent process works: it gains processor time, or waits for a processor. Linux shows
 * that in /proc; elsewhere (macOS, Windows) a silence counts a third, so three times as much is
 * allowed.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** One thread, by /proc/PID/task/TID. */
interface Thread {
  /** Processor time since its start, and time in the queue for a processor. */
  readonly ranMs: number;
  readonly waitedMs: number;
  /** It runs, or would run on a free processor. */
  readonly runnable: boolean;
  /** It waits for a disk, which takes long on a machine that swaps. */
  readonly waitsForDisk: boolean;
}

interface Sample {
  /** Stopped by SIGSTOP, SIGTSTP or a debugger. */
  readonly stopped: boolean;
  readonly threads: ReadonlyMap<string, Thread>;
}

/** The unit of processor time in /proc/PID/stat, on every machine that Node runs on. */
const TICK_MS = 10;
/** Share of the time that a working thread runs or waits; idle threads wake up and wait, too. */
const BUSY_SHARE = 0.5;
/** Share of processor time of all threads; an engine with a stuck main thread has nearly none. */
const RAN_SHARE = 0.02;
/** Share of a silence that counts if the process cannot be seen or waits for a disk. */
const UNCERTAIN_SHARE = 1 / 3;
/** Processor time without progress: four times the slowest segment of a slow machine. */
const SPIN_MS = 300_000;
/** Processor time of an endless loop, in multiples of the allowed silence. */
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

  /** Observed time since the last `reset` in which it neither ran nor waited for a processor. */
  get stillMs(): number {
    return this.#stillMs;
  }

  /** False where the system does not show what the process does, or it waits for a disk. */
  get certain(): boolean {
    return this.#certain;
  }

  /** Whether it runs like an endless loop since the last `reset`; `allowedMs` is its silence. */
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
   * To be called regularly while the process has work. `mostMs`: what one look may add at most,
   * because this process may have been stopped as well.
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
  /** Processor time of its busiest thread. */
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
      // The thread has ended since.
      if (stat === undefined) continue;
      // The name before the state is in brackets and may contain anything.
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
