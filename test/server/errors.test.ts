/** Every row of the error table that HTTP can show, its headers, and the order of the checks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, rawExchange, startTestServer, type TestServer, until } from '../../testkit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    sine: { failAtOnceOn: 'fail at once', failOn: 'fail later' },
    settings: { failedKeysPerMinute: 1_000 },
  });
});
afterAll(() => server.close());

const good = { model: 'base-tts', input: 'Hello there.' };

describe('400: a bad body', () => {
  it.each([
    ['no JSON', '{"model":', 'invalid_json', null],
    ['an empty body', '', 'invalid_json', null],
    ['a list', [], 'invalid_type', null],
    ['null', null, 'invalid_type', null],
    ['a string', '"text"', 'invalid_type', null],
    ['no model', { input: 'Hello.' }, 'missing_field', 'model'],
    ['no input', { model: 'base-tts' }, 'missing_field', 'input'],
    ['a numeric model', { ...good, model: 1 }, 'invalid_type', 'model'],
    ['an unknown model', { ...good, model: 'base-tts-slow' }, 'model_not_found', 'model'],
    ['a model in capitals', { ...good, model: 'Base-TTS' }, 'model_not_found', 'model'],
    ['input that is a list', { ...good, input: ['a'] }, 'invalid_type', 'input'],
    ['input that is null', { ...good, input: null }, 'invalid_type', 'input'],
    ['empty input', { ...good, input: '' }, 'empty_input', 'input'],
    ['white space', { ...good, input: ' \n\t\u00a0\u2003\ufeff ' }, 'empty_input', 'input'],
    ['2,049 characters', { ...good, input: 'a'.repeat(2_049) }, 'input_too_long', 'input'],
    ['2,049 emoji', { ...good, input: '\u{1F600}'.repeat(2_049) }, 'input_too_long', 'input'],
    ['an unknown voice', { ...good, voice: 'english_male_nobody' }, 'voice_not_found', 'voice'],
    ['a voice that is an object', { ...good, voice: { id: 'x' } }, 'invalid_type', 'voice'],
    ['the voice "__proto__"', { ...good, voice: '__proto__' }, 'voice_not_found', 'voice'],
    ['an unknown language', { ...good, language: 'de' }, 'invalid_value', 'language'],
    ['a language that is true', { ...good, language: true }, 'invalid_type', 'language'],
    ['stream as a string', { ...good, stream: 'true' }, 'invalid_type', 'stream'],
    ['stream as a number', { ...good, stream: 1 }, 'invalid_type', 'stream'],
    ['an unknown format', { ...good, response_format: 'mp3' }, 'invalid_value', 'response_format'],
    ['a format that is null', { ...good, response_format: null }, 'invalid_type', 'response_format'],
  ])('%s', async (_name, body, code, param) => {
    const error = await errorOf(await server.speak(body));
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', code, param });
  });

  it('bytes that are not UTF-8', async () => {
    const head = `POST /v1/audio/speech HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.partner.key}\r\n`;
    const body = Buffer.concat([
      Buffer.from('{"model":"base-tts","input":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    const type = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
    const { status, body: answer } = await rawExchange(server.port, head + type, body);
    expect(status).toBe(400);
    expect(JSON.parse(answer).error.code).toBe('invalid_json');
  });

  it('the text is not echoed beyond 80 characters', async () => {
    const secret = 'x'.repeat(500);
    for (const body of [
      { ...good, model: secret },
      { ...good, voice: secret },
      { ...good, language: secret },
    ]) {
      expect((await errorOf(await server.speak(body))).message).not.toContain('x'.repeat(81));
    }
    expect((await errorOf(await server.get(`/${secret}`))).message).not.toContain('x'.repeat(81));
  });
});

describe('401: the key', () => {
  it.each([
    ['none', {}, 'missing_api_key'],
    ['an empty bearer', { authorization: 'Bearer ' }, 'missing_api_key'],
    ['another scheme', { authorization: 'Basic dGVzdDp0ZXN0' }, 'missing_api_key'],
    ['an unknown one', { authorization: `Bearer tts_${'a'.repeat(43)}` }, 'invalid_api_key'],
    ['nonsense', { authorization: 'Bearer nonsense' }, 'invalid_api_key'],
    ['an unknown one in xi-api-key', { 'xi-api-key': 'nonsense' }, 'invalid_api_key'],
  ] as [string, Record<string, string>, string][])('%s', async (_name, headers, code) => {
    for (const request of [
      fetch(`${server.baseUrl}/v1/audio/speech`, { method: 'POST', headers }),
      fetch(`${server.baseUrl}/v1/voices?model=base-tts`, { headers }),
    ]) {
      const response = await request;
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      const error = await errorOf(response);
      expect(error).toMatchObject({ status: 401, type: 'authentication_error', code, param: null });
      expect(error.message).not.toContain('nonsense');
    }
  });

  it('a revoked and an expired one', async () => {
    const revoked = await server.key();
    await server.keyring.revoke(revoked.id);
    expect(await errorOf(await server.speak(good, { key: revoked.key }))).toMatchObject({
      status: 401,
      code: 'revoked_api_key',
    });
    const expired = await server.key({ expiresAt: new Date(Date.now() - 1_000) });
    expect(await errorOf(await server.get('/v1/voices?model=base-tts', expired.key))).toMatchObject({
      status: 401,
      code: 'expired_api_key',
    });
  });
});

describe('402, 403, 429: what a key may', () => {
  it('402 when the balance is below the characters asked for', async () => {
    const { key, id } = await server.key({ credits: 11 });
    const error = await errorOf(await server.speak(good, { key }));
    expect(error).toMatchObject({ status: 402, type: 'billing_error', code: 'insufficient_credits' });
    expect(await server.balance(id)).toEqual({ credits: 11, reserved: 0 });
  });

  it('403 for a Partner model with a Free key', async () => {
    const error = await errorOf(await server.speak(good, { key: server.free.key }));
    expect(error).toMatchObject({ status: 403, type: 'permission_error', code: 'early_access_required' });
  });

  it('429 beyond the concurrent and the daily limit, with Retry-After', async () => {
    const limited = await startTestServer({
      limits: { freeConcurrency: 1, freeDaily: 2, partnerConcurrency: 1 },
      sine: { delayMs: 300 },
    });
    const body = { ...good, model: 'base-tts:free' };
    const free = { key: limited.free.key };
    const running = limited.speak(body, free);
    await until(() => limited.accounts.active === 1);
    const second = await limited.speak(body, free);
    expect(second.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await errorOf(second)).toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      code: 'concurrency_limit_exceeded',
    });
    await (await running).arrayBuffer();
    const last = await limited.speak(body, free);
    expect(last.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    await last.arrayBuffer();
    const beyond = await limited.speak(body, free);
    const retryAfterS = Number(beyond.headers.get('retry-after'));
    expect(retryAfterS).toBeGreaterThan(0);
    expect(retryAfterS).toBeLessThanOrEqual(86_400);
    expect(beyond.headers.get('x-ratelimit-limit-requests')).toBe('2');
    expect(beyond.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(beyond.headers.get('x-ratelimit-reset-requests')).toBe(String(retryAfterS));
    expect(await errorOf(beyond)).toMatchObject({ status: 429, code: 'daily_limit_exceeded' });
    // The other Free model has a day and slots of its own.
    const other = await limited.speak({ ...good, model: 'base-tts-fast:free' }, free);
    expect(other.headers.get('x-ratelimit-remaining-requests')).toBe('1');
    await other.arrayBuffer();
    const metrics = await limited.metrics.text();
    for (const code of ['concurrency_limit_exceeded', 'daily_limit_exceeded']) {
      expect(metrics).toContain(`tts_limited_requests_total{model="base-tts:free",code="${code}"} 1`);
    }
    expect(metrics).toContain('tts_free_limit{model="base-tts-fast:free",limit="daily"} 2');
    const partner = limited.speak(good);
    await until(() => limited.accounts.active === 1);
    expect(await errorOf(await limited.speak(good))).toMatchObject({ status: 429, code: 'concurrency_limit_exceeded' });
    await (await partner).arrayBuffer();
    await limited.close();
  });

  it('429 for failing keys alone after 20 from one address within a minute', async () => {
    const braked = await startTestServer();
    const codes = [];
    for (let i = 0; i < 22; i++)
      codes.push((await errorOf(await braked.get('/v1/voices?model=base-tts', `bad${i}`))).code);
    expect(codes).toEqual([...Array(20).fill('invalid_api_key'), ...Array(2).fill('too_many_failed_keys')]);
    const response = await braked.get('/v1/voices?model=base-tts', 'bad');
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    await response.arrayBuffer();
    expect((await braked.get('/v1/voices?model=base-tts')).status).toBe(200);
    expect((await braked.get('/v1/voices?model=base-tts', '')).status).toBe(401);
    await braked.close();
  });
});

describe('404, 405, 426: the path', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/v1/nothing'],
    ['POST', '/v1/audio/speech/'],
    ['POST', '/v1/nothing'],
    ['GET', '/v1/voices%2f'],
    ['GET', '/%zz'],
    ['GET', '/v1/text-to-speech//stream-input'],
    ['PROPFIND', '/v1/nothing'],
  ])('404: %s %s', async (method, path) => {
    const body = method === 'POST' ? { body: 'not json', headers: { 'content-type': 'text/plain' } } : {};
    const error = await errorOf(await fetch(server.baseUrl + path, { method, ...body }));
    expect(error).toMatchObject({ status: 404, type: 'invalid_request_error', code: 'not_found', param: null });
  });

  it.each([
    ['GET', '/v1/audio/speech', 'POST'],
    ['PUT', '/v1/audio/speech', 'POST'],
    ['OPTIONS', '/v1/audio/speech', 'POST'],
    ['POST', '/v1/voices', 'GET, HEAD'],
    ['DELETE', '/healthz', 'GET, HEAD'],
    ['POST', '/v1/text-to-speech/someone/stream-input', 'GET, HEAD'],
  ])('405: %s %s, before the key is looked at', async (method, path, allow) => {
    const response = await fetch(server.baseUrl + path, { method });
    expect(response.headers.get('allow')).toBe(allow);
    expect(await errorOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });

  it('405: CONNECT', async () => {
    const { status, body } = await rawExchange(server.port, 'CONNECT x:1 HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect(status).toBe(405);
    expect(JSON.parse(body).error.code).toBe('method_not_allowed');
  });

  it('426: a plain GET where a WebSocket is spoken', async () => {
    const response = await server.get('/v1/text-to-speech/english_female_professional/stream-input');
    expect(response.headers.get('upgrade')).toBe('websocket');
    expect(await errorOf(response)).toMatchObject({ status: 426, code: 'upgrade_required' });
  });

  it('an upgrade on another path or to another protocol is answered as plain HTTP, body and all', async () => {
    const get = (path: string, to = 'websocket') => {
      const upgrade = `connection: Upgrade\r\nupgrade: ${to}\r\nsec-websocket-version: 13\r\n`;
      return rawExchange(
        server.port,
        `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${upgrade}x-request-id: mine\r\n\r\n`,
      );
    };
    expect(await get('/nothing')).toMatchObject({ status: 404, headers: { 'x-request-id': 'mine' } });
    expect(await get('/healthz')).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(await get('/v1/text-to-speech/someone/stream-input', 'h2c')).toMatchObject({ status: 426 });
    const json = JSON.stringify({ ...good, response_format: 'pcm' });
    const post = `POST /v1/audio/speech HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nauthorization: Bearer ${server.partner.key}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n`;
    const spoken = await rawExchange(server.port, post + json.slice(0, 10), 30, json.slice(10));
    expect(spoken.status).toBe(200);
    expect(spoken.body.length).toBe(Number(spoken.headers['content-length']));
  });
});

describe('408, 413, 415, 431: how it was sent', () => {
  const head = (more: string) =>
    `POST /v1/audio/speech HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.partner.key}\r\ncontent-type: application/json\r\n${more}\r\n`;
  const padded = (length: number) => {
    const json = JSON.stringify({ ...good, padding: '' });
    return JSON.stringify({ ...good, padding: 'x'.repeat(length - json.length) });
  };

  it('413 beyond 65,536 bytes, before the JSON is looked at; 65,536 are fine', async () => {
    const fits = await server.speak(padded(65_536));
    expect(fits.status).toBe(200);
    await fits.arrayBuffer();
    expect(await errorOf(await server.speak(padded(65_537)))).toMatchObject({
      status: 413,
      type: 'invalid_request_error',
      code: 'body_too_large',
    });
    expect(await errorOf(await server.speak('x'.repeat(65_537)))).toMatchObject({ status: 413 });
    expect(await errorOf(await server.speak(`${' '.repeat(70_000)}{}`))).toMatchObject({ status: 413 });
  });

  it('413 reaches a client that is still sending, with a length and without', async () => {
    const big = Buffer.alloc(4_000_000, 32);
    const whole = await rawExchange(server.port, head(`content-length: ${big.length}\r\n`), big);
    expect(whole.status).toBe(413);
    expect(JSON.parse(whole.body).error.code).toBe('body_too_large');
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 32), Buffer.from('\r\n')]);
    const chunked = await rawExchange(server.port, head('transfer-encoding: chunked\r\n'), ...Array(30).fill(chunk));
    expect(chunked.status).toBe(413);
    expect(JSON.parse(chunked.body).error.code).toBe('body_too_large');
  });

  it('413 for 65,537 bytes in chunks and 200 for 65,536', async () => {
    const send = (length: number) => {
      const json = padded(length);
      const pieces = [json.slice(0, 40_000), json.slice(40_000)];
      const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
      return rawExchange(
        server.port,
        head('transfer-encoding: chunked\r\nconnection: close\r\n'),
        ...chunks,
        '0\r\n\r\n',
      );
    };
    expect((await send(65_536)).status).toBe(200);
    expect((await send(65_537)).status).toBe(413);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'nonsense', ''])(
    '415 for the media type "%s"',
    async (type) => {
      const response = await server.speak('x', { headers: { 'content-type': type } });
      expect(await errorOf(response)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    },
  );

  it('415 for no media type at all, and for a compressed body', async () => {
    const bare = `POST /v1/audio/speech HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.partner.key}\r\nconnection: close\r\n\r\n`;
    expect((await rawExchange(server.port, bare)).status).toBe(415);
    const zipped = await server.speak('x', { headers: { 'content-encoding': 'gzip' } });
    expect(await errorOf(zipped)).toMatchObject({ status: 415 });
  });

  it('431 for headers beyond bounds', async () => {
    const { status, headers, body } = await rawExchange(
      server.port,
      `GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
    );
    expect(status).toBe(431);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body).error).toMatchObject({ code: 'headers_too_large', request_id: headers['x-request-id'] });
  });

  it('400 for what is not HTTP', async () => {
    const { status, body } = await rawExchange(server.port, 'HELLO\r\n\r\n');
    expect(status).toBe(400);
    expect(JSON.parse(body).error.code).toBe('invalid_value');
  });

  it('408 for headers or a body that come too slowly, or not at all', async () => {
    const hasty = await startTestServer({ settings: { headersTimeoutMs: 200, requestTimeoutMs: 400 } });
    expect((await rawExchange(hasty.port)).status).toBe(408);
    const slowHead = await rawExchange(hasty.port, 'GET /healthz HTTP/1.1\r\n', 100, 'x: y\r\n');
    expect(slowHead.status).toBe(408);
    expect(JSON.parse(slowHead.body).error.code).toBe('request_timeout');
    const request = `POST /v1/audio/speech HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${hasty.partner.key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\nx-request-id: slow-one\r\n\r\n{"mod`;
    const slowBody = await rawExchange(hasty.port, request, 100, 'el"');
    expect(slowBody.status).toBe(408);
    expect(JSON.parse(slowBody.body).error).toMatchObject({ code: 'request_timeout', request_id: 'slow-one' });
    await hasty.close();
  });
});

describe('500, 503: our side', () => {
  it('500 when the engine fails before the first sample, whole or streamed', async () => {
    for (const stream of [false, true]) {
      const error = await errorOf(await server.speak({ ...good, input: 'This must fail at once, please.', stream }));
      expect(error).toMatchObject({ status: 500, type: 'server_error', code: 'synthesis_failed' });
    }
    const later = await errorOf(await server.speak({ ...good, input: 'This will fail later on, alas.' }));
    expect(later).toMatchObject({ status: 500, code: 'synthesis_failed' });
  });

  it('500 internal_error when something unforeseen happens, without its details', async () => {
    const broken = await startTestServer();
    await broken.accounts.close();
    const error = await errorOf(await broken.speak(good));
    expect(error).toMatchObject({ status: 500, type: 'server_error', code: 'internal_error' });
    expect(error.message).not.toMatch(/database|sql/i);
    broken.app.server.closeAllConnections();
    await broken.app.close();
  });

  it('503 with Retry-After when no worker is ready, overloaded, and shutting down', async () => {
    const busy = await startTestServer({
      worker: { state: 'starting' },
      gateway: { startPatienceMs: 500, deadPatienceMs: 50, queueLimit: 1 },
    });
    expect(await errorOf(await busy.get('/readyz'))).toMatchObject({ status: 503, code: 'no_worker_ready' });
    const waiting = busy.speak(good);
    await until(() => busy.gateway.stats.open === 1);
    const overloaded = await busy.speak(good);
    expect(overloaded.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await errorOf(overloaded)).toMatchObject({ status: 503, type: 'server_error', code: 'overloaded' });
    const given = await waiting;
    expect(given.headers.get('retry-after')).toBe('5');
    expect(await errorOf(given)).toMatchObject({ status: 503, code: 'no_worker_ready' });
    busy.worker.setState('dead');
    await sleep(60);
    expect(await errorOf(await busy.speak(good))).toMatchObject({ status: 503, code: 'no_worker_ready' });
    busy.worker.setState('ready');
    void busy.gateway.drain();
    const stopping = await busy.speak(good);
    expect(stopping.headers.get('retry-after')).toBe('5');
    expect(await errorOf(stopping)).toMatchObject({ status: 503, code: 'shutting_down' });
    // Turned away is not counted, charged or put on record.
    expect(await busy.ledger()).toEqual([]);
    expect(await busy.balance(busy.partner.id)).toEqual({ credits: 1_000_000, reserved: 0 });
    await busy.close();
  });

  it('a Free request that was turned away does not count', async () => {
    const busy = await startTestServer({ worker: { state: 'dead' }, gateway: { deadPatienceMs: 10 } });
    await sleep(20);
    const body = { ...good, model: 'base-tts:free' };
    expect((await busy.speak(body, { key: busy.free.key })).status).toBe(503);
    busy.worker.setState('ready');
    const response = await busy.speak(body, { key: busy.free.key });
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('199');
    await response.arrayBuffer();
    await busy.close();
  });
});

describe('the order of the checks', () => {
  it('route, method, key, media type, size, JSON, fields, tier, daily limit, concurrency, credits, queue', async () => {
    const strict = await startTestServer({
      limits: { freeConcurrency: 1, freeDaily: 1, partnerConcurrency: 1 },
      settings: { failedKeysPerMinute: 1_000 },
      gateway: { queueLimit: 1 },
      sine: { delayMs: 400 },
    });
    const url = `${strict.baseUrl}/v1/audio/speech`;
    const send = async (options: { path?: string; method?: string; key?: string; type?: string; body?: string }) => {
      const { path = url, method = 'POST', key = 'bad', type = 'text/plain', body = 'x'.repeat(70_000) } = options;
      const headers = { authorization: `Bearer ${key}`, 'content-type': type };
      return (await errorOf(await fetch(path, { method, headers, body }))).code;
    };
    const poor = await strict.key({ credits: 0 });
    const free = strict.free.key;
    const json = 'application/json';
    const bad = JSON.stringify({ model: 'base-tts', input: '' });
    const partner = JSON.stringify(good);
    const freeBody = JSON.stringify({ ...good, model: 'base-tts:free' });
    expect(await send({ path: `${strict.baseUrl}/nothing`, method: 'PUT' })).toBe('not_found');
    expect(await send({ method: 'PUT' })).toBe('method_not_allowed');
    expect(await send({})).toBe('invalid_api_key');
    expect(await send({ key: free })).toBe('unsupported_media_type');
    expect(await send({ key: free, type: json })).toBe('body_too_large');
    expect(await send({ key: free, type: json, body: 'x' })).toBe('invalid_json');
    expect(await send({ key: free, type: json, body: bad })).toBe('empty_input');
    expect(await send({ key: free, type: json, body: partner })).toBe('early_access_required');
    // The one Free request of the day runs: the day's limit is looked at before the slot.
    const running = strict.speak(freeBody, { key: free });
    await until(() => strict.accounts.active === 1);
    expect(await send({ key: free, type: json, body: freeBody })).toBe('daily_limit_exceeded');
    expect(await send({ key: poor.key, type: json, body: partner })).toBe('insufficient_credits');
    const rich = await strict.key({ credits: 100 });
    expect(await send({ key: rich.key, type: json, body: partner })).toBe('overloaded');
    await (await running).arrayBuffer();
    // Its slot is taken and its balance spent: the slot is looked at first.
    const spent = await strict.key({ credits: 12 });
    const second = strict.speak(partner, { key: spent.key });
    await until(() => strict.accounts.active === 1);
    expect(await send({ key: spent.key, type: json, body: partner })).toBe('concurrency_limit_exceeded');
    await (await second).arrayBuffer();
    expect(await send({ key: spent.key, type: json, body: partner })).toBe('insufficient_credits');
    await strict.close();
  });
});
