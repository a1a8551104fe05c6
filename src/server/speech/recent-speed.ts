/** The speed of speech in the last quarter of an hour, in points for the dashboard's charts. */
import { type Clock, systemClock } from '../../clock.js';
import { samplesToMs } from '../../protocol/audio.js';

const STEP_MS = 5_000;
const STEPS = 180;
/** Samples kept for one point; more would not change its percentiles. */
const MAX_TIMES = 500;

interface Step {
  readonly atMs: number;
  readonly firstMs: number[];
  runMs: number;
  audioMs: number;
  sessions: number;
}

export interface SpeedPoint {
  /** When the step began, in milliseconds since 1970. */
  readonly atMs: number;
  /** Null where nothing was heard for the first time. */
  readonly firstAudioP50Ms: number | null;
  readonly firstAudioP95Ms: number | null;
  /** Engine seconds a second of audio; null where none was made. */
  readonly realTimeFactor: number | null;
  readonly audioMs: number;
  /** Sessions and requests that began. */
  readonly sessions: number;
}

export class RecentSpeed {
  readonly stepMs = STEP_MS;
  readonly #steps: Step[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  began(): void {
    this.#current().sessions++;
  }

  firstAudio(ms: number): void {
    const { firstMs } = this.#current();
    if (firstMs.length < MAX_TIMES) firstMs.push(ms);
  }

  spoken(runMs: number, samples: number): void {
    const step = this.#current();
    step.runMs += runMs;
    step.audioMs += samplesToMs(samples);
  }

  /** Every step in which something happened, the oldest first. */
  points(): SpeedPoint[] {
    this.#forget();
    return this.#steps.map(({ atMs, firstMs, runMs, audioMs, sessions }) => {
      const sorted = [...firstMs].sort((a, b) => a - b);
      return {
        atMs,
        firstAudioP50Ms: quantile(sorted, 0.5),
        firstAudioP95Ms: quantile(sorted, 0.95),
        realTimeFactor: audioMs === 0 ? null : runMs / audioMs,
        audioMs,
        sessions,
      };
    });
  }

  #current(): Step {
    const atMs = Math.floor(this.#clock.wallMs() / STEP_MS) * STEP_MS;
    const last = this.#steps.at(-1);
    if (last?.atMs === atMs) return last;
    const step = { atMs, firstMs: [], runMs: 0, audioMs: 0, sessions: 0 };
    this.#steps.push(step);
    this.#forget();
    return step;
  }

  #forget(): void {
    const oldestMs = this.#clock.wallMs() - STEPS * STEP_MS;
    while (this.#steps.length > 0 && this.#steps[0]!.atMs < oldestMs) this.#steps.shift();
  }
}

const quantile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
