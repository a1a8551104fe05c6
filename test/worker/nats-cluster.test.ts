/** A broker of three processes: each is killed while many listen, and no byte of audio changes. */
import { afterEach, describe, expect, it } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import type { ObservableGateway } from '../../src/gateway/types.js';
import { silentLogger } from '../../src/log.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { hasNats, type NatsServer, startNatsCluster } from '../../testkit/nats.js';
import { until } from '../support/books/jobs.js';
import { hear, orderOf } from '../support/orders.js';
import { serveSine, watch } from '../support/processes/nats-workers.js';

const TEXTS = [
  'Good evening, everybody.',
  'The train to the north leaves at seven.',
  'Mind the gap, and hold on tight.',
];
const LISTENERS = 8;
const SINE = { msPerChar: 40, pace: 6 };

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Listener {
  pieces: number;
  readonly heard: Promise<Buffer>;
}

function listen(gateway: ObservableGateway, seed: number): Listener {
  const listener = { pieces: 0 };
  const heard = hear(gateway, orderOf({ seed, owner: `owner ${seed}` }), TEXTS, (count) => {
    listener.pieces = count;
  });
  return Object.assign(listener, { heard });
}

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('three NATS servers in a cluster', () => {
    async function cluster(): Promise<{ servers: NatsServer[]; urls: string }> {
      const servers = await startNatsCluster(3);
      open.push(() => Promise.all(servers.map((server) => server.close())));
      return { servers, urls: servers.map(({ url }) => url).join(',') };
    }

    it('may lose each of them under load: nothing is lost, and no listener hears it', async () => {
      const { servers, urls } = await cluster();
      // One worker is told of one server alone, and hears of the others from that one.
      const buses = [
        await servers[0]!.bus({ servers: urls }),
        await servers[1]!.bus(),
        await servers[2]!.bus({ servers: urls }),
      ];
      const { pool, workers } = watch(buses[0]!);
      const gateway = createGateway({ pool, catalogue: loadCatalogue(), log: silentLogger(), queueLimit: 100 });
      open.push(async () => {
        await gateway.close();
        workers.close();
      });
      for (const n of [1, 2]) open.push(serveSine(buses[n]!, `w${n}`, SINE, { capacity: 4 }).close);
      const ready = () => pool.workers.filter((worker) => worker.state === 'ready').length;
      await until(() => ready() === 2);
      const undisturbed = await Promise.all(
        Array.from({ length: LISTENERS }, (_, seed) => listen(gateway, seed).heard),
      );
      for (const sound of undisturbed) expect(sound.length).toBeGreaterThan(100_000);

      for (const server of servers) {
        const listeners = Array.from({ length: LISTENERS }, (_, seed) => listen(gateway, seed));
        await until(() => listeners.every(({ pieces }) => pieces > 1));
        await server.kill();
        const heard = await Promise.all(listeners.map((listener) => listener.heard));
        expect(heard.map((sound, seed) => sound.equals(undisturbed[seed]!))).toEqual(Array(LISTENERS).fill(true));
        await server.start();
        await until(() => ready() === 2);
      }
      const after = await listen(gateway, 3).heard;
      expect(after.equals(undisturbed[3]!)).toBe(true);
    }, 180_000);

    it('are reached where one of the addresses is of one that is down, and by an address of one alone', async () => {
      const { servers, urls } = await cluster();
      await servers[0]!.kill();
      const { pool, workers } = watch(await servers[1]!.bus({ servers: urls }));
      open.push(() => workers.close());
      open.push(serveSine(await servers[2]!.bus(), 'w').close);
      await until(() => pool.state === 'ready');
    });
  });
}
