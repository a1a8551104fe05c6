/**
 * HTTP as no decent client sends it: pipelined and cut, answered in order or not at all, never
 * kept.
 */
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { errorOf, rawExchange, startTestServer, type TestServer, until } from '../../testkit/server.js';

let server: TestServer;
afterEach(() => server.close());

const SENTENCE = 'A sentence that takes a while to say, as sentences do.';

function post(body: object = {}, more = ''): string {
  const json = JSON.stringify({ model: 'base-tts', input: SENTENCE, ...body });
  const lines = `host: localhost\r\nauthorization: Bearer ${server.partner.key}\r\ncontent-type: application/json\r\n`;
  return `POST /v1/audio/speech HTTP/1.1\r\n${lines}${more}content-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
}

const handshake = (more = '') =>
  `GET /v1/text-to-speech/english_female_professional/stream-input HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nauthorization: Bearer ${server.partner.key}\r\n${more}\r\n`;

async function connect(): Promise<Socket> {
  const socket = createConnection({ port: server.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const nothingHeld = () =>
  until(
    async () =>
      server.accounts.active === 0 &&
      server.gateway.stats.open === 0 &&
      (await server.balance(server.partner.id)).reserved === 0,
    'everything given back',
  );

describe('pipelined requests', () => {
  it.each([false, true])('give everything back when their connection is cut (streamed: %s)', async (stream) => {
    server = await startTestServer({ sine: { pace: 1 } });
    const socket = await connect();
    socket.write(post({ stream }) + post({ stream }) + post({ stream }));
    await until(() => server.accounts.active === 3);
    socket.resetAndDestroy();
    await nothingHeld();
    await until(async () => (await server.ledger()).length === 3);
    expect((await server.ledger()).map(({ outcome, credits }) => [outcome, credits])).toEqual(
      Array(3).fill(['cancelled', 0]),
    );
  });

  it('give everything back where the first is answered at once and the second is not', async () => {
    server = await startTestServer({ sine: { pace: 1 } });
    const socket = await connect();
    socket.write(`GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n${post({ stream: true })}`);
    await until(() => server.accounts.active === 1);
    socket.destroy();
    await nothingHeld();
  });

  it('are answered up to a number that any client keeps to; beyond it the connection is cut', async () => {
    server = await startTestServer();
    const ask = (more = '') => `GET /x HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;
    const few = createConnection({ port: server.port, host: '127.0.0.1' });
    few.end(ask().repeat(63) + ask('connection: close\r\n'));
    let answers = '';
    for await (const chunk of few) answers += chunk;
    expect(answers.match(/HTTP\/1\.1 404/g)).toHaveLength(64);
    await rawExchange(server.port, ask().repeat(1_000));
    const counted = await (await server.get('/metrics')).text();
    expect(Number(/tts_http_requests_total\{[^}]*404[^}]*\} (\d+)/.exec(counted)?.[1])).toBeLessThanOrEqual(128);
  });

  it('are answered in order where the last wants to upgrade', async () => {
    server = await startTestServer({ sine: { delayMs: 300 } });
    for (const stream of [false, true]) {
      const socket = await connect();
      let heard = '';
      socket.on('data', (chunk: Buffer) => {
        heard += chunk.toString('latin1');
      });
      socket.write(post({ stream, response_format: 'pcm' }, 'x-request-id: first\r\n') + handshake());
      await until(() => heard.includes('HTTP/1.1 101'));
      expect(heard.indexOf('HTTP/1.1 200')).toBe(0);
      expect(heard.indexOf('HTTP/1.1 101')).toBeGreaterThan(heard.indexOf('x-request-id: first'));
      const length = Number(/content-length: (\d+)/.exec(heard)?.[1] ?? 0);
      if (!stream) expect(heard.indexOf('HTTP/1.1 101')).toBe(heard.indexOf('\r\n\r\n') + 4 + length);
      else expect(heard.slice(0, heard.indexOf('HTTP/1.1 101')).endsWith('0\r\n\r\n')).toBe(true);
      socket.destroy();
      await nothingHeld();
    }
  });

  it('are answered in order where the last wants to upgrade and the reader is slow', async () => {
    server = await startTestServer({ sine: { msPerChar: 2_000 } });
    const socket = await connect();
    socket.pause();
    let heard = 0;
    let tail = '';
    socket.write(post({ stream: true, response_format: 'pcm' }) + handshake());
    await sleep(500);
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.length;
      tail = (tail + chunk.toString('latin1')).slice(-2_000);
    });
    socket.resume();
    await until(() => tail.includes('HTTP/1.1 101'));
    expect(heard).toBeGreaterThan(1_000_000);
    socket.destroy();
    await nothingHeld();
  });

  it('are answered in order where the last is not HTTP, or wants a tunnel', async () => {
    server = await startTestServer({ sine: { delayMs: 200 } });
    for (const [last, status] of [
      ['NONSENSE\r\n\r\n', 400],
      ['CONNECT x:1 HTTP/1.1\r\nhost: localhost\r\nx-request-id: mine\r\n\r\n', 405],
    ] as const) {
      const { status: first, body } = await rawExchange(server.port, post({ response_format: 'pcm' }) + last);
      expect(first).toBe(200);
      expect(body).toContain(`HTTP/1.1 ${status} `);
      if (status === 405) expect(body).toContain('x-request-id: mine');
    }
    await nothingHeld();
  });
});

describe('an upload', () => {
  it('that is broken off is no error in the log', async () => {
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    server = await startTestServer({ log });
    const socket = await connect();
    socket.write(post().slice(0, -20));
    await sleep(100);
    socket.destroy();
    await until(() => lines.some(({ msg }) => msg === 'request'));
    expect(lines.filter(({ level }) => level > 30)).toEqual([]);
  });
});

describe('paths', () => {
  it('of any length and spelling are answered for what they are', async () => {
    server = await startTestServer();
    const long = `/v1/text-to-speech/${'v'.repeat(12_000)}/stream-input`;
    expect(await errorOf(await server.get(long))).toMatchObject({ status: 426, code: 'upgrade_required' });
    const post = await fetch(`${server.baseUrl}/v1/%76oices`, { method: 'POST' });
    expect(post.headers.get('allow')).toBe('GET, HEAD');
    expect(await errorOf(post)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect((await server.get('/v1/%76oices?model=base-tts')).status).toBe(200);
    expect(await errorOf(await server.get('/v1%2Fvoices'))).toMatchObject({ status: 404 });
  });

  it('that hold a key are not echoed with it', async () => {
    server = await startTestServer();
    const { key } = server.partner;
    const secret = key.slice(12);
    for (const path of [
      `/v1/voices/${key}`,
      `/${'x'.repeat(60)}/${key}`,
      `/${key}${key}${key}`,
      `/%74${key.slice(1)}`,
    ]) {
      expect((await errorOf(await server.get(path))).message).not.toContain(secret.slice(0, 6));
    }
    const { headers } = await server.speak({ model: 'base-tts', input: 'Hello.', [key]: 1 });
    expect(headers.get('x-ignored-fields')).not.toContain(secret.slice(0, 6));
    const labelled = await server.speak({ model: 'base-tts', input: 'Hello.' }, { headers: { 'x-request-id': key } });
    expect(labelled.headers.get('x-request-id')).toMatch(/^req_/);
    for (const query of [`seed=${key}`, `model_id=${key}`, `output_format=a${key}`]) {
      const answer = await rawExchange(server.port, handshake().replace('/stream-input', `/stream-input?${query}`));
      expect(answer.status).toBe(400);
      expect(answer.body).not.toContain(secret.slice(0, 6));
    }
  });

  it('that hold words like a key are echoed as they are', async () => {
    server = await startTestServer();
    const path = '/elevenlabs/v1/sound-generation/tts_websocket';
    const answer = await server.get(path);
    expect(answer.status).toBe(404);
    expect(JSON.stringify(await answer.json())).toContain(path);
  });

  it('keep what follows a second question mark', async () => {
    server = await startTestServer();
    const ask = (query: string) =>
      rawExchange(server.port, handshake().replace('/stream-input', `/stream-input?${query}`));
    const answer = await ask('language_code=en?&seed=nonsense');
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).error.param).toBe('seed');
  });
});

describe('connections', () => {
  it('of one address are bounded', async () => {
    server = await startTestServer({ settings: { maxConnectionsPerAddress: 3 } });
    // The keep-alive connections of earlier requests would count as well.
    const sockets = [await connect(), await connect(), await connect()];
    const closed = new Promise((resolve) => void connect().then((extra) => extra.once('close', resolve)));
    await closed;
    sockets[0]!.destroy();
    await until(async () => {
      try {
        return (await rawExchange(server.port, 'GET /healthz HTTP/1.0\r\n\r\n')).status === 200;
      } catch {
        return false;
      }
    });
    for (const socket of sockets) socket.destroy();
  });
});
