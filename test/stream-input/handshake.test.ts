/** Who may open a session, and how everybody else is told. */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, rawExchange, type TestServer, until } from '../../testkit/server.js';
import { type ConnectOptions, Refused, StreamClient, startStreamServer, VOICE } from './client.js';

describe('the handshake', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startStreamServer({ limits: { partnerConcurrency: 2 }, gateway: { queueLimit: 5 } });
  });
  afterAll(() => server.close());

  const refused = async (options: ConnectOptions) => {
    const error = await StreamClient.connect(server, options).then(
      () => {
        throw new Error('was let in');
      },
      (reason: unknown) => reason as Refused,
    );
    expect(error).toBeInstanceOf(Refused);
    expect(error.headers['x-request-id']).toBe(error.body.error.request_id);
    expect(error.headers['content-type']).toContain('application/json');
    const { code, param } = error.body.error;
    return { status: error.status, code, param, headers: error.headers };
  };
  const nothingHeld = () =>
    until(() => server.accounts.active === 0 && server.gateway.stats.open === 0, 'nothing held');

  it('accepts a key as Bearer or as xi-api-key and answers with a request id', async () => {
    for (const headers of [{ authorization: `Bearer ${server.partner.key}` }, { 'xi-api-key': server.partner.key }]) {
      const client = await StreamClient.open(server, { headers });
      expect(client.requestId).toMatch(/^req_[0-9A-Z]{26}$/);
      expect(await client.finish()).toMatchObject({ code: 1000, final: true });
    }
  });

  it("keeps the caller's own request id", async () => {
    const headers = { authorization: `Bearer ${server.partner.key}`, 'x-request-id': 'my-own.id_1' };
    const client = await StreamClient.open(server, { headers });
    expect(client.requestId).toBe('my-own.id_1');
    client.send({ text: 5 });
    await client.closed;
    expect(client.error?.requestId).toBe('my-own.id_1');
  });

  it('offers no compression', async () => {
    const client = await StreamClient.open(server, { client: { perMessageDeflate: true } });
    expect(client.socket.extensions).toBe('');
    await client.finish();
  });

  it('refuses a missing, wrong or revoked key with 401 and says how to send one', async () => {
    const revoked = await server.key();
    await server.keyring.revoke(revoked.id);
    expect(await refused({ headers: {} })).toMatchObject({ status: 401, code: 'missing_api_key' });
    expect(await refused({ key: 'nonsense' })).toMatchObject({ status: 401, code: 'invalid_api_key' });
    const { status, code, headers } = await refused({ key: revoked.key });
    expect({ status, code }).toEqual({ status: 401, code: 'revoked_api_key' });
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  it('ignores keys inside the Initialize message', async () => {
    const client = await StreamClient.connect(server);
    client.send({ text: ' ', x_api_key: 'wrong', 'x-api-key': null, authorization: 'Bearer wrong' });
    expect(await client.finish()).toMatchObject({ code: 1000, final: true });
    expect(await refused({ headers: {} })).toMatchObject({ status: 401 });
  });

  it('refuses a Free key with 403', async () => {
    expect(await refused({ key: server.free.key })).toMatchObject({ status: 403, code: 'early_access_required' });
  });

  it('refuses a key whose free balance is zero with 402', async () => {
    const empty = await server.key({ credits: 0 });
    expect(await refused({ key: empty.key })).toMatchObject({ status: 402, code: 'insufficient_credits' });
  });

  it('refuses more sessions than a key may have with 429 and Retry-After, and lets in again when one ends', async () => {
    const { key } = await server.key();
    const two = [await StreamClient.open(server, { key }), await StreamClient.open(server, { key })];
    const { status, code, headers } = await refused({ key });
    expect({ status, code }).toEqual({ status: 429, code: 'concurrency_limit_exceeded' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await two[0]!.finish();
    const third = await StreamClient.open(server, { key });
    await Promise.all([two[1]!.finish(), third.finish()]);
  });

  it('refuses an unknown voice with 404', async () => {
    expect(await refused({ voice: 'nobody' })).toMatchObject({ status: 404, code: 'voice_not_found' });
  });

  it('refuses every parameter out of its bounds with 400 and names it', async () => {
    const bad: [string, string][] = [
      ['model_id', 'base-tts:free'],
      ['model_id', 'gpt'],
      ['model_id', ''],
      ['output_format', 'mp3_44100'],
      ['seed', '-1'],
      ['seed', '4294967296'],
      ['seed', '1.5'],
      ['seed', ''],
      ['seed', 'x'],
      ['seed', '99999999999999999999'],
      ['inactivity_timeout', '0'],
      ['inactivity_timeout', '181'],
      ['inactivity_timeout', '1e1'],
      ['auto_mode', '1'],
      ['auto_mode', 'True'],
      ['sync_alignment', 'yes'],
      ['enable_ssml_parsing', ''],
      ['apply_text_normalization', 'on'],
    ];
    for (const [name, value] of bad) {
      const { status, param } = await refused({ query: { [name]: value } });
      expect([name, value, status, param]).toEqual([name, value, 400, name]);
    }
  });

  it('accepts every parameter at its bounds, any language, and ignores unknown ones', async () => {
    const good: Record<string, string>[] = [
      {},
      { model_id: 'base-tts', output_format: 'pcm_24000', apply_text_normalization: 'off' },
      { model_id: 'base-tts-fast', seed: '0', inactivity_timeout: '1' },
      { seed: '4294967295', inactivity_timeout: '180' },
      { language_code: 'klingon', auto_mode: 'false', sync_alignment: 'true', enable_ssml_parsing: 'true' },
      { language_code: '', optimize_streaming_latency: '4', foo: 'bar' },
    ];
    for (const query of good) {
      const client = await StreamClient.open(server, { query });
      expect(await client.finish()).toMatchObject({ code: 1000, final: true });
    }
  });

  it('checks the key before parameters, parameters before the tier', async () => {
    expect(await refused({ key: 'bad', query: { seed: 'x' } })).toMatchObject({ status: 401 });
    expect(await refused({ key: server.free.key, query: { seed: 'x' } })).toMatchObject({ status: 400 });
    expect(await refused({ key: server.free.key, voice: 'nobody' })).toMatchObject({ status: 404 });
  });

  it('answers 503 when all places are taken, and leaves no slot or reservation behind', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => server.key()));
    const open = await Promise.all(keys.slice(0, 5).map(({ key }) => StreamClient.open(server, { key })));
    const { status, code, headers } = await refused({ key: keys[5]!.key });
    expect({ status, code }).toEqual({ status: 503, code: 'overloaded' });
    expect(headers['retry-after']).toBeDefined();
    await Promise.all(open.map((client) => client.finish()));
    await nothingHeld();
    expect(await server.ledger(keys[5]!.id)).toEqual([]);
  });

  it('answers a plain GET on its path with 426 and an upgrade elsewhere as HTTP', async () => {
    const path = `/v1/text-to-speech/${VOICE}/stream-input`;
    expect(await errorOf(await server.get(path))).toMatchObject({ status: 426, code: 'upgrade_required' });
    const upgrade = (target: string) =>
      rawExchange(
        server.port,
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
      );
    expect((await upgrade('/healthz')).status).toBe(200);
    const unknown = await upgrade('/v1/elsewhere');
    expect(unknown.status).toBe(404);
    expect(JSON.parse(unknown.body).error.code).toBe('not_found');
  });

  it('answers a handshake the protocol forbids with 400 as JSON, and holds nothing', async () => {
    const bad = [
      '',
      'Sec-WebSocket-Version: 13\r\n',
      'Sec-WebSocket-Version: 7\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
    ];
    for (const lines of bad) {
      const answer = await rawExchange(
        server.port,
        `GET /v1/text-to-speech/${VOICE}/stream-input HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines}Authorization: Bearer ${server.partner.key}\r\n\r\n`,
      );
      expect(answer.status).toBe(400);
      const { error } = JSON.parse(answer.body);
      expect(error).toMatchObject({ code: 'invalid_value', request_id: answer.headers['x-request-id'] });
    }
    await nothingHeld();
  });

  it('holds nothing for clients that leave before they are answered', async () => {
    const request = `GET /v1/text-to-speech/${VOICE}/stream-input HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Bearer ${server.partner.key}\r\n\r\n`;
    for (let i = 0; i < 60; i++) {
      const socket = createConnection({ port: server.port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      if (i % 3 === 0) socket.end(request);
      else socket.write(request);
      if (i % 3 === 1) setImmediate(() => socket.resetAndDestroy());
      if (i % 3 === 2) socket.destroySoon();
      await new Promise((resolve) => setTimeout(resolve, i % 5));
      socket.resetAndDestroy();
    }
    await nothingHeld();
    const client = await StreamClient.open(server);
    expect(await client.finish()).toMatchObject({ code: 1000 });
  });
});
