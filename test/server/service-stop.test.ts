/** What becomes of requests that do not end within the time a stopping server gives them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyring } from '../../src/accounts/keyring.js';
import { openSqliteStore } from '../../src/accounts/sqlite-store.js';
import { createService } from '../../src/cli/service.js';
import { loadConfig } from '../../src/config.js';
import { silentLogger } from '../../src/log.js';

const dir = mkdtempSync(path.join(tmpdir(), 'tts-test-'));
const before = process.env.TTS_SINE_OPTIONS;
beforeAll(() => {
  process.env.TTS_SINE_OPTIONS = JSON.stringify({ pace: 0.2 });
});
afterAll(() => {
  if (before === undefined) delete process.env.TTS_SINE_OPTIONS;
  else process.env.TTS_SINE_OPTIONS = before;
  rmSync(dir, { recursive: true, force: true });
});

describe('a stop', () => {
  it('breaks off what does not end in time, returns its credits, and leaves a row', async () => {
    const file = path.join(dir, 'accounts.db');
    const { config } = loadConfig({ env: { HOME: dir, TTS_ENGINE: 'sine' } });
    const store = await openSqliteStore(file);
    const { key, id } = await createKeyring(store).create({ tier: 'partner', credits: 500 });
    const service = await createService({
      config,
      log: silentLogger(),
      store,
      localKey: 'tts_local',
      settings: { docs: false },
      metrics: false,
      engine: { start: 'now', models: [] },
    });
    const { port } = await service.listen('127.0.0.1', 0);
    await service.ready();
    const response = await fetch(`http://127.0.0.1:${port}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'base-tts', input: 'This takes far too long to say.', stream: true }),
    });
    expect(response.status).toBe(200);
    const rest = response.arrayBuffer();
    const broken = expect(rest).rejects.toThrow();
    await Promise.all([service.stop(100), service.stop(100)]);
    await broken;
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();

    const again = await openSqliteStore(file);
    expect(await again.findKey(id)).toMatchObject({ credits: 500, reserved: 0 });
    const rows = [];
    for await (const row of again.usage({})) rows.push(row);
    expect(rows).toMatchObject([{ outcome: 'cancelled', credits: 0, characters: 31 }]);
    await again.close();
  });
});
