/** The workers on a NATS server: each is put into the pool when it first announces itself. */
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock, type Timer } from '../../clock.js';
import type { Logger } from '../../log.js';
import { LogBrake } from '../../worker/log-brake.js';
import type { Bus } from '../../worker/nats-bus.js';
import { parseAnnouncement, parseReply } from '../../worker/nats-messages.js';
import { type Announcement, BEAT_MS, encode, SUBJECT, WIRE_VERSION, workerOf } from '../../worker/nats-wire.js';
import { NATS } from '../tuning.js';
import { NatsWorker } from './nats-worker.js';
import type { WorkerPool } from './pool.js';

export interface NatsWorkersOptions {
  readonly bus: Bus;
  readonly pool: WorkerPool;
  readonly textVersion: string;
  readonly styles: Readonly<Record<string, string>> | undefined;
  readonly log: Logger;
  readonly silenceMs?: number;
  readonly clock?: Clock;
}

export class NatsWorkers {
  readonly #options: NatsWorkersOptions;
  readonly #clock: Clock;
  readonly #gateway = randomUUID();
  readonly #workers = new Map<string, NatsWorker>();
  readonly #incompatible = new Set<string>();
  readonly #brake: LogBrake;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #beats: Timer;
  #beatMs: number;

  constructor(options: NatsWorkersOptions) {
    const { bus, log, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#brake = new LogBrake(log, clock);
    this.#beatMs = clock.now();
    this.#unsubscribe = [
      bus.subscribe(SUBJECT.workers, (payload) => this.#receive(payload)),
      // One subscription for all links, made early: interest in a subject takes time through a
      // cluster.
      bus.subscribe(SUBJECT.link(this.#gateway, '*'), (payload, subject) => this.#receiveReply(payload, subject)),
      bus.onChange(() => bus.connected && this.#hello()),
    ];
    this.#beats = clock.setInterval(() => this.#beat(), BEAT_MS).unref();
    this.#hello();
  }

  close(): void {
    this.#beats.cancel();
    this.#brake.close();
    for (const end of this.#unsubscribe) end();
  }

  #hello(): void {
    this.#options.bus.publish(SUBJECT.hello, encode({ v: WIRE_VERSION }));
  }

  #receive(payload: Uint8Array): void {
    const news = parseAnnouncement(payload);
    if (news === undefined)
      this.#brake.write('warn', {}, 'an announcement of a worker is not understood and is left alone');
    else if ('otherVersion' in news) this.#leaveAlone(news.id, news.otherVersion);
    else this.#announced(news);
  }

  #leaveAlone(id: string, theirs: number): void {
    if (this.#incompatible.has(id)) return;
    if (this.#incompatible.size < NATS.mostIncompatible) this.#incompatible.add(id);
    this.#brake.write('warn', { worker: id, theirs, ours: WIRE_VERSION }, 'a worker of another version is left alone');
  }

  #announced(news: Announcement): void {
    const { id, state, facts } = news;
    const known = this.#workers.get(id);
    if (known !== undefined) {
      known.announced(news);
      if (state === 'gone') this.#forget(id, known);
      return;
    }
    if (state === 'gone') return;
    if (this.#workers.size >= NATS.mostWorkers) {
      this.#brake.write('warn', { worker: id, most: NATS.mostWorkers }, 'one worker too many is left alone');
      return;
    }
    const { pool } = this.#options;
    const allSilent = () => this.#allSilent();
    const worker = new NatsWorker({ ...this.#options, clock: this.#clock, gateway: this.#gateway, id, allSilent });
    this.#workers.set(id, worker);
    worker.announced(news);
    pool.add(worker);
    if (facts === undefined) this.#hello();
  }

  #receiveReply(payload: Uint8Array, subject: string): void {
    const link = subject.slice(subject.lastIndexOf('.') + 1);
    const worker = this.#workers.get(workerOf(link));
    if (worker === undefined) return;
    const reply = parseReply(payload);
    if (reply !== undefined) worker.receive(link, reply);
    else this.#brake.write('warn', { worker: worker.id }, 'a reply of a worker is not understood and is left alone');
  }

  #forget(id: string, worker: NatsWorker): void {
    this.#workers.delete(id);
    this.#brake.write('info', { worker: id }, 'worker gone');
    void this.#options.pool.remove(worker);
  }

  #beat(): void {
    const nowMs = this.#clock.now();
    const lateMs = nowMs - this.#beatMs - BEAT_MS;
    this.#beatMs = nowMs;
    for (const [id, worker] of [...this.#workers]) {
      worker.beat(nowMs, lateMs);
      if (worker.silentForMs(nowMs) > NATS.forgetMs) this.#forget(id, worker);
    }
  }

  #allSilent(): boolean {
    const nowMs = this.#clock.now();
    const workers = [...this.#workers.values()];
    return workers.length > 1 && workers.every((worker) => worker.silentForMs(nowMs) > 2 * BEAT_MS);
  }
}
