/** Sessions of clients that mean harm, and what strangers are told of failures inside. */
import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestServer, until } from '../../testkit/server.js';
import { END, Refused, StreamClient, speak, startStreamServer, VOICE } from './client.js';

let server: TestServer;
afterEach(() => server.close());

describe('pings', () => {
  /** A masked, empty ping frame. */
  const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);

  it('of a client that does not read end its connection instead of filling the memory', async () => {
    server = await startStreamServer();
    const socket = createConnection({ port: server.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const key = randomBytes(16).toString('base64');
    socket.write(
      `GET /v1/text-to-speech/${VOICE}/stream-input HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nAuthorization: Bearer ${server.partner.key}\r\n\r\n`,
    );
    await until(() => server.accounts.active === 1);
    socket.pause();
    const flood = Buffer.concat(Array<Buffer>(10_000).fill(PING));
    for (let i = 0; i < 50 && server.accounts.active === 1; i++) {
      await new Promise<void>((resolve) => socket.write(flood, () => resolve()));
    }
    await until(() => server.accounts.active === 0, 'an end of the connection');
    socket.destroy();
    await closed;
  });

  it('of a client that reads are answered, each with its own data', async () => {
    server = await startStreamServer();
    const client = await StreamClient.open(server);
    const pongs: string[] = [];
    client.socket.on('pong', (data) => pongs.push(data.toString()));
    for (let i = 0; i < 5; i++) client.socket.ping(`ping ${i}`);
    await until(() => pongs.length === 5);
    expect(pongs).toEqual([0, 1, 2, 3, 4].map((i) => `ping ${i}`));
    expect(await client.finish()).toMatchObject({ code: 1000, final: true });
  });
});

describe('End', () => {
  it('ends the input whatever its flush is', async () => {
    server = await startStreamServer();
    for (const flush of [null, 'yes', 7, {}, true]) {
      const client = await StreamClient.open(server);
      client.say('Hello there.');
      client.send({ text: '', flush });
      expect(await client.ended()).toMatchObject({ code: 1000, final: true });
    }
  });

  it.each(['Hello <break time="1s', 'Hello <sub alias="there">you', '<speak>Hello there.', 'Salt &am'])(
    'in the middle of markup is invalid_ssml, and nothing is billed: %s',
    async (text) => {
      server = await startStreamServer();
      const client = await StreamClient.open(server, { query: { enable_ssml_parsing: true } });
      client.say(text);
      client.send(END);
      expect(await client.ended()).toMatchObject({ error: 'invalid_ssml', code: 1008, final: false });
      await until(async () => (await server.ledger()).length === 1);
      expect((await server.ledger())[0]).toMatchObject({ outcome: 'failed', credits: 0 });
      expect((await server.balance(server.partner.id)).credits).toBe(1_000_000);
    },
  );

  it('after markup that is whole speaks all of it', async () => {
    server = await startStreamServer();
    const query = { enable_ssml_parsing: true };
    const audio = await speak(server, ['<speak>Hello <sub alias="there">you</sub>.</speak>'], { query });
    expect(audio.length).toBeGreaterThan(0);
  });
});

describe('what a stranger is told', () => {
  const GENERIC = 'Something went wrong in the server. The request id finds the reason in the log.';

  it('of a failure of the accounts names nothing of this machine, on a session and a handshake', async () => {
    server = await startStreamServer();
    const client = await StreamClient.open(server);
    await server.accounts.close();
    client.say('This cannot be reserved.');
    expect(await client.ended()).toMatchObject({ error: 'internal_error', code: 1011 });
    expect(client.error?.message).toBe(GENERIC);
    const refused = await StreamClient.connect(server).catch((error) => error);
    expect(refused).toBeInstanceOf(Refused);
    expect((refused as Refused).body.error.message).toBe(GENERIC);
  });

  it('of a failure of the engine is that it failed', async () => {
    server = await startStreamServer({ sine: { failOn: 'poison' } });
    const client = await StreamClient.open(server);
    client.say('This is poison.');
    client.send(END);
    expect(await client.ended()).toMatchObject({ error: 'synthesis_failed', code: 1011 });
    expect(client.error?.message).toBe('The speech engine failed on this text.');
  });

  it('of wrong markup is at most 80 characters of it', async () => {
    server = await startStreamServer();
    for (const text of [`<${'a'.repeat(900)}></b>`, `<sub ${'x'.repeat(900)}>`, `<${'é'.repeat(3_000)}`]) {
      const client = await StreamClient.open(server, { query: { enable_ssml_parsing: true } });
      client.say(text);
      client.send(END);
      expect(await client.ended()).toMatchObject({ error: 'invalid_ssml', code: 1008 });
      expect(client.error?.message).not.toMatch(/a{81}|x{81}|é{81}/);
      expect(client.error?.message?.length).toBeLessThan(300);
    }
  });
});
