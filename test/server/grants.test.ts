/** A key that is revoked while it works, and memory that answers hold for their readers. */
import { createConnection, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { StreamClient, startStreamServer } from '../stream-input/client.js';
import { type Home, makeHome, type ServeProcess, startServe } from '../support/serve-process.js';
import { errorOf, startTestServer, type TestServer, until } from '../support/server.js';

const TEXT = 'This is a sentence that takes far longer to say than anybody waits for it here.';

describe('a key that is revoked', () => {
  let server: TestServer;
  afterEach(() => server.close());

  it('loses its sessions, its streams and its answers, and pays nothing for them', async () => {
    server = await startStreamServer({ sine: { pace: 0.5 } });
    const { key, id } = await server.key();
    const session = await StreamClient.open(server, { key });
    session.send({ text: TEXT, flush: true });
    await session.untilAudio();
    const idle = await StreamClient.open(server, { key });
    const stream = await server.speak({ model: 'base-tts', input: TEXT, stream: true }, { key });
    const whole = server.speak({ model: 'base-tts', input: TEXT }, { key });
    const other = await StreamClient.open(server);
    await until(() => server.accounts.active === 5);
    await server.keyring.revoke(id);

    expect(await session.ended()).toMatchObject({ error: 'revoked_api_key', code: 1008, final: false });
    expect(await idle.ended()).toMatchObject({ error: 'revoked_api_key', code: 1008 });
    await expect(stream.arrayBuffer()).rejects.toThrow();
    expect(await errorOf(await whole)).toMatchObject({ status: 401, code: 'revoked_api_key' });
    await until(() => server.accounts.active === 1);
    expect((await server.ledger(id)).map(({ outcome, credits }) => [outcome, credits])).toEqual(
      Array(4).fill(['failed', 0]),
    );
    expect(await server.balance(id)).toEqual({ credits: 1_000_000, reserved: 0 });
    // Another key is not bothered.
    other.say('Hello there.');
    expect(await other.finish()).toMatchObject({ code: 1000, final: true });
  });
});

describe('a key that is revoked beside the server', () => {
  let home: Home;
  let server: ServeProcess;
  afterEach(async () => {
    await server.kill('SIGKILL');
    home.remove();
  });

  it('loses its session as well', async () => {
    home = makeHome({ TTS_SINE_OPTIONS: JSON.stringify({ pace: 0.5 }) });
    server = await startServe(home);
    const made = await home.run('keys', 'create', '--tier', 'partner', '--credits', '1000', '--json');
    const partner = JSON.parse(made.stdout);
    await until(async () => (await fetch(`${server.baseUrl}/readyz`)).status === 200);
    const port = Number(new URL(server.baseUrl).port);
    const session = await StreamClient.open({ port, partner });
    session.send({ text: TEXT, flush: true });
    await session.untilAudio();
    expect((await home.run('keys', 'revoke', partner.id)).code).toBe(0);
    expect(await session.ended()).toMatchObject({ error: 'revoked_api_key', code: 1008, final: false });
  });
});

describe('answers that are not streamed', () => {
  let server: TestServer;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.close();
  });

  /** Asks, and reads nothing. */
  function askDeaf(input: string): void {
    const json = JSON.stringify({ model: 'base-tts', input });
    const socket = createConnection({ port: server.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(
      `POST /v1/audio/speech HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.partner.key}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`,
    );
    sockets.push(socket);
  }

  it('are held in one budget for all: beyond it 503 with Retry-After, and none is accepted', async () => {
    const maxHeldBytes = 1_000_000;
    server = await startTestServer({ sine: { delayMs: 2_000 }, settings: { maxHeldBytes } });
    // About 275 kB each by what speech needs.
    for (let i = 0; i < 3; i++) askDeaf(TEXT);
    await until(() => server.accounts.active === 3);
    const refused = await server.speak({ model: 'base-tts', input: TEXT });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'overloaded' });
    expect(await server.ledger()).toEqual([]);
    // A short one has room, and a streamed one needs none.
    const stream = server.speak({ model: 'base-tts', input: TEXT, stream: true });
    const short = server.speak({ model: 'base-tts', input: 'Hello.' });
    expect([(await stream).status, (await short).status]).toEqual([200, 200]);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(() => server.accounts.active <= 2);
    const again = await server.speak({ model: 'base-tts', input: TEXT });
    expect(again.status).toBe(200);
    await Promise.all([again.arrayBuffer(), (await stream).arrayBuffer(), (await short).arrayBuffer()]);
  });

  it('have room for a handful of the longest texts at once', async () => {
    server = await startTestServer({ sine: { msPerChar: 60 } });
    const input = TEXT.repeat(30).slice(0, 2_048);
    const answers = await Promise.all(Array.from({ length: 6 }, () => server.speak({ model: 'base-tts', input })));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  });

  it('are given up where they turn out larger than there is room for', async () => {
    server = await startTestServer({ sine: { msPerChar: 500 }, settings: { maxHeldBytes: 1_000_000 } });
    const refused = await server.speak({ model: 'base-tts', input: TEXT });
    expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'overloaded' });
    await until(() => server.accounts.active === 0 && server.gateway.stats.open === 0);
    expect(await server.ledger()).toEqual([]);
    const short = await server.speak({ model: 'base-tts', input: 'Hello.' });
    expect((await short.arrayBuffer()).byteLength).toBeGreaterThan(100_000);
  });

  it('are taken back from a reader that takes nothing', async () => {
    // Tens of megabytes, more than the operating system takes off our hands.
    server = await startTestServer({ sine: { msPerChar: 500 }, settings: { stallTimeoutMs: 500 } });
    askDeaf(TEXT.repeat(20));
    await until(() => server.accounts.active === 1);
    await until(async () => (await server.ledger()).length === 1, 'an end of the wait');
    expect((await server.ledger())[0]).toMatchObject({ outcome: 'cancelled', credits: 0 });
  });
});
