/**
 * What becomes of requests and sessions that do not end within the time a stopping server gives
 * them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyring } from '../../../src/accounts/keyring.js';
import { openSqliteStore } from '../../../src/accounts/sqlite/store.js';
import { createService, type Service } from '../../../src/cli/service/service.js';
import { loadConfig } from '../../../src/config.js';
import { silentLogger } from '../../../src/log.js';
import { until } from '../../../testkit/server.js';
import { StreamClient } from '../../stream-input/client.js';

const root = mkdtempSync(path.join(tmpdir(), 'tts-test-'));
const before = process.env.TTS_SINE_OPTIONS;
afterAll(() => {
  if (before === undefined) delete process.env.TTS_SINE_OPTIONS;
  else process.env.TTS_SINE_OPTIONS = before;
  rmSync(root, { recursive: true, force: true });
});

let service: Service;
let port: number;
let file: string;
let partner: { key: string; id: string };

async function start(sine: object): Promise<void> {
  process.env.TTS_SINE_OPTIONS = JSON.stringify(sine);
  const dir = mkdtempSync(path.join(root, 'one-'));
  file = path.join(dir, 'accounts.db');
  const { config } = loadConfig({ env: { HOME: dir, TTS_ENGINE: 'sine' } });
  const store = await openSqliteStore(file);
  partner = await createKeyring(store).create({ tier: 'partner', credits: 500_000 });
  service = await createService({
    config,
    log: silentLogger(),
    store,
    localKey: 'tts_local',
    settings: { docs: false },
    metrics: false,
    engine: { start: 'now', models: [] },
  });
  ({ port } = await service.listen('127.0.0.1', 0));
  await service.ready();
}
afterEach(() => service.stop(0));

const speak = (body: object) =>
  fetch(`http://127.0.0.1:${port}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${partner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'base-tts', input: 'This takes far too long to say.', ...body }),
  });

/** Nothing is reserved any more, and these are the rows. */
async function expectRows(...rows: object[]): Promise<void> {
  const again = await openSqliteStore(file);
  expect(await again.findKey(partner.id)).toMatchObject({ credits: 500_000, reserved: 0 });
  const found = [];
  for await (const row of again.usage({})) found.push(row);
  expect(found).toMatchObject(rows);
  await again.close();
}

describe('a stop', () => {
  beforeEach(() => start({ pace: 0.2 }));

  it('breaks off a stream that does not end in time, returns its credits, and leaves a row', async () => {
    const response = await speak({ stream: true });
    expect(response.status).toBe(200);
    const broken = expect(response.arrayBuffer()).rejects.toThrow();
    await Promise.all([service.stop(100), service.stop(100)]);
    await broken;
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    await expectRows({ outcome: 'failed', credits: 0, characters: 31 });
  });

  it('answers a request that is not streamed with 503 at the end of its time', async () => {
    const answer = speak({});
    await until(() => service.gateway.stats.open === 1);
    await Promise.all([service.stop(300), answer]);
    const response = await answer;
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await response.json()).toMatchObject({ error: { code: 'shutting_down', type: 'server_error' } });
    await expectRows({ outcome: 'failed', credits: 0, characters: 31 });
  });

  it('ends with pipelined requests whose client is gone', async () => {
    const json = JSON.stringify({ model: 'base-tts', input: 'This takes far too long to say.' });
    const post = `POST /v1/audio/speech HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${partner.key}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`;
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.write(post + post);
    await until(() => service.gateway.stats.open === 2);
    socket.resetAndDestroy();
    await until(() => service.gateway.stats.open === 0);
    // Long beyond the time of the test.
    await service.stop(600_000);
    await expectRows({ outcome: 'cancelled' }, { outcome: 'cancelled' });
  });
});

describe('a stop is not held up by', () => {
  const LONG = 600_000;

  it('a WebSocket that never answers its close', async () => {
    await start({});
    const server = { port, partner } as unknown as Parameters<typeof StreamClient.open>[0];
    const deaf = await StreamClient.open(server);
    await until(() => service.gateway.stats.open === 1);
    deaf.socket.pause();
    await service.stop(LONG);
    await expectRows({ outcome: 'failed', credits: 0, characters: 0 });
  });

  it('a WebSocket that has audio to read and reads none', async () => {
    await start({ msPerChar: 2_000 });
    const server = { port, partner } as unknown as Parameters<typeof StreamClient.open>[0];
    const deaf = await StreamClient.open(server);
    deaf.socket.pause();
    deaf.say('A very long story that goes on and on. '.repeat(40));
    await until(() => service.gateway.stats.open === 1);
    await sleep(1_000);
    await service.stop(LONG);
    await expectRows({ outcome: 'failed', credits: 0 });
  });

  it('a reader of a stream that reads none of it', async () => {
    await start({ msPerChar: 2_000 });
    const input = 'A very long story that goes on and on. '.repeat(50);
    const json = JSON.stringify({ model: 'base-tts', input, stream: true });
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(
      `POST /v1/audio/speech HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${partner.key}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`,
    );
    await until(() => service.gateway.stats.open === 1);
    await sleep(1_000);
    await service.stop(LONG);
    socket.destroy();
    await expectRows({ outcome: 'cancelled', credits: 0 });
  });
});
