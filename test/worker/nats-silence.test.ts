/** When a gateway takes a worker on NATS for lost, gone and back, on a virtual clock. */
import { beforeEach, expect, it } from 'vitest';
import { NatsWorkers } from '../../src/gateway/workers/nats-workers.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import { WorkerLost } from '../../src/gateway/workers/worker.js';
import { silentLogger } from '../../src/log.js';
import type { Bus } from '../../src/worker/nats-bus.js';
import { BEAT_MS, encode, SUBJECT } from '../../src/worker/nats-wire.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { failureOf, jobOf } from '../support/books/jobs.js';

const FACTS = { description: 'sine', version: '1', models: ['base-tts'], textVersion: 'sine', capacity: 2 };
const never = new AbortController().signal;

let clock: VirtualClock;
let pool: WorkerPool;
/** Delivers a message as the broker would. */
let deliver: (subject: string, message: object) => void;
const sent: string[] = [];

beforeEach(() => {
  clock = new VirtualClock();
  clock.skip(1_000);
  pool = new WorkerPool([], clock);
  sent.length = 0;
  const receivers = new Map<string, (payload: Uint8Array, subject: string) => void>();
  const bus: Bus = {
    connected: true,
    publish: (_subject, payload) => {
      const { type } = JSON.parse(Buffer.from(payload).toString()) as { type?: string };
      if (type !== undefined) sent.push(type);
    },
    subscribe: (subject, receive) => {
      receivers.set(subject, receive);
      return () => receivers.delete(subject);
    },
    onChange: () => () => undefined,
    close: async () => undefined,
  };
  deliver = (subject, message) => receivers.get(subject)?.(encode(message), subject);
  new NatsWorkers({ bus, pool, clock, textVersion: 'sine', styles: undefined, log: silentLogger() });
});

const announce = (life = '1', id = 'w1') =>
  deliver(SUBJECT.workers, { v: 1, id, life, state: 'ready', turns: 0, facts: FACTS });
/** Lets so many beats pass, with an announcement each. */
async function beats(count: number, life = '1'): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    announce(life);
    await clock.advance(BEAT_MS);
  }
}
const states = () => pool.workers.map(({ state }) => state);

it('is lost within two seconds without an announcement, back with the next, and forgotten after half a minute', async () => {
  await beats(5);
  expect(states()).toEqual(['ready']);
  await clock.advance(2_000);
  expect(states()).toEqual(['dead']);
  announce();
  expect(states()).toEqual(['ready']);
  await clock.advance(29_000);
  expect(states()).toEqual(['dead']);
  await clock.advance(2_000);
  expect(states()).toEqual([]);
});

it('is kept where this process was stopped itself and could not listen', async () => {
  await beats(5);
  clock.skip(60_000);
  await clock.advance(BEAT_MS);
  expect(states()).toEqual(['ready']);
});

it('loses its jobs with a new epoch, and counts a restart', async () => {
  await beats(1);
  const [worker] = pool.workers;
  const lost = failureOf(() => worker!.run(jobOf('Hi.'), never));
  await beats(1, '2');
  expect(await lost).toBeInstanceOf(WorkerLost);
  expect([worker!.restarts, worker!.state, worker!.idle]).toEqual([1, 'ready', true]);
});

it('is given nothing for a while in an epoch whose engine stood still, and is told so', async () => {
  await beats(1);
  const [worker] = pool.workers;
  const lost = failureOf(() => worker!.run(jobOf('Hi.'), never));
  for (let i = 0; i < 2_000 && worker!.state === 'ready'; i += 1) await beats(1);
  expect(await lost).toMatchObject({ blameless: false });
  expect(sent).toContain('silent');
  await beats(50);
  expect(states()).toEqual(['dead']);
  await beats(50);
  expect(states()).toEqual(['ready']);
});
