/** The server inside a command. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ofOwnServer } from '../../../src/cli/connection.js';
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from '../../../src/cli/service/embedded.js';
import { loadConfig } from '../../../src/config.js';
import { silentLogger } from '../../../src/log.js';
import { publicError, TtsError } from '../../../src/protocol/errors.js';

const dir = mkdtempSync(path.join(tmpdir(), 'tts-test-'));
const open: EmbeddedServer[] = [];
async function start(env: NodeJS.ProcessEnv = {}, more: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> {
  const { config } = loadConfig({ env: { HOME: dir, TTS_ENGINE: 'sine', ...env } });
  const server = await startEmbedded({ config, log: silentLogger(), ...more });
  open.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const ask = ({ baseUrl, apiKey }: EmbeddedServer, route: string, body?: object) =>
  fetch(baseUrl + route, {
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });

describe('an embedded server', () => {
  it('lists voices without an engine, and starts one for the first speech', async () => {
    const server = await start();
    expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await ask(server, '/v1/voices?model=base-tts')).status).toBe(200);
    expect((await ask(server, '/readyz')).status).toBe(503);
    const response = await ask(server, '/v1/audio/speech', { model: 'base-tts', input: 'Hello there.' });
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    expect((await ask(server, '/readyz')).status).toBe(200);
  });

  it('starts its engine at once where speech is certain, and says when it is ready', async () => {
    const server = await start({}, { speech: true });
    await server.ready();
    expect((await ask(server, '/readyz')).status).toBe(200);
  });

  it('knows its own key alone, without a balance or limits', async () => {
    const server = await start({ TTS_PARTNER_CONCURRENCY: '1' });
    const body = { model: 'base-tts', input: 'Hello there, and good evening.' };
    const all = await Promise.all(Array.from({ length: 5 }, () => ask(server, '/v1/audio/speech', body)));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const stranger = { ...server, apiKey: 'tts_wrong' };
    expect((await ask(stranger, '/v1/voices?model=base-tts')).status).toBe(401);
  });

  it('says why it cannot speak', async () => {
    const server = await start({ TTS_ENGINE: 'kokoro', TTS_OFFLINE: 'true', TTS_MODEL_DIR: path.join(dir, 'none') });
    const error = await server.ready().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TtsError);
    expect((error as TtsError).code).toBe('offline');
    const response = await ask(server, '/v1/audio/speech', { model: 'base-tts', input: 'Hello.' });
    expect(response.status).toBe(503);
  });

  it('points to no log that nobody keeps, and to no id of a request that nobody sees', () => {
    const { message, code } = publicError(new Error('of our own'));
    const told = ofOwnServer(new TtsError(code, message, { requestId: 'req_1' })) as TtsError;
    expect(message).toMatch(/request id/);
    expect(told).toMatchObject({ code: 'internal_error', requestId: undefined });
    expect(told.message).toMatch(/^Something went wrong in the server\. Set TTS_LOG_LEVEL=error/);
  });

  it('is gone when it was closed, whatever it was doing', async () => {
    const server = await start({ TTS_SINE_OPTIONS: '{}' });
    const work = ask(server, '/v1/audio/speech', { model: 'base-tts', input: 'Hello there.' }).catch(() => undefined);
    await server.close();
    await work;
    await expect(fetch(`${server.baseUrl}/healthz`)).rejects.toThrow();
  });
});
