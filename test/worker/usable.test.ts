/** Workers that a gateway cannot use are reported, and requests that none can serve are refused. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WorkerPool } from '../../src/gateway/workers/pool.js';
import type { Offer } from '../../src/worker/nats-wire.js';
import { hasNats, type NatsServer, startNats } from '../../testkit/nats.js';
import { errorOf, startTestServer, type TestServer } from '../../testkit/server.js';
import { until } from '../support/books/jobs.js';
import { serveSine, watch } from '../support/processes/nats-workers.js';

const good = { model: 'base-tts-fast', input: 'Good evening, all.', response_format: 'pcm' };
/** Longer than a test may take: a request that waits for a worker fails it. */
const NEVER_MS = 10 * 60_000;

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  let nats: NatsServer;
  let prefix = '';
  let count = 0;
  const open: (() => unknown)[] = [];
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  async function startGateway(styles?: Record<string, string>) {
    count += 1;
    prefix = `usable-${count}`;
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const { pool, workers } = watch(await nats.bus({ prefix }), { textVersion: 'ours', styles, log });
    open.push(() => workers.close());
    const server = await startTestServer({
      log,
      settings: { web: 'key' },
      gateway: {
        pool,
        textVersion: 'ours',
        expects: () => false,
        startPatienceMs: NEVER_MS,
        deadPatienceMs: NEVER_MS,
      },
    });
    open.push(() => server.close());
    const said = (message: string) => lines.filter(({ msg }) => msg === message);
    return { server, pool, said };
  }
  async function work(pool: WorkerPool, id: string, offer: Partial<Offer>) {
    const engine = serveSine(await nats.bus({ prefix }), id, {}, { textVersion: 'ours', ...offer });
    open.push(engine.close);
    await until(() => pool.workers.some((worker) => worker.id === id && worker.state === 'ready'));
    return engine;
  }
  const metric = async (server: TestServer, line: string) =>
    expect((await (await server.get('/metrics', '')).text()).split('\n')).toContain(line);

  describe('a worker that reads text another way', () => {
    it('makes no gateway ready, and is named by readiness, metrics, the dashboard and one line of the log', async () => {
      const { server, pool, said } = await startGateway();
      await metric(server, 'tts_usable_workers{model="base-tts",text_version="ours"} 0');
      await metric(server, 'tts_unusable_workers{reason="text_version"} 0');
      await work(pool, 'w1', { textVersion: 'theirs' });
      const { status, code, message } = await errorOf(await server.get('/readyz', ''));
      expect([status, code]).toEqual([503, 'no_worker_ready']);
      expect(message).toContain(
        'Of the workers, 1 cannot be used: text is read another way there (text version theirs',
      );
      await metric(server, 'tts_workers{state="ready"} 1');
      await metric(server, 'tts_usable_workers{model="base-tts",text_version="ours"} 0');
      await metric(server, 'tts_unusable_workers{reason="text_version"} 1');
      await until(() => said('workers cannot be used by this gateway').length > 0);
      expect(said('workers cannot be used by this gateway')).toMatchObject([
        { level: 40, count: 1, workers: [{ id: 'w1', why: expect.stringContaining('text version theirs') }] },
      ]);
      const shown = await server.get('/admin/v1/status', await server.secret.begin());
      expect(await shown.json()).toMatchObject({
        ready: false,
        readiness: message,
        workers: [{ id: 'w1', state: 'ready', unusable: expect.stringContaining('text version theirs') }],
      });
    });

    it('refuses requests that no worker can serve at once, with their code, and the log says why', async () => {
      const { server, pool, said } = await startGateway();
      await work(pool, 'w1', { textVersion: 'theirs' });
      const response = await server.speak(good);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await errorOf(response)).toMatchObject({ status: 503, code: 'no_worker_ready', param: null });
      expect(said('a request was refused: no worker can serve it')).toMatchObject([{ model: 'base-tts-fast' }]);
      expect(server.gateway.stats.open).toBe(0);
      expect(await server.balance(server.partner.id)).toEqual({ credits: 1_000_000, reserved: 0 });
    });

    it('does no harm beside one that can be used, which readiness says too', async () => {
      const { server, pool } = await startGateway();
      await work(pool, 'w1', { textVersion: 'theirs' });
      await work(pool, 'w2', {});
      const ready = await server.get('/readyz', '');
      expect(ready.status).toBe(200);
      expect(await ready.json()).toMatchObject({
        status: 'ready',
        unusable: expect.stringContaining('1 cannot be used'),
      });
      const response = await server.speak(good);
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      await metric(server, 'tts_usable_workers{model="base-tts",text_version="ours"} 1');
    });
  });

  it('a model that no worker has is refused at once, the others are spoken', async () => {
    const { server, pool } = await startGateway();
    await work(pool, 'w1', { models: ['base-tts-fast'] });
    expect((await server.get('/readyz', '')).status).toBe(200);
    await metric(server, 'tts_usable_workers{model="base-tts",text_version="ours"} 0');
    await metric(server, 'tts_usable_workers{model="base-tts-fast",text_version="ours"} 1');
    expect((await server.speak({ ...good, model: 'base-tts' })).status).toBe(503);
    const response = await server.speak(good);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

  it('says so where it is the styles, or where the models are others altogether', async () => {
    const { server, pool } = await startGateway({ af_heart: 'a', bf_emma: 'b' });
    await work(pool, 'w1', { styles: { af_heart: 'of another release' } });
    await work(pool, 'w2', { models: [] });
    const { message } = await errorOf(await server.get('/readyz', ''));
    expect(message).toContain('its voice styles are not those of this gateway');
    expect(message).toContain('it offers none of the models');
    await metric(server, 'tts_unusable_workers{reason="styles"} 1');
    await metric(server, 'tts_unusable_workers{reason="model"} 1');
  });

  it('no worker at all is none that can speak, and one that stops is none for what comes next', async () => {
    const { server, pool } = await startGateway();
    expect((await server.speak(good)).status).toBe(503);
    const engine = await work(pool, 'w1', {});
    await (await server.speak(good)).arrayBuffer();
    expect((await server.get('/readyz', '')).status).toBe(200);
    void engine.server.drain(NEVER_MS);
    await until(() => !server.gateway.ready);
    expect((await server.speak(good)).status).toBe(503);
    await metric(server, 'tts_unusable_workers{reason="draining"} 1');
  });

  it('one that starts is waited for', async () => {
    const { server, pool } = await startGateway();
    await work(pool, 'w1', { textVersion: 'theirs' });
    const starting = serveSine(await nats.bus({ prefix }), 'w2', { startMs: 300 }, { textVersion: 'ours' });
    open.push(starting.close);
    await until(() => pool.counts.starting === 1);
    const response = await server.speak(good);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });
}
