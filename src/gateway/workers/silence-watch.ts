/** Notices an engine that has work and stands still, or runs without an end. */
import type { Clock, Timer } from '../../clock.js';
import type { SegmentJob } from '../../protocol/job.js';
import type { Standstill } from '../../worker/standstill.js';
import { SILENCE } from '../tuning.js';
import { SilenceLimit } from './silence-limit.js';

/** A job that the engine has something to do for. */
interface WorkingJob {
  readonly job: SegmentJob;
  readonly loading: boolean;
}

export interface Silence {
  readonly silentMs: number;
  /** In words: "had work and was silent for 20 s". */
  readonly how: string;
}

export interface SilenceWatchOptions {
  readonly clock: Clock;
  readonly silenceMs: number;
  readonly working: () => readonly WorkingJob[];
  readonly onSilent: (silence: Silence) => void;
  /** What is seen of the engine's process; undefined where all silence counts as standing still. */
  readonly standstill: () => Pick<Standstill, 'look' | 'spins' | 'stillMs' | 'certain'> | undefined;
}

export class SilenceWatch {
  readonly limit: SilenceLimit;
  readonly #options: SilenceWatchOptions;
  readonly #everyMs: number;
  #timer: Timer | undefined;
  #lookedMs = 0;
  /** When the engine last gave a sign of life, or was given work while it had none. */
  #heardMs = 0;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
    this.#everyMs = options.silenceMs * SILENCE.lookShare;
    this.limit = new SilenceLimit(options.silenceMs);
  }

  /** The engine is given work while it has none: silence counts from here. */
  begin(): void {
    const { clock } = this.#options;
    this.#heardMs = clock.now();
    if (this.#timer !== undefined) return;
    this.#lookedMs = this.#heardMs;
    this.#timer = clock.setInterval(() => this.#look(), this.#everyMs).unref();
  }

  /** The engine replied. Returns how long it was silent before. */
  replied(): number {
    const nowMs = this.#options.clock.now();
    const silentMs = nowMs - this.#heardMs;
    this.#heardMs = nowMs;
    return silentMs;
  }

  /** The engine gave another sign of life, `agoMs` ago. */
  wasAlive(agoMs: number): void {
    this.#heardMs = Math.max(this.#heardMs, this.#options.clock.now() - agoMs);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #look(): void {
    const { clock, silenceMs, working, standstill: standstillOf } = this.#options;
    const nowMs = clock.now();
    const lateMs = nowMs - this.#lookedMs - this.#everyMs;
    this.#lookedMs = nowMs;
    const jobs = working();
    if (jobs.length === 0) {
      this.stop();
      return;
    }
    // This process was stopped or busy itself (Ctrl-Z, a suspended machine) and received nothing.
    if (lateMs > silenceMs / 2) this.#heardMs = nowMs;
    const silentMs = nowMs - this.#heardMs;
    if (silentMs < this.#everyMs) return;
    const standstill = standstillOf();
    standstill?.look(nowMs, 2 * this.#everyMs);
    const allowedMs = ({ job, loading }: WorkingJob) => this.limit.allowedMs(job, loading);
    const longest = jobs.reduce((most, job) => (allowedMs(job) > allowedMs(most) ? job : most));
    const mostMs = allowedMs(longest);
    const spins = standstill?.spins(mostMs) ?? false;
    if (!spins && Math.min(silentMs, standstill?.stillMs ?? silentMs) <= mostMs) return;
    const certain = standstill?.certain ?? false;
    if (!certain) this.limit.doubt(longest.job, silentMs);
    this.#options.onSilent({ silentMs, how: howOf(silentMs, { spins, certain }) });
  }
}

function howOf(silentMs: number, { spins, certain }: { spins: boolean; certain: boolean }): string {
  const seconds = Math.round(silentMs / 1000);
  if (spins) return `ran for ${seconds} s without any progress`;
  return `had work and was silent for ${seconds} s${certain ? ', standing still' : ''}`;
}
