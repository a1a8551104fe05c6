/**
 * The admin interface: who may, keys from their making to their end, usage, what happens now, and
 * what failed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, startTestServer, type TestServer, until } from '../../../testkit/server.js';
import { StreamClient } from '../../stream-input/client.js';

const FAST = 'base-tts-fast';

describe('the admin interface', () => {
  let server: TestServer;
  let secret: string;
  beforeAll(async () => {
    server = await startTestServer({
      settings: { web: 'auto' },
      sine: { pace: 2 },
    });
    secret = (await server.secret.begin())!;
  });
  afterAll(() => server.close());

  interface Ask {
    method?: string;
    body?: unknown;
    headers?: Record<string, string>;
  }
  const ask = (path: string, { method = 'GET', body, headers }: Ask = {}): Promise<Response> =>
    fetch(`${server.baseUrl}/admin/v1${path}`, {
      method,
      headers: {
        ...(headers ?? { authorization: `Bearer ${secret}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at as a script would.
  const json = async (path: string, options?: Ask): Promise<any> => {
    const response = await ask(path, options);
    expect(response.headers.get('cache-control')).toBe('no-store');
    return response.json();
  };
  const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';', 1)[0]!;
  const signIn = (secretOrKey: string, headers: Record<string, string> = {}) =>
    ask('/session', { method: 'POST', body: { secret: secretOrKey }, headers });
  const own = () => ({ origin: server.baseUrl });

  describe('lets in', () => {
    it('nobody without the secret', async () => {
      for (const path of [
        '/session',
        '/keys',
        '/usage',
        '/usage.csv',
        '/usage/series',
        '/settings',
        '/status',
        '/sessions',
        '/errors',
      ]) {
        expect(await errorOf(await ask(path, { headers: {} }))).toMatchObject({
          status: 401,
          code: 'sign_in_required',
        });
      }
      const wrong = await ask('/keys', { headers: { authorization: 'Bearer ttsadmin_wrong' } });
      expect(await errorOf(wrong)).toMatchObject({ status: 401, code: 'invalid_secret' });
      const create = await ask('/keys', {
        method: 'POST',
        body: { tier: 'free' },
        headers: { cookie: 'tts_session=x', ...own() },
      });
      expect(create.status).toBe(401);
    });

    it('a page by a cookie that no script reads and no other site sends', async () => {
      const response = await signIn(secret, own());
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ role: 'admin', version: '0.0.0-test' });
      const set = response.headers.get('set-cookie')!;
      expect(set).toMatch(/^tts_session=[\w-]{43}; Path=\/admin\/v1; Max-Age=43200; HttpOnly; SameSite=Strict$/);
      const cookie = cookieOf(response);
      expect((await ask('/keys', { headers: { cookie } })).status).toBe(200);
      const out = await ask('/session', { method: 'DELETE', headers: { cookie, ...own() } });
      expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
      expect((await ask('/keys', { headers: { cookie } })).status).toBe(401);
    });

    it('no other site, which a browser would send the cookie for: another port is the same site to it', async () => {
      const cookie = cookieOf(await signIn(secret, own()));
      const body = { tier: 'free' };
      const foreign = [
        { cookie, origin: 'http://127.0.0.1:9' },
        { cookie, origin: 'https://evil.example' },
        { cookie, origin: 'null' },
        { cookie },
      ];
      for (const headers of foreign) {
        const response = await ask('/keys', { method: 'POST', body, headers });
        expect(await errorOf(response), JSON.stringify(headers)).toMatchObject({ status: 403, code: 'foreign_origin' });
      }
      expect((await ask('/keys', { headers: { cookie, origin: 'http://evil.example' } })).status).toBe(403);
      expect((await ask('/keys', { headers: { cookie, 'sec-fetch-site': 'same-site' } })).status).toBe(403);
      expect((await signIn(secret, { origin: 'https://evil.example' })).status).toBe(403);
      expect((await ask('/keys', { method: 'POST', body, headers: { cookie, ...own() } })).status).toBe(201);
    });

    it('nobody who signed in before the secret was reset', async () => {
      const cookie = cookieOf(await signIn(secret, own()));
      const before = secret;
      secret = await server.secret.reset();
      expect((await ask('/keys', { headers: { cookie } })).status).toBe(401);
      expect((await ask('/keys', { headers: { authorization: `Bearer ${before}` } })).status).toBe(401);
      expect((await ask('/keys')).status).toBe(200);
    });

    it('is braked where secrets are guessed, right or wrong', async () => {
      const other = await startTestServer({ settings: { web: 'auto' } });
      const right = (await other.secret.begin())!;
      const guess = (text: string) =>
        fetch(`${other.baseUrl}/admin/v1/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ secret: text }),
        });
      for (let i = 0; i < 5; i++) expect((await guess(`ttsadmin_${i}`)).status).toBe(401);
      for (const text of ['ttsadmin_5', right]) {
        const response = await guess(text);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await errorOf(response)).toMatchObject({ status: 429, code: 'too_many_failed_keys' });
      }
      await other.close();
    });
  });

  describe('keys', () => {
    it('are made, named, limited, granted and revoked, which takes effect at once', async () => {
      const body = { tier: 'partner', name: 'phone', credits: 50, concurrency: 3 };
      const response = await ask('/keys', { method: 'POST', body });
      expect(response.status).toBe(201);
      const made = (await response.json()) as { id: string; key: string };
      expect(made).toMatchObject({ tier: 'partner', name: 'phone', credits: 50, concurrency: 3, free_daily: null });
      expect((await server.speak({ model: FAST, input: 'Hi.' }, { key: made.key })).status).toBe(200);

      const change = { name: 'tablet', concurrency: 0, free_daily: 7 };
      expect(await json(`/keys/${made.id}`, { method: 'PATCH', body: change })).toMatchObject(change);
      const refused = await server.speak({ model: FAST, input: 'Hi.' }, { key: made.key });
      expect(await errorOf(refused)).toMatchObject({ status: 429, code: 'concurrency_limit_exceeded' });
      expect(await json(`/keys/${made.id}`, { method: 'PATCH', body: { concurrency: null } })).toMatchObject({
        name: 'tablet',
        concurrency: null,
        free_daily: 7,
      });
      const granted = await json(`/keys/${made.id}/grants`, { method: 'POST', body: { credits: 100 } });
      expect(granted).toMatchObject({ credits: 147 });

      const { data } = await json('/keys');
      expect(JSON.stringify(data)).not.toContain(made.key.slice(12));
      const listed = data.find(({ id }: { id: string }) => id === made.id);
      expect(listed).toMatchObject({ name: 'tablet', credits: 147, today: { requests: 1, characters: 3, credits: 3 } });

      expect(await json(`/keys/${made.id}`, { method: 'DELETE' })).toMatchObject({ revoked: true });
      const after = await server.speak({ model: FAST, input: 'Hi.' }, { key: made.key });
      expect(await errorOf(after)).toMatchObject({ status: 401, code: 'revoked_api_key' });
    });

    it('have limits by Free model, and show what each of them has counted today', async () => {
      const byModel = { concurrency: { 'base-tts': 1 }, free_daily: { 'base-tts': 0, 'base-tts-fast': 5 } };
      const made = await json('/keys', { method: 'POST', body: { tier: 'free', ...byModel } });
      expect(made).toMatchObject({ ...byModel, expired: false });
      const spoken = await server.speak({ model: 'base-tts-fast:free', input: 'Hi.' }, { key: made.key });
      expect(spoken.headers.get('x-ratelimit-limit-requests')).toBe('5');
      await spoken.arrayBuffer();
      const refused = await server.speak({ model: 'base-tts:free', input: 'Hi.' }, { key: made.key });
      expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('0');
      expect(await errorOf(refused)).toMatchObject({ status: 429, code: 'daily_limit_exceeded' });
      const { data } = await json('/keys');
      expect(data.find(({ id }: { id: string }) => id === made.id)).toMatchObject({
        ...byModel,
        today: { free_requests: 1, free_requests_by_model: { 'base-tts': 0, 'base-tts-fast': 1 } },
      });
      expect(await json(`/keys/${made.id}`, { method: 'PATCH', body: { free_daily: 9 } })).toMatchObject({
        concurrency: { 'base-tts': 1 },
        free_daily: 9,
      });
    });

    it('are refused with a sentence where something is wrong', async () => {
      const code = async (path: string, options: Ask) => {
        const { status, code, param, message } = await errorOf(await ask(path, options));
        expect(message).not.toContain('one of: must');
        return [status, code, param];
      };
      const post = (body: unknown) => ({ method: 'POST', body });
      expect(await code('/keys', post({}))).toEqual([400, 'missing_field', 'tier']);
      expect(await code('/keys', post({ tier: 'gold' }))).toEqual([400, 'invalid_value', 'tier']);
      expect(await code('/keys', post({ tier: 'free', credits: -1 }))).toEqual([400, 'invalid_value', 'credits']);
      expect(await code('/keys', post({ tier: 'free', credits: 1.5 }))).toEqual([400, 'invalid_type', 'credits']);
      expect(await code('/keys', post({ tier: 'free', expires_at: 'soon' }))).toEqual([
        400,
        'invalid_value',
        'expires_at',
      ]);
      for (const wrong of [-1, { 'base-tts': -1 }]) {
        const [status, told] = await code('/keys', post({ tier: 'free', free_daily: wrong }));
        expect([status, told]).toEqual([400, 'invalid_value']);
      }
      for (const wrong of [1.5, '7', { 'base-tts': '7' }, { 'base-tts-slow': 1 }, {}, []]) {
        const { status, message } = await errorOf(await ask('/keys', post({ tier: 'free', concurrency: wrong })));
        expect([status, message]).toEqual([400, expect.stringContaining('concurrency')]);
      }
      expect(await code('/keys/AAAAAAAA/grants', post({ credits: 5 }))).toEqual([404, 'key_not_found', null]);
      expect(await code('/keys/AAAAAAAA', { method: 'DELETE' })).toEqual([404, 'key_not_found', null]);
      expect(await code('/sessions/nothing', { method: 'DELETE' })).toEqual([404, 'not_found', null]);
      expect(await code('/usage?since=yesterday', {})).toEqual([400, 'invalid_value', 'since']);
    });
  });

  it('shows usage by day, key and model, as JSON and as CSV', async () => {
    const key = await server.key();
    for (const model of [FAST, FAST, 'base-tts']) await server.speak({ model, input: 'Four' }, { key: key.key });
    await until(async () => (await server.ledger(key.id)).length === 3);
    const { data } = await json(`/usage?key=${key.id}`);
    const day = new Date().toISOString().slice(0, 10);
    expect(data).toMatchObject([
      { key_id: key.id, model: 'base-tts', requests: 1, characters: 4, credits: 4, unfinished: 0 },
      { day, key_id: key.id, model: FAST, requests: 2, characters: 8, credits: 8 },
    ]);
    const csv = await ask(`/usage.csv?key=${key.id}`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (await csv.text()).trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe('day,key_id,model,requests,unfinished,characters,delivered_characters,credits,audio_ms');
    expect(lines[2]).toMatch(new RegExp(`^${day},${key.id},base-tts-fast,2,0,8,8,8,\\d+$`));
  });

  it('shows sessions while they run, and ends one: its client is told, nothing is debited', async () => {
    const key = await server.key({ credits: 1000 });
    const client = await StreamClient.open(server, { key: key.key });
    client.say(
      'A sentence that takes a while. And another one that takes just as long. And one more for good measure.',
    );
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const mine = async (): Promise<any[]> =>
      (await json('/sessions')).data.filter((session: { key_id: string }) => session.key_id === key.id);
    await until(async () => (await mine())[0]?.first_audio_ms > 0, 'first audio');
    const [session] = await mine();
    expect(session).toMatchObject({ route: 'stream_input', model: 'base-tts', request_id: client.requestId });
    expect(session.characters).toBeGreaterThan(50);
    const status = await json('/status');
    expect(status.places).toMatchObject({ taken: 1, limit: 64 });
    expect((await ask(`/sessions/${session.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await client.closed).toBe(1012);
    expect(client.error).toMatchObject({ error: 'session_ended' });
    await until(async () => (await server.balance(key.id)).reserved === 0, 'the reservation back');
    expect((await server.balance(key.id)).credits).toBe(1000);
    expect(await mine()).toEqual([]);
    const failed = (await json('/errors')).data.find(
      (row: { request_id: string }) => row.request_id === client.requestId,
    );
    expect(failed).toMatchObject({ code: 'session_ended', key_id: key.id, route: 'stream_input' });
  });

  it('shows workers, queue, limits and how fast speech was', async () => {
    const status = await json('/status');
    expect(status).toMatchObject({
      version: '0.0.0-test',
      ready: true,
      segments: { queued: 0, running: 0 },
      limits: { free_concurrency: 2, free_daily: 200, partner_concurrency: 8 },
    });
    expect(status.workers).toMatchObject([{ state: 'ready', restarts: 0, error: null }]);
    const { points } = status.speed;
    const heard = points.filter((point: { first_audio_p50_ms: number | null }) => point.first_audio_p50_ms !== null);
    expect(heard.length).toBeGreaterThan(0);
    expect(points.some((point: { real_time_factor: number | null }) => (point.real_time_factor ?? 0) > 0)).toBe(true);
  });

  it('names the last failures by their request ids, the latest first', async () => {
    const response = await server.speak({ model: FAST, input: '' });
    const requestId = response.headers.get('x-request-id');
    const { data } = await json('/errors');
    expect(data[0]).toMatchObject({
      request_id: requestId,
      code: 'empty_input',
      status: 400,
      key_id: server.partner.id,
      route: '/v1/audio/speech',
    });
  });

  it('shows the holder of a key their own part and nothing else', async () => {
    const key = await server.key({ name: 'mine' });
    await server.speak({ model: FAST, input: 'Mine.' }, { key: key.key });
    await until(async () => (await server.ledger(key.id)).length === 1);
    const response = await signIn(key.key, own());
    expect(await response.json()).toMatchObject({ role: 'key', key: { id: key.id, name: 'mine' } });
    const headers = { cookie: cookieOf(response), ...own() };
    expect((await json('/keys', { headers })).data).toMatchObject([{ id: key.id }]);
    const usage = (await json(`/usage?key=${server.partner.id}`, { headers })).data;
    expect(usage).toMatchObject([{ key_id: key.id, characters: 5 }]);
    expect((await json('/errors', { headers })).data).toEqual([]);
    expect((await json('/sessions', { headers })).data).toEqual([]);
    for (const [path, method, body] of [
      ['/keys', 'POST', { tier: 'partner', credits: 9 }],
      [`/keys/${key.id}`, 'PATCH', { concurrency: 99 }],
      [`/keys/${key.id}/grants`, 'POST', { credits: 9 }],
      [`/keys/${key.id}`, 'DELETE', undefined],
      ['/status', 'GET', undefined],
    ] as const) {
      const refused = await ask(path, { method, body, headers });
      expect(await errorOf(refused), path).toMatchObject({ status: 403, code: 'operator_required' });
    }
    await server.keyring.revoke(key.id);
    expect((await ask('/keys', { headers })).status).toBe(401);
  });

  it('is not there where the pages are off, and /v1 does not miss it', async () => {
    const plain = await startTestServer();
    for (const path of ['/admin/v1/keys', '/', '/dashboard', '/playground/session']) {
      expect((await plain.get(path)).status, path).toBe(404);
    }
    expect((await plain.get('/v1/voices?model=base-tts')).status).toBe(200);
    await plain.close();
  });
});
