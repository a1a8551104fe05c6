/** Engines behind a NATS server as `tts worker` serves them, and the gateway's view of them. */
import type { SineOptions } from '../../../src/engine/sine.js';
import { EngineProcess } from '../../../src/gateway/workers/engine-process.js';
import { NatsWorkers, type NatsWorkersOptions } from '../../../src/gateway/workers/nats-workers.js';
import { WorkerPool } from '../../../src/gateway/workers/pool.js';
import type { Worker } from '../../../src/gateway/workers/worker.js';
import { silentLogger } from '../../../src/log.js';
import type { Bus } from '../../../src/worker/nats-bus.js';
import type { Offer } from '../../../src/worker/nats-wire.js';
import { NatsServer } from '../../../src/worker/serve-nats.js';
import { until } from '../books/jobs.js';
import { pidLog } from './pid-log.js';

const OFFER: Offer = { models: ['base-tts', 'base-tts-fast'], textVersion: 'sine', capacity: 2 };

export interface ServedSine {
  readonly server: NatsServer;
  /** Of the engine's process. */
  pid(): number;
  close(): Promise<void>;
}

/** An engine for gateways. */
export function serveSine(bus: Bus, id: string, sine: SineOptions = {}, offer: Partial<Offer> = {}): ServedSine {
  const { log, pid } = pidLog();
  let engine: EngineProcess | undefined;
  const server = new NatsServer({
    bus,
    id,
    offer: { ...OFFER, ...offer },
    log,
    open(listener) {
      engine = new EngineProcess({ options: { engine: 'sine', sine }, log: log.child({}), backoffMs: 20 }, listener);
      return engine;
    },
  });
  return {
    server,
    pid,
    async close() {
      server.close();
      await engine?.close();
    },
  };
}

/** A gateway's pool of what is on the bus. */
export function watch(bus: Bus, more: Partial<NatsWorkersOptions> = {}): { pool: WorkerPool; workers: NatsWorkers } {
  const pool = new WorkerPool();
  const options = { bus, pool, textVersion: 'sine', styles: undefined, log: silentLogger() };
  return { pool, workers: new NatsWorkers({ ...options, ...more }) };
}

export async function workerNamed(pool: WorkerPool, id: string): Promise<Worker> {
  await until(() => pool.workers.some((worker) => worker.id === id));
  return pool.workers.find((worker) => worker.id === id)!;
}
