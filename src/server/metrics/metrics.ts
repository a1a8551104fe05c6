/** The numbers an operator steers by, in one registry; every name begins with `tts_`. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestLog } from '../../accounts/requests/request-log.js';
import type { Accounts, Limits, Outcome } from '../../accounts/types.js';
import type { GatewayObserver, ObservableGateway } from '../../gateway/types.js';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import { freeLimitOf } from '../../protocol/free-limit.js';
import { BASE_MODELS } from '../../protocol/job.js';
import { RecentSpeed } from '../speech/recent-speed.js';

/** Why the server takes nothing on, whoever asks. */
const REFUSALS = ['overloaded', 'no_worker_ready', 'store_unavailable', 'shutting_down'] as const;
const MODELS = BASE_MODELS.flatMap((base) => [base, `${base}:free`]);

export interface SessionEnd {
  readonly outcome: Outcome;
  readonly chars: number;
  /** Characters whose audio was handed to the socket, also where the request did not complete. */
  readonly deliveredChars: number;
}

export interface Metrics {
  /** The last minutes, for charts. */
  readonly recent: RecentSpeed;
  /** The exposition text, and its media type. */
  text(): Promise<string>;
  readonly contentType: string;
  /** Hand it to the gateway, then the gateway to `watch`. */
  readonly observer: GatewayObserver;
  watch(gateway: ObservableGateway, accounts: Pick<Accounts, 'lost'>, requestLog?: Pick<RequestLog, 'lost'>): void;
  /** A route speaks: its series are there from now on, also the series of what never happens. */
  announce(route: string): void;
  /** One answered HTTP request or handshake; `model` where the request named a valid one. */
  request(info: { route: string; method: string; model?: string; status: number; seconds: number }): void;
  /** A speech request or session that was admitted; call the returned function once, when it ended. */
  session(route: string, model: string): (end: SessionEnd) => void;
  /** From the arrival of the request (or of the first text) to its first audio. */
  firstAudio(route: string, model: string, seconds: number): void;
  failedKey(code: string): void;
  /** A request or session that a limit of its key refused. */
  limited(model: string, code: string): void;
  /** A request or session that the server could not take on. */
  refused(route: string, code: string): void;
  /** The limits of Free access that keys without their own have. */
  freeLimits(limits: Pick<Limits, 'freeDaily' | 'freeConcurrency'>): void;
}

const LATENCY_S = [0.025, 0.05, 0.1, 0.15, 0.25, 0.4, 0.6, 1, 1.5, 2.5, 4, 7, 15, 30, 60];
const REQUEST_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const WAIT_S = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const RTF = [0.02, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 0.9, 1, 1.2, 1.5, 2, 3, 5];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <T extends string>(name: string, help: string, labelNames: readonly T[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });

  const requests = counter('tts_http_requests_total', 'Answered requests and handshakes', [
    'route',
    'method',
    'model',
    'status',
  ]);
  const requestSeconds = histogram('tts_http_request_seconds', 'Arrival to end of the answer', ['route'], REQUEST_S);
  const firstAudio = histogram(
    'tts_time_to_first_audio_seconds',
    'Arrival to first audio',
    ['route', 'model'],
    LATENCY_S,
  );
  const realTimeFactor = histogram('tts_real_time_factor', 'Engine seconds a second of audio', ['model'], RTF);
  const queueWait = histogram('tts_queue_wait_seconds', 'Wait of a segment for a worker', ['model'], WAIT_S);
  const active = new Gauge({
    name: 'tts_active_sessions',
    help: 'Speech requests and sessions in progress',
    labelNames: ['route'],
    registers,
  });
  const sessions = counter('tts_sessions_total', 'Speech requests and sessions by how they ended', [
    'route',
    'model',
    'outcome',
  ]);
  const characters = counter('tts_characters_total', 'Input characters of completed requests', ['model']);
  const unfinished = counter(
    'tts_unfinished_delivered_characters_total',
    'Characters delivered as audio of requests that did not complete',
    ['model', 'outcome'],
  );
  const audioSeconds = counter('tts_audio_seconds_total', 'Audio that left an engine', ['model']);
  const retries = counter('tts_segment_retries_total', 'Segments run again after a worker died', ['model']);
  const stalls = counter('tts_stalls_total', 'Silences that listeners heard because audio came late', ['model']);
  const refusals = counter('tts_refused_requests_total', 'Requests and handshakes that the server could not take on', [
    'route',
    'code',
  ]);
  // What somebody will watch for is there before it happens: an alarm on a series that does not exist is silent.
  for (const model of BASE_MODELS) stalls.inc({ model }, 0);
  const failures = counter('tts_segment_failures_total', 'Segments that failed for good', ['model']);
  const failedKeys = counter('tts_failed_keys_total', 'Requests whose key was refused', ['code']);
  const limited = counter('tts_limited_requests_total', 'Requests and handshakes that a limit of their key refused', [
    'model',
    'code',
  ]);
  collectDefaultMetrics({ register: registry, prefix: 'tts_' });

  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });

  const recent = new RecentSpeed();

  return {
    recent,
    text: () => registry.metrics(),
    contentType: registry.contentType,
    observer: {
      segmentStarted: ({ model, waitMs }) => queueWait.observe({ model }, waitMs / 1000),
      segmentSpoken({ model, runMs, samples }) {
        audioSeconds.inc({ model }, samples / SAMPLE_RATE);
        recent.spoken(runMs, samples);
        if (samples > 0) realTimeFactor.observe({ model }, runMs / 1000 / (samples / SAMPLE_RATE));
      },
      segmentRetried: ({ model }) => retries.inc({ model }),
      segmentFailed: ({ model }) => failures.inc({ model }),
      stalled: ({ model }) => stalls.inc({ model }),
    },
    watch(gateway, accounts, requestLog) {
      gauge('tts_queue_depth', 'Segments that wait for a worker', () => gateway.stats.queuedSegments);
      gauge('tts_demand_workers', 'Workers that open streams need, by what speech costs', () => gateway.load.demand);
      gauge('tts_capacity_workers', 'Workers that can be used, less what is kept back', () => gateway.load.capacity);
      gauge('tts_running_segments', 'Segments in an engine', () => gateway.stats.runningSegments);
      gauge('tts_places_taken', 'Speech requests and sessions that hold a place', () => gateway.stats.open);
      gauge('tts_places', 'Places before new requests are turned away', () => gateway.stats.limit);
      new Gauge({
        name: 'tts_workers',
        help: 'Engine processes by state',
        labelNames: ['state'],
        registers,
        collect() {
          for (const [state, count] of Object.entries(gateway.stats.workers)) this.set({ state }, count);
        },
      });
      new Gauge({
        name: 'tts_usable_workers',
        help: 'Workers that speak a model for this server and read text as it does',
        labelNames: ['model', 'text_version'],
        registers,
        collect() {
          const { textVersion, models } = gateway.stats.usable;
          for (const [model, count] of Object.entries(models)) this.set({ model, text_version: textVersion }, count);
        },
      });
      new Gauge({
        name: 'tts_unusable_workers',
        help: 'Workers that are ready and are given nothing, by why',
        labelNames: ['reason'],
        registers,
        collect() {
          for (const [reason, count] of Object.entries(gateway.stats.unusable)) this.set({ reason }, count);
        },
      });
      gauge('tts_workers_most', 'Engine processes there may be', () => gateway.stats.mostWorkers);
      new Counter({
        name: 'tts_lost_reservations_total',
        help: 'Reservations whose row was gone: renewed, refused (the request was ended), booked (found at its end)',
        labelNames: ['result'],
        registers,
        collect() {
          this.reset();
          for (const [result, count] of Object.entries(accounts.lost)) this.inc({ result }, count);
        },
      });
      new Counter({
        name: 'tts_request_log_lost_total',
        help: 'Rows of the request log that were never written',
        registers,
        collect() {
          this.reset();
          this.inc(requestLog?.lost ?? 0);
        },
      });
      new Counter({
        name: 'tts_engine_restarts_total',
        help: 'Engine processes started again',
        registers,
        collect() {
          this.reset();
          this.inc(gateway.stats.restarts);
        },
      });
    },
    announce(route) {
      active.inc({ route }, 0);
      for (const code of REFUSALS) refusals.inc({ route, code }, 0);
      for (const model of MODELS) firstAudio.zero({ route, model });
    },
    request({ route, method, model = '', status, seconds }) {
      requests.inc({ route, method, model, status });
      requestSeconds.observe({ route }, seconds);
    },
    session(route, model) {
      active.inc({ route });
      recent.began();
      return ({ outcome, chars, deliveredChars }) => {
        active.dec({ route });
        sessions.inc({ route, model, outcome });
        if (outcome === 'completed') characters.inc({ model }, chars);
        else if (deliveredChars > 0) unfinished.inc({ model, outcome }, deliveredChars);
      };
    },
    firstAudio(route, model, seconds) {
      firstAudio.observe({ route, model }, seconds);
      recent.firstAudio(seconds * 1000);
    },
    failedKey: (code) => failedKeys.inc({ code }),
    limited: (model, code) => limited.inc({ model, code }),
    refused: (route, code) => refusals.inc({ route, code }),
    freeLimits({ freeDaily, freeConcurrency }) {
      const limits = new Gauge({
        name: 'tts_free_limit',
        help: 'Requests a UTC day and sessions at once of a key on a Free model',
        labelNames: ['model', 'limit'],
        registers,
      });
      for (const base of BASE_MODELS) {
        const model = `${base}:free`;
        limits.set({ model, limit: 'daily' }, freeLimitOf(freeDaily, base));
        limits.set({ model, limit: 'concurrency' }, freeLimitOf(freeConcurrency, base));
      }
    },
  };
}
