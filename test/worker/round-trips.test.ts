/** Workers far away are given more steps at once, as many as the round trip needs. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AdmissionController } from '../../src/gateway/admission-controller.js';
import type { SpeechStream } from '../../src/gateway/speech-stream.js';
import { Wants } from '../../src/gateway/wants.js';
import { InFlight } from '../../src/gateway/workers/in-flight.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import type { Worker } from '../../src/gateway/workers/worker.js';
import { hasNats, type NatsServer, startNats } from '../../testkit/nats.js';
import { startProxy } from '../../testkit/proxy.js';
import { startTestServer } from '../../testkit/server.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { until } from '../support/books/jobs.js';
import { serveSine, watch, workerNamed } from '../support/processes/nats-workers.js';

describe('steps in flight', () => {
  const learn = (tripsMs: number[], stepsMs: number[]) => {
    const inFlight = new InFlight();
    for (const ms of tripsMs) inFlight.tripTook(ms);
    for (const ms of stepsMs) inFlight.stepTook(ms);
    return inFlight;
  };

  it('are those of a worker nearby until round trip and step were measured, and where the trip is short', () => {
    expect(new InFlight()).toMatchObject({ ahead: 0, ofAJob: 2, roundTripMs: 0 });
    expect(learn([150], [])).toMatchObject({ ahead: 0, ofAJob: 2, roundTripMs: 150 });
    expect(learn([], [80])).toMatchObject({ ahead: 0, ofAJob: 2 });
    expect(learn([2, 1, 3], [1])).toMatchObject({ ahead: 0, ofAJob: 2, roundTripMs: 1 });
  });

  it('are as many more as an engine finishes during a round trip, and some', () => {
    const ahead = [20, 50, 150, 300].map((tripMs) => learn([tripMs], [80]).ahead);
    expect(ahead).toEqual([1, 1, 3, 6]);
    for (const [i, tripMs] of [20, 50, 150, 300].entries())
      expect((2 + ahead[i]!) * 80).toBeGreaterThanOrEqual(tripMs + 80);
  });

  it('follow the duration of steps, and are not misled by a few that take no time', () => {
    const inFlight = learn([150], [0, 0, 0]);
    expect(inFlight.ahead).toBeLessThan(6);
    for (let i = 0; i < 200; i++) inFlight.stepTook(10);
    expect(inFlight.ahead).toBeGreaterThan(20);
    for (let i = 0; i < 200; i++) inFlight.stepTook(300);
    expect(inFlight.ahead).toBe(1);
  });

  it('go by the shortest of the last trips, and follow when all of them become longer or shorter', () => {
    const inFlight = learn([150, 900, 150, 700], [75]);
    const before = inFlight.ahead;
    expect(inFlight.roundTripMs).toBe(150);
    for (let i = 0; i < 8; i++) inFlight.tripTook(300);
    expect(inFlight.ahead).toBeGreaterThan(before);
    expect(inFlight.tripTook(1)).toBe(true);
    expect(inFlight.ahead).toBe(0);
  });

  it('are bounded, whatever is claimed', () => {
    expect(learn([9_000], Array(500).fill(0))).toMatchObject({ ahead: 128, ofAJob: 16 });
    expect(learn([-5, Number.NaN, 1e9], [80])).toMatchObject({ ahead: 0, roundTripMs: 0 });
  });
});

describe('admission', () => {
  /** Whether one more is admitted beside a stream that wants 2.9 s of a worker within 3.4 s. */
  const admits = (roundTripMs: number): boolean => {
    const worker: Partial<Worker> = {
      id: 'far',
      state: 'ready',
      busy: 0,
      roundTripMs,
      onChange: () => () => undefined,
    };
    const clock = new VirtualClock();
    const pool = new WorkerPool([worker as Worker], clock);
    const admission = new AdmissionController({ pool, costs: { 'base-tts-fast': 0.1 } }, clock);
    const order = { model: 'base-tts-fast', voice: 'v', seed: 0, owner: 'a', requestId: 'r' } as const;
    const wants = new Wants();
    wants.add(3_400, 2_900, 0, 0);
    wants.endsAt(4_000);
    const open = { order, wants: () => wants } as unknown as SpeechStream;
    try {
      admission.admit({ ...order, chars: 1 }, [open], 0);
      return true;
    } catch {
      return false;
    }
  };

  it('counts the round trip: what a worker nearby has in time, one far away has not', () => {
    expect(admits(0)).toBe(true);
    expect(admits(600)).toBe(false);
  });
});

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  let nats: NatsServer;
  const open: (() => unknown)[] = [];
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  it('rise with the round trip to a real worker, and every step is given back', { timeout: 120_000 }, async () => {
    const proxy = await startProxy(nats);
    open.push(() => proxy.close());
    const near = await nats.bus();
    const far = await nats.bus({ servers: `nats://127.0.0.1:${proxy.port}` });
    const engine = serveSine(near, 'w1', { pace: 10, chunkMs: 200 });
    open.push(engine.close);
    const { pool, workers } = watch(far);
    open.push(() => workers.close());
    const worker = await workerNamed(pool, 'w1');
    const server = await startTestServer({ gateway: { pool, lookahead: 3 } });
    open.push(() => server.close());
    const listeners = new AbortController();
    const { signal } = listeners;
    const input = 'The four of them walked back along the river to the old house. '.repeat(30);
    const statuses = new Set<number>();
    const heard = Array.from({ length: 8 }, async () => {
      while (!signal.aborted) {
        const response = await server.speak({ model: 'base-tts-fast', input, stream: true }, { signal });
        statuses.add(response.status);
        for await (const _ of response.body!);
      }
    });
    const ended = Promise.allSettled(heard);

    /** Most steps in flight: room for a sixteenth is left until more of it is free. */
    const mostAt = async (delayMs: number, condition: () => boolean): Promise<number> => {
      proxy.delay(delayMs);
      await until(condition);
      let most = 0;
      await until(() => {
        most = Math.max(most, worker.busy);
        return most > 0 && most >= worker.capacity - Math.floor(worker.capacity / 16);
      });
      return most;
    };
    const close = await mostAt(0, () => worker.busy > 0);
    const away = await mostAt(40, () => worker.roundTripMs! >= 50 && worker.capacity > 2);
    const further = await mostAt(400, () => worker.roundTripMs! >= 600);
    expect(away).toBeGreaterThan(close);
    expect(further).toBeGreaterThan(away);
    expect(server.gateway.stats.workers.ready).toBe(1);

    proxy.delay(0);
    listeners.abort();
    await ended;
    expect([...statuses]).toEqual([200]);
    await until(() => worker.busy === 0 && worker.idle);
  });
}
