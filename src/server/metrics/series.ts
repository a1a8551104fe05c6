/** The series of the metrics: counted as things happen, or read when somebody asks for them. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RequestLog } from '../../accounts/requests/request-log.js';
import type { Accounts } from '../../accounts/types.js';
import type { ObservableGateway } from '../../gateway/types.js';

/** Upper bounds of buckets, in seconds; `RTF` in engine seconds a second of audio. */
const LATENCY_S = [0.025, 0.05, 0.1, 0.15, 0.25, 0.4, 0.6, 1, 1.5, 2.5, 4, 7, 15, 30, 60];
const REQUEST_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const WAIT_S = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const RTF = [0.02, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 0.9, 1, 1.2, 1.5, 2, 3, 5];

export function createSeries(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `tts_${name}_total`, help, labelNames, registers });
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `tts_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
    new Histogram({ name: `tts_${name}`, help, labelNames, buckets, registers });
  const unfinished = 'Characters delivered as audio of requests that did not complete';
  const limited = 'Requests and handshakes that a limit of their key refused';
  return {
    requests: counter('http_requests', 'Answered requests and handshakes', 'route', 'method', 'model', 'status'),
    requestSeconds: histogram('http_request_seconds', 'Arrival to end of the answer', REQUEST_S, 'route'),
    firstAudio: histogram('time_to_first_audio_seconds', 'Arrival to first audio', LATENCY_S, 'route', 'model'),
    realTimeFactor: histogram('real_time_factor', 'Engine seconds a second of audio', RTF, 'model'),
    queueWait: histogram('queue_wait_seconds', 'Wait of a segment for a worker', WAIT_S, 'model'),
    active: gauge('active_sessions', 'Speech requests and sessions in progress', 'route'),
    sessions: counter('sessions', 'Speech requests and sessions by how they ended', 'route', 'model', 'outcome'),
    characters: counter('characters', 'Input characters of completed requests', 'model'),
    unfinished: counter('unfinished_delivered_characters', unfinished, 'model', 'outcome'),
    audioSeconds: counter('audio_seconds', 'Audio that left an engine', 'model'),
    retries: counter('segment_retries', 'Segments run again after a worker died', 'model'),
    stalls: counter('stalls', 'Silences that listeners heard because audio came late', 'model'),
    refusals: counter('refused_requests', 'Requests and handshakes that the server could not take on', 'route', 'code'),
    failures: counter('segment_failures', 'Segments that failed for good', 'model'),
    failedKeys: counter('failed_keys', 'Requests whose key was refused', 'code'),
    limited: counter('limited_requests', limited, 'model', 'code'),
    freeLimit: gauge(
      'free_limit',
      'Requests a UTC day and sessions at once of a key on a Free model',
      'model',
      'limit',
    ),
  };
}

/** Values by the value of one label. */
const by = (label: string, counts: object) =>
  Object.entries(counts).map(([value, count]) => [{ [label]: value }, Number(count)] as const);

export interface Watched {
  readonly gateway: ObservableGateway;
  readonly accounts: Pick<Accounts, 'lost'>;
  readonly requestLog: Pick<RequestLog, 'lost'> | undefined;
}

/** Adds the series that are read whenever somebody asks for the metrics. */
export function watchSeries(registry: Registry, { gateway, accounts, requestLog }: Watched): void {
  type Reading = readonly (readonly [Record<string, string>, number])[];
  const registers = [registry];
  const gauges = (name: string, help: string, labelNames: string[], read: () => Reading) =>
    new Gauge({
      name: `tts_${name}`,
      help,
      labelNames,
      registers,
      collect() {
        for (const [labels, value] of read()) this.set(labels, value);
      },
    });
  const counters = (name: string, help: string, labelNames: string[], read: () => Reading) =>
    new Counter({
      name: `tts_${name}_total`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.inc(labels, value);
      },
    });
  const gauge = (name: string, help: string, read: () => number) => gauges(name, help, [], () => [[{}, read()]]);
  const counter = (name: string, help: string, read: () => number) => counters(name, help, [], () => [[{}, read()]]);

  gauge('queue_depth', 'Segments that wait for a worker', () => gateway.stats.queuedSegments);
  gauge('demand_workers', 'Workers that open streams need, by what speech costs', () => gateway.load.demand);
  gauge('capacity_workers', 'Workers that can be used, less what is kept back', () => gateway.load.capacity);
  gauge('running_segments', 'Segments in an engine', () => gateway.stats.runningSegments);
  gauge('places_taken', 'Speech requests and sessions that hold a place', () => gateway.stats.open);
  gauge('places', 'Places before new requests are turned away', () => gateway.stats.limit);
  gauge('workers_most', 'Engine processes there may be', () => gateway.stats.mostWorkers);
  gauges('workers', 'Engine processes by state', ['state'], () => by('state', gateway.stats.workers));
  const usable = 'Workers that speak a model for this server and read text as it does';
  gauges('usable_workers', usable, ['model', 'text_version'], () => {
    const { textVersion, models } = gateway.stats.usable;
    return by('model', models).map(([labels, count]) => [{ ...labels, text_version: textVersion }, count]);
  });
  const unusable = 'Workers that are ready and are given nothing, by why';
  gauges('unusable_workers', unusable, ['reason'], () => by('reason', gateway.stats.unusable));
  const lost = 'Reservations whose row was gone: renewed, refused (the request was ended), booked (found at its end)';
  counters('lost_reservations', lost, ['result'], () => by('result', accounts.lost));
  counter('request_log_lost', 'Rows of the request log that were never written', () => requestLog?.lost ?? 0);
  counter('engine_restarts', 'Engine processes started again', () => gateway.stats.restarts);
}
