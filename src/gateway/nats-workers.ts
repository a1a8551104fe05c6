/** The workers on a NATS server, as they come and go: each is put into the pool when it is first heard of. */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../log.js';
import type { Bus } from '../worker/nats-bus.js';
import {
  type Announcement,
  BEAT_MS,
  decode,
  encode,
  type LinkReply,
  SUBJECT,
  WIRE_VERSION,
  workerOf,
} from '../worker/nats-wire.js';
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

export interface NatsWorkers {
  readonly workers: readonly NatsWorker[];
  close(): void;
}

export function watchNatsWorkers({ bus, pool, log, ...options }: NatsWorkersOptions): NatsWorkers {
  const gateway = randomUUID();
  const workers = new Map<string, NatsWorker>();
  const strangers = new Set<string>();
  let beatMs = performance.now();

  const allSilent = (): boolean => {
    const nowMs = performance.now();
    return workers.size > 1 && [...workers.values()].every((worker) => worker.silentForMs(nowMs) > 2 * BEAT_MS);
  };
  const hello = () => bus.publish(SUBJECT.hello, encode({ v: WIRE_VERSION }));

  function announced(news: Announcement | undefined): void {
    if (news === undefined) return;
    if (news.v !== WIRE_VERSION) {
      if (!strangers.has(news.id))
        log.warn({ worker: news.id, theirs: news.v, ours: WIRE_VERSION }, 'a worker of another version is left alone');
      strangers.add(news.id);
      return;
    }
    let worker = workers.get(news.id);
    if (worker === undefined) {
      if (news.state === 'gone') return;
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
    log.info({ worker: id }, 'worker gone');
    void pool.remove(worker);
  }

  const stop = [
    bus.subscribe(SUBJECT.workers, (payload) => announced(decode<Announcement>(payload))),
    // One subscription for all links, made long before the first reply: interest in a subject takes its time through a cluster.
    bus.subscribe(SUBJECT.link(gateway, '*'), (payload, subject) => {
      const reply = decode<LinkReply>(payload);
      const link = subject.slice(subject.lastIndexOf('.') + 1);
      if (reply !== undefined) workers.get(workerOf(link))?.receive(link, reply);
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
      for (const end of stop) end();
    },
  };
}
