/** What the playground's page asks of its server, who may ask it, and how the pages are sent. */
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { errorOf, startTestServer, type TestServer, type TestServerOptions } from '../../../testkit/server.js';

describe('the playground', () => {
  const servers: TestServer[] = [];
  const start = async ({ settings, ...options }: TestServerOptions = {}) => {
    const server = await startTestServer({
      localKey: 'local-key',
      settings: { web: 'auto', ...settings },
      ...options,
    });
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  const post = (server: TestServer, path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${server.baseUrl}${path}`, {
      method: 'POST',
      headers: { origin: server.baseUrl, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const keyless = async (server: TestServer, headers: Record<string, string> = {}) =>
    ((await (await fetch(`${server.baseUrl}/playground/session`, { headers })).json()) as { keyless: boolean }).keyless;

  it('needs no key on a loopback address: voices, tickets, readings', async () => {
    const server = await start();
    expect(await keyless(server)).toBe(true);
    const voices = (await (await server.get('/playground/voices', '')).json()) as { data: { id: string }[] };
    const listed = (await (await server.get('/v1/voices?model=base-tts')).json()) as { data: { id: string }[] };
    expect(voices.data.map(({ id }) => id)).toEqual(listed.data.map(({ id }) => id));
    for (const [i, voice] of listed.data.entries()) expect(voices.data[i]).toMatchObject(voice);
    const response = await post(server, '/playground/stream-tickets', {});
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      ticket: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: expect.any(String),
    });
  });

  it('sums comparisons of two speeds of a voice, and takes none that it does not offer', async () => {
    const server = await start();
    const one = { model: 'base-tts-fast', voice: 'american_female_heart' };
    const compared = (b: object) =>
      post(server, '/playground/comparisons', { a: one, b, a_preferred: 7, b_preferred: 3 });
    expect((await compared({ ...one, speed: 1.25 })).status).toBe(204);
    expect((await compared({ ...one, speed: 1 })).status).toBe(400);
    expect((await compared({ ...one, speed: 1.3 })).status).toBe(400);
    expect(await errorOf(await compared({ ...one, style: 'sung' }))).toMatchObject({
      code: 'invalid_value',
      param: 'b',
    });
  });

  it('tells how each written form is read', async () => {
    const server = await start();
    const response = await post(server, '/playground/explain', { text: 'Dr. Ng paid $12.50 to the FBI.' });
    const { segments, skipped } = (await response.json()) as {
      segments: { forms: { written: string; said: string; phonemes: string; start: number; end: number }[] }[];
      skipped: object;
    };
    const forms = segments.flatMap((segment) => segment.forms);
    const said = Object.fromEntries(forms.map(({ written, said }) => [written, said]));
    expect(said).toMatchObject({
      'Dr.': 'Doctor',
      '$12.50': 'twelve dollars and fifty cents',
      FBI: 'F B I',
      paid: 'paid',
    });
    for (const { phonemes } of forms) expect(phonemes).not.toBe('');
    expect(forms.find(({ written }) => written === '$12.50')).toMatchObject({ start: 12, end: 18 });
    expect(skipped).toEqual({});
    const long = await post(server, '/playground/explain', { text: 'a'.repeat(4_001) });
    expect(await errorOf(long)).toMatchObject({ status: 400, code: 'input_too_long', param: 'text' });
  });

  it('is closed to pages of other sites and other ports, and to what names no page', async () => {
    const server = await start();
    for (const origin of ['https://evil.example', 'http://127.0.0.1:1', 'http://localhost', 'null']) {
      const response = await post(server, '/playground/stream-tickets', {}, { origin });
      expect(await errorOf(response), origin).toMatchObject({ status: 403, code: 'foreign_origin' });
    }
    const unnamed = await fetch(`${server.baseUrl}/playground/stream-tickets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(unnamed.status).toBe(403);
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    expect((await fetch(`${server.baseUrl}/playground/voices?model=base-tts`, { headers: crossSite })).status).toBe(
      403,
    );
  });

  it('answers no rebound host, not even the pages', async () => {
    const server = await start();
    const status = (path: string) =>
      new Promise((resolve) => {
        const { port } = server;
        request({ port, host: '127.0.0.1', path, headers: { host: 'evil.example' } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).end();
      });
    for (const path of ['/', '/dashboard', '/playground/session', '/admin/v1/session']) {
      expect(await status(path), path).toBe(421);
    }
  });

  it('needs a key behind a proxy, under another name, and where the operator says so', async () => {
    const server = await start();
    expect(await keyless(server, { 'x-forwarded-for': '203.0.113.9' })).toBe(false);
    const response = await post(server, '/playground/stream-tickets', {}, { 'x-forwarded-for': '203.0.113.9' });
    expect(await errorOf(response)).toMatchObject({ status: 401, code: 'missing_api_key' });
    const settings: TestServerOptions['settings'][] = [{ web: 'key' }, { allowedHosts: ['tts.example.org'] }];
    for (const more of settings) {
      const strict = await start({ settings: { ...more } });
      expect(await keyless(strict)).toBe(false);
      expect((await strict.get('/playground/voices?model=base-tts', '')).status).toBe(401);
      expect((await strict.get('/playground/voices?model=base-tts')).status).toBe(200);
      const headers = { authorization: `Bearer ${strict.partner.key}` };
      expect((await post(strict, '/playground/explain', { text: 'Hi' }, headers)).status).toBe(200);
    }
  });

  const outer = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  it.skipIf(outer === undefined)('gives a stranger on the network nothing without a key', async () => {
    const open = await start();
    await new Promise<void>((resolve) => open.app.server.close(() => resolve()));
    await new Promise<void>((resolve) => open.app.server.listen(0, '0.0.0.0', resolve));
    const { port } = open.app.server.address() as { port: number };
    for (const host of [outer!, '127.0.0.1']) {
      const base = `http://${host}:${port}`;
      const headers = { origin: base, 'content-type': 'application/json' };
      expect(await (await fetch(`${base}/playground/session`)).json()).toMatchObject({ keyless: false });
      for (const path of [
        '/playground/stream-tickets',
        '/playground/explain',
        '/v1/stream-tickets',
        '/v1/audio/speech',
      ]) {
        const body = JSON.stringify({ text: 'Hi', model: 'base-tts', input: 'Hi' });
        expect((await fetch(base + path, { method: 'POST', headers, body })).status, `${host}${path}`).toBe(401);
      }
      for (const path of ['/playground/voices?model=base-tts', '/v1/voices?model=base-tts', '/admin/v1/keys']) {
        expect((await fetch(base + path)).status, `${host}${path}`).toBe(401);
      }
    }
  });
});
