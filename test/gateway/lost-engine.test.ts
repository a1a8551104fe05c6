/** Engine processes killed, frozen and unread under a server: no byte of an answer changes. */
import { createConnection } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { SineOptions } from '../../src/engine/sine.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import { createProcessWorker } from '../../src/gateway/workers/process-worker.js';
import { type TestServer, until } from '../../testkit/server.js';
import { END, StreamClient, startStreamServer } from '../stream-input/client.js';
import { whenReady } from '../support/books/jobs.js';
import { pidLog } from '../support/processes/pid-log.js';

/** Long enough for a busy machine, short enough to wait for. */
const SILENCE_MS = 4_000;
const TEXT = 'Good evening, everybody. The train to the north leaves at seven. Mind the gap, and hold on tight.';

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(sine: SineOptions, workers = 1, capacity = 6) {
  const engines = Array.from({ length: workers }, (_, i) => {
    const { log, pid } = pidLog();
    const options = { engine: 'sine', sine: { msPerChar: 40, ...sine } } as const;
    const settings = { id: `e${i}`, options, log, backoffMs: 20, silenceMs: SILENCE_MS, capacity };
    return { worker: createProcessWorker(settings), pid };
  });
  const pool = new WorkerPool(engines.map(({ worker }) => worker));
  const server = await startStreamServer({ gateway: { pool }, limits: { partnerConcurrency: 20 } });
  servers.push(server);
  await Promise.all(engines.map(({ worker }) => whenReady(worker)));
  return { server, engines, engine: engines[0]! };
}

const speech = (server: TestServer, stream: boolean, model = 'base-tts') =>
  server.speak({ model, input: TEXT, stream, response_format: 'pcm' });
const bytesOf = async (response: Promise<Response>) => {
  const answer = await response;
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
};

describe('an engine process that is killed in the middle of a segment', () => {
  it('is not heard in a stream', async () => {
    const { server, engine } = await start({ pace: 4 });
    const undisturbed = await bytesOf(speech(server, true));
    const response = await speech(server, true);
    const parts: Uint8Array[] = [];
    for await (const part of response.body!) {
      parts.push(part);
      if (parts.length === 4 || parts.length === 12) process.kill(engine.pid(), 'SIGKILL');
    }
    expect(engine.worker.restarts).toBeGreaterThan(0);
    expect(Buffer.concat(parts).equals(undisturbed)).toBe(true);
    await until(async () => (await server.ledger()).length === 2);
    expect((await server.ledger()).map(({ outcome, credits }) => [outcome, credits])).toEqual(
      Array(2).fill(['completed', TEXT.length]),
    );
  });

  it('is not heard in a buffered response', async () => {
    const { server, engine } = await start({ pace: 4 });
    const undisturbed = await bytesOf(speech(server, false));
    for (let i = 0; i < 3; i += 1) {
      const answer = bytesOf(speech(server, false));
      await until(() => engine.worker.busy > 0);
      await new Promise((resolve) => setTimeout(resolve, 150 * i));
      process.kill(engine.pid(), 'SIGKILL');
      expect((await answer).equals(undisturbed)).toBe(true);
      await whenReady(engine.worker);
    }
    expect(engine.worker.restarts).toBe(3);
  });

  it('is not heard in a stream-input session', async () => {
    const { server, engine } = await start({ pace: 4 });
    const speak = async (disturb: () => void) => {
      const client = await StreamClient.open(server);
      client.say(`${TEXT} `);
      client.send(END);
      await client.untilAudio();
      disturb();
      const { audio, code, final } = await client.ended();
      expect({ code, final }).toEqual({ code: 1000, final: true });
      return audio;
    };
    const undisturbed = await speak(() => undefined);
    const heard = await speak(() => process.kill(engine.pid(), 'SIGKILL'));
    expect(engine.worker.restarts).toBe(1);
    expect(heard.equals(undisturbed)).toBe(true);
  });
});

describe('an engine process that is frozen', () => {
  it('is replaced, and all waiting requests are answered, also later ones', async () => {
    const { server, engine } = await start({ pace: 20 }, 1, 2);
    const undisturbed = await bytesOf(speech(server, true));
    const answers = [true, false, true, false, true].map((stream) => bytesOf(speech(server, stream)));
    await until(() => engine.worker.busy === 2 && server.gateway.stats.queuedSegments > 0);
    process.kill(engine.pid(), 'SIGSTOP');
    answers.push(bytesOf(speech(server, false)));
    for (const answer of await Promise.all(answers)) expect(answer.equals(undisturbed)).toBe(true);
    expect(engine.worker.restarts).toBe(1);
  });

  it('is given no job in place of a cancelled one that it did not acknowledge', async () => {
    const { server, engines } = await start({ pace: 20 }, 2, 1);
    const undisturbed = await bytesOf(speech(server, true));
    process.kill(engines[0]!.pid(), 'SIGSTOP');
    const abort = new AbortController();
    const hung = Promise.allSettled(
      [1, 2].map(() =>
        server
          .speak({ model: 'base-tts', input: TEXT }, { signal: abort.signal })
          .then((response) => response.arrayBuffer()),
      ),
    );
    await until(() => engines[0]!.worker.busy === 1);
    abort.abort();
    await hung;
    for (let i = 0; i < 4; i += 1) {
      expect(engines[0]!.worker.busy).toBe(1);
      expect((await bytesOf(speech(server, true))).equals(undisturbed)).toBe(true);
      if (engines[0]!.worker.restarts > 0) break;
    }
    await until(() => engines[0]!.worker.restarts === 1);
  });
});

it('serves others while many clients read nothing of long speech', async () => {
  const { server, engine } = await start({ msPerChar: 400 }, 1, 2);
  const input = 'This is a sentence that nobody reads, and it goes on for quite a while. '.repeat(20);
  const body = JSON.stringify({ model: 'base-tts', input, stream: true });
  const sockets = Array.from({ length: 8 }, () => {
    const socket = createConnection({ port: server.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(
      `POST /v1/audio/speech HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.partner.key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    return socket;
  });
  try {
    await until(
      () => server.gateway.stats.open === 8 && engine.worker.busy === 0 && server.gateway.stats.queuedSegments === 0,
    );
    expect(server.gateway.stats.runningSegments).toBeGreaterThan(2);
    expect((await bytesOf(speech(server, true))).length).toBeGreaterThan(0);
    expect((await bytesOf(speech(server, false))).length).toBeGreaterThan(0);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
