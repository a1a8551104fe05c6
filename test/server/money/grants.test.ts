/** A key that is revoked while it works. */
import path from 'node:path';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, type TestServer, until } from '../../../testkit/server.js';
import { StreamClient, startStreamServer } from '../../stream-input/client.js';
import { createKey, ready } from '../../support/browser/pages.js';
import { adminSecretOf, makeHome, type ServeProcess, startServe } from '../../support/processes/serve-process.js';

const TEXT = 'This is a sentence that takes far longer to say than anybody waits for it here.';

describe('a key that is revoked or expires', () => {
  let server: TestServer;
  afterEach(() => server.close());

  it.each([
    ['revoked', 'revoked_api_key'],
    ['expired', 'expired_api_key'],
  ] as const)('loses its sessions, its streams and its answers, and pays nothing for them: %s', async (how, error) => {
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
    await (how === 'revoked' ? server.keyring.revoke(id) : server.expire(id));

    expect(await session.ended()).toMatchObject({ error, code: 1008, final: false });
    expect(await idle.ended()).toMatchObject({ error, code: 1008 });
    await expect(stream.arrayBuffer()).rejects.toThrow();
    expect(await errorOf(await whole)).toMatchObject({ status: 401, code: error });
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

describe('a key that is refused by another program beside the server', () => {
  const home = makeHome({ TTS_SINE_OPTIONS: JSON.stringify({ pace: 0.5 }) });
  let server: ServeProcess;
  beforeAll(async () => {
    server = await startServe(home);
    await ready(server);
  });
  afterAll(async () => {
    await server.kill('SIGKILL');
    home.remove();
  });

  /** Revoked by the command, or by an operator's SQL in the words of SQLite. */
  const sql =
    (statement: string) =>
    async (id: string): Promise<void> => {
      const raw = new Libsql(path.join(home.dataDir, 'accounts.db'));
      raw.prepare(statement).run(id);
      raw.close();
    };
  it.each([
    ['revoked', 'revoked_api_key', async (id: string): Promise<void> => void (await home.run('keys', 'revoke', id))],
    ['expired', 'expired_api_key', sql("UPDATE keys SET expires_at = datetime('now') WHERE id = ?")],
    ['deleted', 'invalid_api_key', sql('DELETE FROM keys WHERE id = ?')],
  ] as const)('loses its session as well: %s', async (_how, error, refuse) => {
    const key = await createKey(server.baseUrl, adminSecretOf(home), { tier: 'partner', credits: 1000 });
    const port = Number(new URL(server.baseUrl).port);
    const session = await StreamClient.open({ port, partner: { key } });
    session.send({ text: TEXT, flush: true });
    await session.untilAudio();
    await refuse(key.slice(4, 12));
    expect(await session.ended()).toMatchObject({ error, code: 1008, final: false });
  });
});
