/**
 * Audio on its way: when it starts, how it waits for its reader, how it ends, and what that costs.
 */
import { getEventListeners } from 'node:events';
import { createConnection } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, type TestServerOptions, until } from '../../testkit/server.js';

const servers: TestServer[] = [];
async function start(options?: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer(options);
  servers.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const TEXT = 'Good evening, everybody. The train to the north leaves at seven. Mind the gap, and hold on tight.';
const chars = TEXT.length;
const LONG = Array.from(
  { length: 24 },
  (_, i) => `This is sentence number ${i} of a rather long text for a slow reader.`,
).join(' ');

const request = (server: TestServer, body: object, version = '1.1') => {
  const json = JSON.stringify({ model: 'base-tts', ...body });
  return `POST /v1/audio/speech HTTP/${version}\r\nhost: localhost\r\nauthorization: Bearer ${server.partner.key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
};
const untouched = { credits: 1_000_000, reserved: 0 };

describe('a streamed response', () => {
  it('begins when the first samples exist, while the engine still works', async () => {
    const server = await start({ sine: { pace: 4, msPerChar: 60 } });
    const response = await server.speak({ model: 'base-tts', input: TEXT, stream: true });
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(first.value!.length).toBeGreaterThan(44);
    expect(server.worker.running).toBeGreaterThan(0);
    expect(await server.ledger()).toEqual([]);
    while (!(await reader.read()).done);
    await until(async () => (await server.ledger()).length === 1);
  });

  it('slows down with its reader: neither the engine nor the memory runs ahead', async () => {
    const server = await start({ sine: { msPerChar: 200 } });
    const socket = createConnection({ port: server.port, host: '127.0.0.1' });
    socket.pause();
    socket.write(request(server, { input: LONG, stream: true }));
    await until(() => server.worker.jobs.length > 0);
    let before = -1;
    await until(async () => {
      await new Promise((resolve) => setTimeout(resolve, 250));
      const same = server.worker.jobs.length === before;
      before = server.worker.jobs.length;
      return same;
    }, 'standstill');
    expect(before).toBeLessThan(20);
    expect(server.worker.busy).toBe(0);
    socket.resume();
    await until(() => server.worker.jobs.length >= 24);
    await until(async () => (await server.ledger()).at(-1)?.outcome === 'completed');
    socket.destroy();
  });

  it('is given up when its reader takes nothing for long', async () => {
    const server = await start({ sine: { msPerChar: 200 }, settings: { stallTimeoutMs: 200 } });
    for (const stream of [true, false]) {
      const socket = createConnection({ port: server.port, host: '127.0.0.1' });
      socket.pause();
      socket.write(request(server, { input: LONG, stream }));
      const rows = (await server.ledger()).length;
      await until(async () => (await server.ledger()).length > rows);
      const row = (await server.ledger()).at(-1)!;
      expect(row).toMatchObject({ outcome: 'cancelled', credits: 0 });
      // What the network took counts as delivered.
      expect(row.deliveredCharacters).toBeGreaterThan(0);
      expect(row.deliveredCharacters).toBeLessThan(row.characters);
      socket.destroy();
    }
    expect(await server.balance(server.partner.id)).toEqual(untouched);
  });

  it('may have any number of slow readers beside it, without a warning in the log', async () => {
    const server = await start({ sine: { msPerChar: 500 }, limits: { partnerConcurrency: 20 } });
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => warnings.push(name);
    process.on('warning', onWarning);
    const sockets = Array.from({ length: 12 }, () => {
      const socket = createConnection({ port: server.port, host: '127.0.0.1' });
      socket.pause();
      socket.write(request(server, { input: LONG, stream: true }));
      return socket;
    });
    // Each is waited for, and the wait ends with the server.
    await until(() => getEventListeners(server.shutdown.signal, 'abort').length >= 12);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    for (const socket of sockets) socket.destroy();
    expect(warnings).toEqual([]);
  });

  it('that fails after its headers breaks off, is never ended cleanly, and costs nothing', async () => {
    const server = await start({ sine: { failOn: 'seven', pace: 20 } });
    const response = await server.speak({ model: 'base-tts', input: TEXT, stream: true });
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    await until(async () => (await server.ledger()).length === 1);
    const [row] = await server.ledger();
    expect(row).toMatchObject({ outcome: 'failed', credits: 0, characters: chars });
    expect(row!.audioMs).toBeGreaterThan(0);
    expect(await server.balance(server.partner.id)).toEqual(untouched);
    expect(server.gateway.stats.open).toBe(0);
  });

  it('that breaks after its headers is no refusal, whatever its code: a row, and the day keeps its count', async () => {
    const server = await start({ sine: { pace: 1 } });
    const { key, id } = server.free;
    const response = await server.speak({ model: 'base-tts:free', input: TEXT, stream: true }, { key });
    const reader = response.body!.getReader();
    await reader.read();
    const broken = expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow();
    // 503 `shutting_down`.
    await server.gateway.close();
    await broken;
    await until(async () => (await server.ledger(id)).length === 1);
    expect((await server.ledger(id))[0]).toMatchObject({ outcome: 'failed', credits: 0 });
    const today = (await server.store.listKeys()).find((one) => one.id === id)?.today;
    expect(today?.freeRequests).toBe(1);
  });

  it('breaks off by a reset where HTTP/1.0 knows no chunks', async () => {
    const server = await start({ sine: { failOn: 'seven', pace: 2 }, worker: { capacity: 1 } });
    const socket = createConnection({ port: server.port, host: '127.0.0.1' });
    socket.resume();
    socket.write(request(server, { input: TEXT, stream: true }, '1.0'));
    const error = await new Promise<NodeJS.ErrnoException>((resolve, reject) => {
      socket.once('error', resolve);
      socket.once('end', () => reject(new Error('It ended as if it were whole.')));
    });
    expect(error.code).toBe('ECONNRESET');
  });
});

describe('a client that leaves', () => {
  it.each([true, false])('drops its work at once and pays nothing (stream: %s)', async (stream) => {
    const server = await start({ sine: { pace: 2 } });
    const controller = new AbortController();
    const work = server.speak({ model: 'base-tts', input: LONG, stream }, { signal: controller.signal });
    const seen = stream ? work.then((response) => response.body!.getReader().read()) : work;
    if (stream) await seen;
    await until(() => server.worker.running > 0);
    const { jobs } = server.worker;
    controller.abort();
    if (!stream) await expect(work).rejects.toThrow();
    await until(async () => (await server.ledger()).length === 1);
    expect((await server.ledger())[0]).toMatchObject({ outcome: 'cancelled', credits: 0 });
    expect(await server.balance(server.partner.id)).toEqual(untouched);
    await until(() => server.worker.running === 0);
    expect(server.gateway.stats).toMatchObject({ open: 0, queuedSegments: 0, runningSegments: 0 });
    expect(server.accounts.active).toBe(0);
    expect(jobs.length).toBeLessThan(6);
  });

  it('before its body arrived leaves nothing behind', async () => {
    const server = await start();
    const socket = createConnection({ port: server.port, host: '127.0.0.1' });
    socket.write(request(server, { input: TEXT }).slice(0, -20));
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    await until(() => server.gateway.stats.open === 0 && server.accounts.active === 0);
    expect(await server.ledger()).toEqual([]);
  });
});

describe('what a request costs', () => {
  it('one credit a character once it was heard, and one row', async () => {
    const server = await start();
    for (const stream of [true, false]) {
      const response = await server.speak({ model: 'base-tts-fast', input: `  ${TEXT} `, stream });
      await response.arrayBuffer();
    }
    await until(async () => (await server.ledger()).length === 2);
    expect(await server.balance(server.partner.id)).toEqual({ credits: 1_000_000 - 2 * chars, reserved: 0 });
    for (const row of await server.ledger()) {
      expect(row).toMatchObject({
        keyId: server.partner.id,
        model: 'base-tts-fast',
        voice: 'english_female_professional',
        characters: chars,
        credits: chars,
        outcome: 'completed',
      });
      expect(row.audioMs).toBe([...TEXT].filter((char) => char !== ' ').length * 20);
      expect(row.requestId).toMatch(/^req_/);
    }
  });

  it('is reserved while it runs', async () => {
    const server = await start({ sine: { delayMs: 200 } });
    const work = server.speak({ model: 'base-tts', input: TEXT });
    await until(() => server.accounts.active === 1);
    expect(await server.balance(server.partner.id)).toEqual({ credits: 1_000_000, reserved: chars });
    await (await work).arrayBuffer();
    await until(async () => (await server.balance(server.partner.id)).credits === 1_000_000 - chars);
  });

  it('nothing with Free access, for a Partner key too, and nothing when it failed', async () => {
    const server = await start({ sine: { failAtOnceOn: 'cursed' } });
    await (await server.speak({ model: 'base-tts:free', input: TEXT })).arrayBuffer();
    await (await server.speak({ model: 'base-tts', input: 'A cursed sentence.' })).arrayBuffer();
    await until(async () => (await server.ledger()).length === 2);
    expect((await server.ledger()).map(({ outcome, credits }) => [outcome, credits])).toEqual([
      ['completed', 0],
      ['failed', 0],
    ]);
    expect(await server.balance(server.partner.id)).toEqual(untouched);
  });

  it('nothing at all with the key of the machine itself, which no limit holds', async () => {
    const localKey = `tts_${'L'.repeat(43)}`;
    const server = await start({ localKey, limits: { partnerConcurrency: 1 } });
    const all = await Promise.all(
      Array.from({ length: 6 }, () => server.speak({ model: 'base-tts', input: TEXT }, { key: localKey })),
    );
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill(200));
    await Promise.all(all.map((response) => response.arrayBuffer()));
  });
});
