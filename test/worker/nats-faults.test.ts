/** Faults between machines, of workers, messages and the broker: no byte of audio changes. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import type { ObservableGateway } from '../../src/gateway/types.js';
import type { WorkerPool } from '../../src/gateway/workers/pool.js';
import { WorkerLost } from '../../src/gateway/workers/worker.js';
import { silentLogger } from '../../src/log.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import type { Bus } from '../../src/worker/nats-bus.js';
import { hasNats, type NatsServer, startNats } from '../../testkit/nats.js';
import { collect, failureOf, grantAll, jobOf, until } from '../support/books/jobs.js';
import { hear, orderOf } from '../support/orders.js';
import { serveSine, watch, workerNamed } from '../support/processes/nats-workers.js';

const never = new AbortController().signal;
const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
const TEXTS = [
  'Good evening, everybody.',
  'The train to the north leaves at seven.',
  'Mind the gap, and hold on tight.',
];
const SINE = { msPerChar: 40, pace: 4 };

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function broker(): Promise<NatsServer> {
  const nats = await startNats();
  open.push(() => nats.close());
  return nats;
}

function gatewayOf(bus: Bus): { gateway: ObservableGateway; pool: WorkerPool } {
  const { pool, workers } = watch(bus);
  const gateway = createGateway({ pool, catalogue: loadCatalogue(), log: silentLogger(), queueLimit: 100 });
  open.push(async () => {
    await gateway.close();
    workers.close();
  });
  return { gateway, pool };
}

const listen = (gateway: ObservableGateway, onPiece?: (count: number) => unknown): Promise<Buffer> =>
  hear(gateway, orderOf(), TEXTS, onPiece);

/** `tts worker` as its users run it. */
async function startWorker(nats: NatsServer, sine: object = SINE): Promise<ChildProcess> {
  const child = spawn(process.execPath, [BIN, 'worker', '--workers', '1', '--nats-prefix', 'test'], {
    env: { ...process.env, TTS_NATS: nats.url, TTS_ENGINE: 'sine', TTS_SINE_OPTIONS: JSON.stringify(sine) },
    stdio: 'ignore',
    // Its engines are frozen with it.
    detached: true,
  });
  open.push(() => {
    for (const signal of ['SIGCONT', 'SIGKILL'] as const) {
      try {
        process.kill(-child.pid!, signal);
      } catch {
        // It has ended.
      }
    }
  });
  return child;
}

const ready = (pool: WorkerPool) => pool.workers.filter((worker) => worker.state === 'ready').length;

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('workers on NATS', () => {
    for (const [how, signal] of [
      ['killed', 'SIGKILL'],
      ['frozen', 'SIGSTOP'],
    ] as const) {
      it(`that are ${how} in the middle of a sentence are not heard`, async () => {
        const nats = await broker();
        const { gateway, pool } = gatewayOf(await nats.bus());
        const workers = [await startWorker(nats), await startWorker(nats)];
        await until(() => ready(pool) === 2);
        const undisturbed = await listen(gateway);
        expect(undisturbed.length).toBeGreaterThan(100_000);
        const heard = await listen(gateway, async (count) => {
          if (count === 3) process.kill(-workers[0]!.pid!, signal);
        });
        expect(heard.equals(undisturbed)).toBe(true);
        await until(() => ready(pool) === 1);
      });
    }

    it('finish their jobs and take no new ones when they are stopped, and announce that they are gone', async () => {
      const nats = await broker();
      const { gateway, pool } = gatewayOf(await nats.bus());
      const first = await startWorker(nats);
      await until(() => ready(pool) === 1);
      const undisturbed = await listen(gateway);
      const exited = new Promise((resolve) => first.once('exit', resolve));
      const heard = await listen(gateway, async (count) => {
        if (count !== 2) return;
        first.kill('SIGTERM');
        await startWorker(nats);
      });
      expect(heard.equals(undisturbed)).toBe(true);
      expect(await exited).toBe(0);
      await until(() => pool.workers.length === 1);
    });

    it('go on after the broker was started again, and so does what was being spoken', async () => {
      const nats = await broker();
      const { gateway, pool } = gatewayOf(await nats.bus());
      open.push(serveSine(await nats.bus(), 'w1', SINE).close);
      await until(() => ready(pool) === 1);
      const undisturbed = await listen(gateway);
      const heard = await listen(gateway, async (count) => {
        if (count !== 3) return;
        await nats.kill();
        void sleep(1_000).then(nats.start);
      });
      expect(heard.equals(undisturbed)).toBe(true);
    });

    it('are given nothing that they have no model for, no style for, or would read another way', async () => {
      const nats = await broker();
      const bus = await nats.bus();
      const styles = { af_heart: 'a1', bf_emma: 'b1' };
      const { pool, workers } = watch(bus, { styles });
      open.push(() => workers.close());
      const theirs = await nats.bus();
      const offers = {
        all: { styles },
        fast: { models: ['base-tts-fast'], styles },
        other: { styles: { af_heart: 'a2', bf_emma: 'b1' } },
        later: { styles, textVersion: 'another' },
      } as const;
      for (const [id, offer] of Object.entries(offers)) open.push(serveSine(theirs, id, {}, offer).close);
      await until(() => ready(pool) === 4);
      const takers = (job: ReturnType<typeof jobOf>) =>
        pool.workers
          .filter((worker) => worker.takes(job))
          .map(({ id }) => id)
          .sort();
      expect(takers(jobOf('Hi.'))).toEqual(['all']);
      expect(takers(jobOf('Hi.', { model: 'base-tts-fast' }))).toEqual(['all', 'fast']);
      expect(takers(jobOf('Hi.', { mix: [{ style: 'bf_emma', weight: 1 }] }))).toEqual(['all', 'other']);
      expect(takers(jobOf('Hi.', { mix: [{ style: 'zf_new', weight: 1 }] }))).toEqual([]);
    });

    it('share their steps among gateways, and keep jobs apart that have the same id', async () => {
      const nats = await broker();
      open.push(serveSine(await nats.bus(), 'w1', { msPerChar: 40, pace: 20 }).close);
      const views = await Promise.all([nats.bus(), nats.bus()].map(async (bus) => watch(await bus)));
      const spoken = await Promise.all(
        views.map(async ({ pool, workers }, i) => {
          open.push(() => workers.close());
          const worker = await workerNamed(pool, 'w1');
          await until(() => worker.state === 'ready');
          worker.onChange(() => grantAll(worker));
          const jobs = TEXTS.map((text, at) => jobOf(text, { id: `job-${at}`, seed: i }));
          return Promise.all(jobs.map((job) => collect(worker.run(job, new AbortController().signal))));
        }),
      );
      for (const [at] of TEXTS.entries()) {
        expect(spoken[0]![at]!.pcm.length).toBe(spoken[1]![at]!.pcm.length);
        expect(spoken[0]![at]!.pcm).not.toEqual(spoken[1]![at]!.pcm);
      }
    });

    it('have a message lost: the segment fails and can be spoken again, without a gap', async () => {
      const nats = await broker();
      const bus = await nats.bus();
      let drop = 0;
      // What a broker does to a reader that is too slow.
      const lossy: Bus = Object.assign(Object.create(bus) as Bus, {
        subscribe: (subject: string, receive: (payload: Uint8Array, subject: string) => void) =>
          bus.subscribe(subject, (payload, from) => {
            if (payload[0] === 1 && drop > 0 && --drop === 0) return;
            receive(payload, from);
          }),
        publish: bus.publish.bind(bus),
        onChange: bus.onChange.bind(bus),
      });
      Object.defineProperty(lossy, 'connected', { get: () => bus.connected });
      const { pool, workers } = watch(lossy);
      open.push(() => workers.close());
      open.push(serveSine(await nats.bus(), 'w1', SINE).close);
      const worker = await workerNamed(pool, 'w1');
      await until(() => worker.state === 'ready');
      worker.onChange(() => grantAll(worker));
      const job = () => jobOf(TEXTS[1]!);
      const undisturbed = await collect(worker.run(job(), never));
      drop = 3;
      const error = await failureOf(() => worker.run(job(), never));
      expect(error).toBeInstanceOf(WorkerLost);
      expect(error).toMatchObject({ blameless: true });
      expect((await collect(worker.run(job(), never))).pcm).toEqual(undisturbed.pcm);
      // The last of all is missed as well, by what the worker says that it sent.
      drop = undisturbed.chunks;
      expect(await failureOf(() => worker.run(job(), never))).toBeInstanceOf(WorkerLost);
      expect(worker.restarts).toBe(0);
    });

    it('are kept while their engine runs silently for longer than the time-out', async () => {
      const nats = await broker();
      const { pool, workers } = watch(await nats.bus(), { silenceMs: 1_000 });
      open.push(() => workers.close());
      const engine = serveSine(await nats.bus(), 'w1', { spinOn: 'spin', hangMs: 5_000 });
      open.push(engine.close);
      const worker = await workerNamed(pool, 'w1');
      await until(() => worker.state === 'ready');
      worker.onChange(() => grantAll(worker));
      const pid = engine.pid();
      expect((await collect(worker.run(jobOf('spin'), never))).pcm.length).toBeGreaterThan(0);
      expect([engine.pid(), worker.restarts]).toEqual([pid, 0]);
    });

    it('stop the jobs of a gateway that is gone', async () => {
      const nats = await broker();
      const ours = await nats.bus();
      const { pool, workers } = watch(ours);
      const engine = serveSine(await nats.bus(), 'w1', { msPerChar: 200, pace: 1 });
      open.push(engine.close);
      const worker = await workerNamed(pool, 'w1');
      await until(() => worker.state === 'ready');
      const running = failureOf(() => worker.run(jobOf('A sentence that takes a while to say.'), never));
      workers.close();
      // Nothing of it is said any more: no beat, no farewell.
      await ours.close();
      const other = watch(await nats.bus());
      open.push(() => other.workers.close());
      const seen = await workerNamed(other.pool, 'w1');
      await until(() => seen.state === 'ready');
      await until(() => seen.others === 0 && seen.takes(jobOf('Hi.')));
      seen.onChange(() => grantAll(seen));
      expect((await collect(seen.run(jobOf('Hi'), never))).pcm.length).toBeGreaterThan(0);
      await worker.close();
      expect(await running).toBeInstanceOf(WorkerLost);
    });
  });
}
