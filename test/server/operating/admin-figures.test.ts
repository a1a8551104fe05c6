/** What the dashboard's pages ask for: rotation of a key, usage over time, workers and settings. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, until } from '../../../testkit/server.js';
import { StreamClient } from '../../stream-input/client.js';

const FAST = 'base-tts-fast';

describe('the admin interface', () => {
  let server: TestServer;
  let secret: string;
  beforeAll(async () => {
    server = await startTestServer({ settings: { web: 'auto' } });
    secret = (await server.secret.begin())!;
  });
  afterAll(() => server.close());
  const ask = (path: string, { method = 'GET', body, bearer = secret }: Ask = {}) =>
    fetch(`${server.baseUrl}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  // biome-ignore lint/suspicious/noExplicitAny: any answer.
  const json = async (path: string, options?: Ask): Promise<any> => (await ask(path, options)).json();
  const speak = async (key: string) => {
    const response = await server.speak({ model: FAST, input: 'Hi.' }, { key });
    await response.arrayBuffer();
    return response.status;
  };

  it('gives a key another secret and keeps its id, credits and ledger', async () => {
    const { key, id } = await server.key({ name: 'phone', credits: 50 });
    expect(await speak(key)).toBe(200);
    await until(async () => (await server.ledger(id)).length === 1);
    const rotated = await json(`/keys/${id}/rotate`, { method: 'POST', body: { grace_s: 3_600 } });
    expect(rotated).toMatchObject({ id, name: 'phone', credits: 47, previous_ends_at: expect.any(String) });
    expect([await speak(key), await speak(rotated.key)]).toEqual([200, 200]);
    await until(async () => (await server.ledger(id)).length === 3);
    const again = await json(`/keys/${id}/rotate`, { method: 'POST', body: {} });
    expect(again).toMatchObject({ id, credits: 41, previous_ends_at: null, rotated_at: expect.any(String) });
    expect([await speak(key), await speak(rotated.key), await speak(again.key)]).toEqual([401, 401, 200]);
    await until(async () => (await server.ledger(id)).length === 4);
    const { data } = await json('/keys');
    expect(JSON.stringify(data)).not.toContain(again.key.slice(12));
  });

  it('ends sessions of a secret that was replaced at once, and no others', async () => {
    const { key, id } = await server.key();
    const open = (bearer: string) =>
      StreamClient.open({ port: server.port, partner: { key: bearer } } as never, {
        query: { inactivity_timeout: 180 },
      });
    const before = await open(key);
    const { key: second } = await json(`/keys/${id}/rotate`, { method: 'POST', body: { grace_s: 600 } });
    const between = await open(second);
    await json(`/keys/${id}/rotate`, { method: 'POST', body: { grace_s: 600 } });
    expect(await before.closed).toBe(1008);
    expect((await json('/sessions')).data.map(({ key_id }: { key_id: string }) => key_id)).toEqual([id]);
    between.socket.close();
  });

  it('refuses to rotate what is not there or was revoked, and a grace out of bounds', async () => {
    const { id } = await server.key();
    const rotate = async (path: string, body: unknown) => {
      const response = await ask(`/keys/${path}/rotate`, { method: 'POST', body });
      return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
    };
    expect(await rotate('AAAAAAAA', {})).toEqual([404, 'key_not_found']);
    expect(await rotate(id, { grace_s: -1 })).toEqual([400, 'invalid_value']);
    expect(await rotate(id, { grace_s: 1e9 })).toEqual([400, 'invalid_value']);
    await server.keyring.revoke(id);
    expect(await rotate(id, {})).toEqual([409, 'key_revoked']);
    expect((await ask(`/keys/${id}/rotate`, { method: 'POST', body: {}, bearer: server.partner.key })).status).toBe(
      403,
    );
  });

  it('gives usage of a range over time and by key; the holder of a key sees their own', async () => {
    const { key, id } = await server.key();
    await speak(key);
    for (const [range, step] of [
      ['hour', 60],
      ['day', 3_600],
      ['week', 3_600],
      ['month', 86_400],
      ['year', 86_400],
    ] as const) {
      const series = await json(`/usage/series?range=${range}&key=${id}`);
      expect(series).toMatchObject({ range, step_s: step, keys: [{ key_id: id, model: FAST, requests: 1 }] });
      expect(series.times).toMatchObject([{ model: FAST, requests: 1, characters: 3 }]);
      const [since, time, until] = [series.since, series.times[0].time, series.until].map(Date.parse);
      expect([since! < time!, time! <= until! + step * 1000, (time! - since!) % (step * 1000)]).toEqual([
        true,
        true,
        0,
      ]);
    }
    expect((await json('/usage/series', { bearer: key })).keys).toMatchObject([{ key_id: id, requests: 1 }]);
    expect((await ask('/usage/series?range=decade')).status).toBe(400);
  });

  it('tells the operator of workers, versions and settings', async () => {
    const status = await json('/status');
    expect(status.workers[0]).toMatchObject({
      state: 'ready',
      models: ['base-tts', FAST],
      round_trip_ms: 0,
      others: 0,
    });
    const settings = await json('/settings');
    expect(settings).toMatchObject({ version: '0.0.0-test', accounts: 'sqlite', node: process.version, settings: [] });
    expect(settings.voices.count).toBeGreaterThan(30);
    expect((await ask('/settings', { bearer: server.partner.key })).status).toBe(403);
  });
});

interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly bearer?: string;
}
