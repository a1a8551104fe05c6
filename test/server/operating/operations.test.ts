/** Health, readiness, metrics, documentation, security headers, CORS, logs. */
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { SESSION_CODES, STREAM_DEFAULTS } from '../../../src/protocol/stream.js';
import { buildMetricsServer } from '../../../src/server/metrics/metrics-server.js';
import {
  errorOf,
  rawExchange,
  startTestServer,
  type TestServer,
  type TestServerOptions,
  until,
} from '../../../testkit/server.js';

const servers: TestServer[] = [];
async function start(options?: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer(options);
  servers.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const good = { model: 'base-tts', input: 'Hello there, you two.' };

describe('health and readiness', () => {
  it('healthz is 200 while the process serves, readyz once a worker can take work; neither needs a key', async () => {
    const server = await start({ worker: { state: 'starting' } });
    expect((await server.get('/healthz', '')).status).toBe(200);
    const early = await server.get('/readyz', '');
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await errorOf(early)).toMatchObject({ status: 503, code: 'no_worker_ready' });
    server.worker.setState('ready');
    const ready = await server.get('/readyz', '');
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
    server.shutdown.abort();
    const late = await server.get('/readyz', '');
    expect(late.headers.get('connection')).toBe('close');
    expect(await errorOf(late)).toMatchObject({ status: 503, code: 'shutting_down' });
    // A fresh connection: a stopping server closes those that are idle.
    expect((await rawExchange(server.port, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('speech asked for while the engine starts is spoken when it is up', async () => {
    const server = await start({ worker: { state: 'starting' } });
    const work = server.speak(good);
    await until(() => server.gateway.stats.queuedSegments > 0);
    expect((await server.get('/v1/voices?model=base-tts')).status).toBe(200);
    server.worker.setState('ready');
    const response = await work;
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });
});

describe('metrics', () => {
  it('has what an operator steers by, and every name begins with tts_', async () => {
    const server = await start({ sine: { failAtOnceOn: 'cursed' } });
    await (await server.speak(good)).arrayBuffer();
    await (await server.speak({ ...good, stream: true, model: 'base-tts-fast:free' })).arrayBuffer();
    await (await server.speak({ ...good, input: 'A cursed sentence.' })).arrayBuffer();
    await (await server.speak({ ...good, input: '' })).arrayBuffer();
    await (await server.get('/v1/voices?model=base-tts', 'bad')).arrayBuffer();
    await (await server.get('/nothing', '')).arrayBuffer();
    await until(async () => (await server.ledger()).length === 3);
    const response = await server.get('/metrics', '');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await response.text();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    for (const line of lines) expect(line).toMatch(/^tts_/);
    for (const line of [
      'tts_http_requests_total{route="/v1/audio/speech",method="POST",model="base-tts",status="200"} 1',
      'tts_http_requests_total{route="/v1/audio/speech",method="POST",model="base-tts-fast:free",status="200"} 1',
      'tts_http_requests_total{route="/v1/audio/speech",method="POST",model="base-tts",status="500"} 1',
      'tts_http_requests_total{route="/v1/audio/speech",method="POST",model="base-tts",status="400"} 1',
      'tts_http_requests_total{route="/v1/voices",method="GET",model="base-tts",status="401"} 1',
      'tts_http_requests_total{route="unknown",method="GET",model="",status="404"} 1',
      'tts_time_to_first_audio_seconds_count{route="speech",model="base-tts"} 1',
      'tts_characters_total{model="base-tts"} 21',
      'tts_active_sessions{route="speech"} 0',
      'tts_queue_depth 0',
      'tts_places_taken 0',
      'tts_workers{state="ready"} 1',
      'tts_engine_restarts_total 0',
      'tts_failed_keys_total{code="invalid_api_key"} 1',
      'tts_sessions_total{route="speech",model="base-tts",outcome="failed"} 1',
      'tts_segment_failures_total{model="base-tts"} 1',
    ]) {
      expect(lines).toContain(line);
    }
    for (const name of [
      'tts_real_time_factor_count{model="base-tts"}',
      'tts_queue_wait_seconds_count{model="base-tts"}',
      'tts_audio_seconds_total{model="base-tts-fast"}',
      'tts_nodejs_eventloop_lag_p99_seconds',
      'tts_process_resident_memory_bytes',
    ]) {
      expect(text).toContain(name);
    }
  });

  it('has what an alarm is for before it happens', async () => {
    const server = await start();
    const lines = (await (await server.get('/metrics', '')).text()).split('\n');
    for (const line of [
      'tts_refused_requests_total{route="speech",code="overloaded"} 0',
      'tts_refused_requests_total{route="stream_input",code="no_worker_ready"} 0',
      'tts_stalls_total{model="base-tts"} 0',
      'tts_stalls_total{model="base-tts-fast"} 0',
      'tts_usable_workers{model="base-tts",text_version=""} 1',
      'tts_unusable_workers{reason="text_version"} 0',
      'tts_time_to_first_audio_seconds_count{route="speech",model="base-tts-fast"} 0',
      'tts_time_to_first_audio_seconds_count{route="stream_input",model="base-tts:free"} 0',
      'tts_demand_workers 0',
    ]) {
      expect(lines).toContain(line);
    }
    expect(lines.some((line) => /^tts_capacity_workers 0\.8/.test(line))).toBe(true);
  });

  it('counts what it could not take on, and what streams want of the workers while they are open', async () => {
    const server = await start({ gateway: { queueLimit: 1 }, sine: { pace: 2 } });
    await (await server.speak({ ...good, stream: true })).arrayBuffer();
    const leave = new AbortController();
    const input = 'The four of them walked back along the river to the old house. '.repeat(20);
    const response = await server.speak({ ...good, input, stream: true }, { signal: leave.signal });
    expect((await server.speak(good)).status).toBe(503);
    const text = await (await server.get('/metrics', '')).text();
    expect(text).toContain('tts_refused_requests_total{route="speech",code="overloaded"} 1');
    // It takes half a worker, as it is spoken at twice the pace of a listener; until it has begun,
    // a little more or less.
    const demand = Number(/^tts_demand_workers (\S+)$/m.exec(text)![1]);
    expect(demand).toBeGreaterThan(0.1);
    expect(demand).toBeLessThan(2);
    leave.abort();
    await response.arrayBuffer().catch(() => undefined);
    await until(() => server.gateway.stats.open === 0);
    expect(await (await server.get('/metrics', '')).text()).toContain('tts_demand_workers 0');
  });

  it('counts the silences that listeners hear', async () => {
    // A tone that takes twice as long as it lasts: whoever hears it as it comes hears silence in
    // between.
    const server = await start({ sine: { pace: 0.5, msPerChar: 20 } });
    await (await server.speak({ ...good, input: 'Good evening, everybody.', stream: true })).arrayBuffer();
    const text = await (await server.get('/metrics', '')).text();
    expect(Number(/^tts_stalls_total\{model="base-tts"\} (\d+)$/m.exec(text)![1])).toBeGreaterThan(0);
  });

  it('counts the restarts of engines', async () => {
    const server = await start();
    server.worker.setState('dead');
    server.worker.setState('ready');
    expect(await (await server.get('/metrics', '')).text()).toContain('tts_engine_restarts_total 1');
  });

  it('can live on an address of its own', async () => {
    const server = await start({ settings: { metrics: false } });
    expect((await server.get('/metrics', '')).status).toBe(404);
    const own = buildMetricsServer(server.metrics).listen(0, '127.0.0.1');
    await new Promise((resolve) => own.once('listening', resolve));
    const { port } = own.address() as { port: number };
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(await response.text()).toContain('tts_queue_depth 0');
    expect(await errorOf(await fetch(`http://127.0.0.1:${port}/v1/voices`))).toMatchObject({ status: 404 });
    const rebound = await rawExchange(port, 'GET /metrics HTTP/1.1\r\nhost: x.example\r\nconnection: close\r\n\r\n');
    expect(rebound.status).toBe(421);
    expect(rebound.body).not.toContain('tts_queue_depth');
    own.closeAllConnections();
    own.close();
  });
});

describe('documentation', () => {
  it('is an OpenAPI document of every route, without a key', async () => {
    const server = await start({ settings: { docs: true } });
    const document = (await (await server.get('/openapi.json', '')).json()) as {
      openapi: string;
      paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: object }> } }>>;
    };
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths).sort()).toEqual([
      '/healthz',
      '/metrics',
      '/readyz',
      '/v1/audio/speech',
      '/v1/stream-tickets',
      '/v1/text-to-speech/{voice_id}/stream-input',
      '/v1/voices',
    ]);
    const { post } = document.paths['/v1/audio/speech']!;
    const { schema } = post!.requestBody!.content['application/json']!;
    expect(schema).toMatchObject({ required: ['model', 'input'], properties: { stream: { default: false } } });
  });

  it("is a page of the WebSocket's protocol, which the other one leads to", async () => {
    const server = await start({ settings: { docs: true } });
    const { info } = (await (await server.get('/openapi.json', '')).json()) as { info: { description: string } };
    expect(info.description).toContain('(/docs/stream-input)');
    const page = await server.get('/docs/stream-input', '');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    for (const name of Object.keys(STREAM_DEFAULTS)) expect(html).toContain(`<code>${name}</code>`);
    for (const name of SESSION_CODES) expect(html).toContain(`<code>${name}</code>`);
    for (const state of ['Connected', 'Initialized', 'Streaming', 'Draining', 'Closed']) expect(html).toContain(state);
    for (const message of ['Initialize', 'Text', 'End', 'Audio', 'Final', 'Error']) expect(html).toContain(message);
    expect(html).not.toContain('undefined');
  });

  it("says that the machine's own user needs no key and speaks as local", async () => {
    const server = await start({ settings: { docs: true } });
    const { info, tags } = (await (await server.get('/openapi.json', '')).json()) as {
      info: { description: string };
      tags: { name: string; description?: string }[];
    };
    const page = await (await server.get('/docs/stream-input', '')).text();
    for (const text of [info.description, tags.find(({ name }) => name === 'playground')!.description!, page]) {
      expect(text).toMatch(/machine's own user.*loopback.*playground.*local.*--web key/s);
    }
  });
});

describe('protection', () => {
  it('sends security headers, on errors too', async () => {
    const server = await start();
    for (const response of [
      await server.get('/healthz', ''),
      await server.get('/nothing', ''),
      await server.speak(good),
    ]) {
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(response.headers.get('strict-transport-security')).toBeNull();
      expect(response.headers.get('x-powered-by')).toBeNull();
      await response.arrayBuffer();
    }
  });

  it('answers other origins only where they were named', async () => {
    const preflight = (server: TestServer, origin: string) =>
      fetch(`${server.baseUrl}/v1/audio/speech`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      });
    const closed = await start();
    expect((await preflight(closed, 'https://app.example')).headers.get('access-control-allow-origin')).toBeNull();
    const open = await start({ settings: { corsOrigins: ['https://app.example'] } });
    const allowed = await preflight(open, 'https://app.example');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect((await preflight(open, 'https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
    const spoken = await open.speak(good, { headers: { origin: 'https://app.example' } });
    expect(spoken.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(spoken.headers.get('access-control-expose-headers')).toContain('x-usage-input-characters');
    await spoken.arrayBuffer();
  });

  it('takes no more connections than it was told', async () => {
    const server = await start({ settings: { maxConnections: 1 } });
    const first = await fetch(`${server.baseUrl}/healthz`);
    const reader = first.body!.getReader();
    await expect(
      new Promise((resolve, reject) => {
        void import('node:net').then(({ createConnection }) => {
          const socket = createConnection({ port: server.port, host: '127.0.0.1' });
          socket.once('close', () => reject(new Error('refused')));
          socket.once('data', resolve);
          socket.once('error', reject);
          socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
        });
      }),
    ).rejects.toThrow();
    await reader.cancel();
  });
});

describe('the log', () => {
  it('names requests and outcomes, and never text or keys', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const server = await start({ log, sine: { failAtOnceOn: 'cursed' } });
    await (await server.speak({ ...good, input: 'A very private sentence.' })).arrayBuffer();
    await (await server.speak({ ...good, input: 'A cursed private sentence.' })).arrayBuffer();
    await (await server.get('/v1/voices?model=private', 'tts_private')).arrayBuffer();
    await until(() => lines.filter((line) => line.includes('"request"')).length === 3);
    const text = lines.join('');
    expect(text).toContain('"route":"/v1/audio/speech"');
    expect(text).toContain('"outcome":"completed"');
    expect(text).toContain('"outcome":"failed"');
    expect(text).toMatch(/"requestId":"req_/);
    expect(text).not.toMatch(/private/);
    expect(text).not.toContain(server.partner.key);
  });
});
