/** Metrics for Prometheus, in one registry; every name begins with `tts_`. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Limits, Outcome } from '../../accounts/types.js';
import type { GatewayObserver } from '../../gateway/types.js';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import { freeLimitOf } from '../../protocol/free-limit.js';
import { BASE_MODELS } from '../../protocol/job.js';
import { RecentSpeed } from '../speech/recent-speed.js';
import { JobSeries } from './job-series.js';
import { createSeries, type Watched, watchSeries } from './series.js';

/** Codes of refusals that are the server's own: no caller could avoid them. */
const REFUSALS = ['overloaded', 'no_worker_ready', 'store_unavailable', 'shutting_down'] as const;
const MODELS = BASE_MODELS.flatMap((base) => [base, `${base}:free`]);

export interface SessionEnd {
  readonly outcome: Outcome;
  readonly chars: number;
  /** Characters whose audio was handed to the socket, also where the request did not complete. */
  readonly deliveredChars: number;
}

interface AnsweredRequest {
  readonly route: string;
  readonly method: string;
  /** Where the request named a valid one. */
  readonly model?: string;
  readonly status: number;
  readonly seconds: number;
}

export class PrometheusMetrics {
  /** The last minutes, for charts. */
  readonly recent = new RecentSpeed();
  /** Hand it to the gateway, then the gateway to `watch`. */
  readonly observer: GatewayObserver;
  readonly #registry = new Registry();
  readonly #series = createSeries(this.#registry);
  readonly jobs: Pick<JobSeries, 'ended' | 'watch'> = new JobSeries(this.#registry);

  constructor() {
    collectDefaultMetrics({ register: this.#registry, prefix: 'tts_' });
    this.observer = observerOf(this.#series, this.recent);
    // An alarm on a series that does not exist is silent, so the series exists before any stall.
    for (const model of BASE_MODELS) this.#series.stalls.inc({ model }, 0);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The exposition text, of the media type `contentType`. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  watch(gateway: Watched['gateway'], accounts: Watched['accounts'], requestLog?: Watched['requestLog']): void {
    watchSeries(this.#registry, { gateway, accounts, requestLog });
  }

  /** A route speaks: its series are there from now on, also the series of what never happens. */
  announce(route: string): void {
    this.#series.active.inc({ route }, 0);
    for (const code of REFUSALS) this.#series.refusals.inc({ route, code }, 0);
    for (const model of MODELS) this.#series.firstAudio.zero({ route, model });
  }

  /** One answered HTTP request or handshake. */
  request({ route, method, model = '', status, seconds }: AnsweredRequest): void {
    this.#series.requests.inc({ route, method, model, status });
    this.#series.requestSeconds.observe({ route }, seconds);
  }

  /** A request or session got its permit; the result is to be called once, when it has ended. */
  session(route: string, model: string): (end: SessionEnd) => void {
    const { active, sessions, characters, unfinished } = this.#series;
    active.inc({ route });
    this.recent.began();
    return ({ outcome, chars, deliveredChars }) => {
      active.dec({ route });
      sessions.inc({ route, model, outcome });
      if (outcome === 'completed') characters.inc({ model }, chars);
      else if (deliveredChars > 0) unfinished.inc({ model, outcome }, deliveredChars);
    };
  }

  /** From the arrival of the request, or of the first text, to its first audio. */
  firstAudio(route: string, model: string, seconds: number): void {
    this.#series.firstAudio.observe({ route, model }, seconds);
    this.recent.firstAudio(seconds * 1000);
  }

  failedKey(code: string): void {
    this.#series.failedKeys.inc({ code });
  }

  /** A limit of its key refused a request or session. */
  limited(model: string, code: string): void {
    this.#series.limited.inc({ model, code });
  }

  /** The server could not take a request or session on. */
  refused(route: string, code: string): void {
    this.#series.refusals.inc({ route, code });
  }

  /** The limits of Free access that keys without their own have. */
  freeLimits({ freeDaily, freeConcurrency }: Pick<Limits, 'freeDaily' | 'freeConcurrency'>): void {
    for (const base of BASE_MODELS) {
      const model = `${base}:free`;
      this.#series.freeLimit.set({ model, limit: 'daily' }, freeLimitOf(freeDaily, base));
      this.#series.freeLimit.set({ model, limit: 'concurrency' }, freeLimitOf(freeConcurrency, base));
    }
  }
}

/** What the server tells its metrics. */
export type Metrics = Omit<PrometheusMetrics, never>;

const observerOf = (series: ReturnType<typeof createSeries>, recent: RecentSpeed): GatewayObserver => ({
  segmentStarted: ({ model, waitMs }) => series.queueWait.observe({ model }, waitMs / 1000),
  segmentSpoken({ model, runMs, samples }) {
    series.audioSeconds.inc({ model }, samples / SAMPLE_RATE);
    recent.spoken(runMs, samples);
    if (samples > 0) series.realTimeFactor.observe({ model }, runMs / 1000 / (samples / SAMPLE_RATE));
  },
  segmentRetried: ({ model }) => series.retries.inc({ model }),
  segmentFailed: ({ model }) => series.failures.inc({ model }),
  stalled: ({ model }) => series.stalls.inc({ model }),
});
