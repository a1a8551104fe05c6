/** The workers on a NATS server, as they come and go: each is put into the pool when it is first heard of. */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../../log.js';
import { LogBrake } from '../../worker/log-brake.js';
import type { Bus } from '../../worker/nats-bus.js';
import { parseAnnouncement, parseReply } from '../../worker/nats-messages.js';
import { BEAT_MS, encode, SUBJECT, WIRE_VERSION, workerOf } from '../../worker/nats-wire.js';
import { createNatsWorker, type NatsWorker } from './nats-worker.js';
import type { WorkerPool } from './pool.js';

export interface NatsWorkersOptions {
  readonly bus: Bus;
  readonly pool: WorkerPool;
  readonly textVersion: string;
  readonly styles: Readonly<Record<string, string>> | undefined;
  readonly log: Logger;
  readonly silenceMs?: number;
}

/** A worker that was silent for this long does not come back under its name. */
const FORGET_MS = 30_000;
/** Workers that a gateway knows at most; what else announces itself is left alone. */
const MAX_WORKERS = 1_000;
/** Workers of another version that are remembered, so that each is named once in the log. */
const MAX_INCOMPATIBLE = 1_000;

export interface NatsWorkers {
  readonly workers: readonly NatsWorker[];
  close(): void;
}

export function watchNatsWorkers({ bus, pool, log, ...options }: NatsWorkersOptions): NatsWorkers {
  const gateway = randomUUID();
  const workers = new Map<string, NatsWorker>();
  const incompatible = new Set<string>();
  const brake = new LogBrake(log);
  let beatMs = performance.now();

  const allSilent = (): boolean => {
    const nowMs = performance.now();
    return workers.size > 1 && [...workers.values()].every((worker) => worker.silentForMs(nowMs) > 2 * BEAT_MS);
  };
  const hello = () => bus.publish(SUBJECT.hello, encode({ v: WIRE_VERSION }));

  function announced(payload: Uint8Array): void {
    const news = parseAnnouncement(payload);
    if (news === undefined) {
      brake.write('warn', {}, 'an announcement of a worker is not understood and is left alone');
      return;
    }
    if ('otherVersion' in news) {
      const { id, otherVersion: theirs } = news;
      if (incompatible.has(id)) return;
      if (incompatible.size < MAX_INCOMPATIBLE) incompatible.add(id);
      brake.write('warn', { worker: id, theirs, ours: WIRE_VERSION }, 'a worker of another version is left alone');
      return;
    }
    let worker = workers.get(news.id);
    if (worker === undefined) {
      if (news.state === 'gone') return;
      if (workers.size >= MAX_WORKERS) {
        brake.write('warn', { worker: news.id, most: MAX_WORKERS }, 'one worker too many is left alone');
        return;
      }
      worker = createNatsWorker({ bus, gateway, id: news.id, log, allSilent, ...options });
      workers.set(news.id, worker);
      worker.announced(news);
      pool.add(worker);
      if (news.facts === undefined) hello();
    } else worker.announced(news);
    if (news.state === 'gone') forget(news.id, worker);
  }

  function forget(id: string, worker: NatsWorker): void {
    workers.delete(id);
    brake.write('info', { worker: id }, 'worker gone');
    void pool.remove(worker);
  }

  const stop = [
    bus.subscribe(SUBJECT.workers, announced),
    // One subscription for all links, made long before the first reply: interest in a subject takes its time through a cluster.
    bus.subscribe(SUBJECT.link(gateway, '*'), (payload, subject) => {
      const link = subject.slice(subject.lastIndexOf('.') + 1);
      const worker = workers.get(workerOf(link));
      if (worker === undefined) return;
      const reply = parseReply(payload);
      if (reply !== undefined) worker.receive(link, reply);
      else brake.write('warn', { worker: worker.id }, 'a reply of a worker is not understood and is left alone');
    }),
    bus.onChange(() => bus.connected && hello()),
  ];
  const beats = setInterval(() => {
    const nowMs = performance.now();
    const lateMs = nowMs - beatMs - BEAT_MS;
    beatMs = nowMs;
    for (const [id, worker] of [...workers]) {
      worker.beat(nowMs, lateMs);
      if (worker.silentForMs(nowMs) > FORGET_MS) forget(id, worker);
    }
  }, BEAT_MS);
  beats.unref();
  hello();

  return {
    get workers() {
      return [...workers.values()];
    },
    close() {
      clearInterval(beats);
      brake.close();
      for (const end of stop) end();
    },
  };
}
