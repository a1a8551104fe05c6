/**
 * What ElevenLabs' clients ask for beside speech: names of voices, the account, empty lists; and the
 * ways in which a page shows who it is on a socket.
 */
import pino from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { openEncoders } from '../../../src/audio/encoder.js';
import { OLDER_VOICES, PREMADE_VOICES } from '../../../src/server/doors/elevenlabs/names.js';
import { type TestServer, until } from '../../../testkit/server.js';
import { VirtualClock } from '../../../testkit/virtual-clock.js';
import { ElevenLabsClient as Client } from '../../support/elevenlabs-client.js';
import { testServers } from '../../support/processes/test-servers.js';

// Other suites of the same process may have left some.
const leftOpen = openEncoders();
const start = testServers(() => until(() => openEncoders() <= leftOpen, 'the end of the encoders'));
let server: TestServer;
beforeAll(async () => {
  server = await start();
});

const ask = async (path: string, { key = server.partner.key, method = 'GET' } = {}) => {
  const response = await fetch(`${server.baseUrl}/elevenlabs${path}`, { method, headers: { 'xi-api-key': key } });
  return { status: response.status, body: (await response.json()) as never };
};

describe('the account', () => {
  it('tells the credits of a Partner key as characters that are left', async () => {
    const { key, id } = await server.key({ credits: 1_234 });
    const { body: user } = await ask('/v1/user', { key });
    const { body: subscription } = await ask('/v1/user/subscription', { key });
    expect(subscription).toMatchObject({
      tier: 'partner',
      character_count: 0,
      character_limit: 1_234,
      status: 'active',
    });
    expect(user).toMatchObject({ user_id: id, subscription: { character_limit: 1_234 } });
    expect(JSON.stringify(user)).not.toContain(key);
    const { body: free } = await ask('/v1/user/subscription', { key: server.free.key });
    expect(free).toMatchObject({ tier: 'free', character_count: 0, character_limit: 200 * 10_000 });
    expect((await ask('/v1/user', { key: 'wrong' })).status).toBe(401);
  });

  it('has no history and no shared voices, and the settings that a voice has at first', async () => {
    expect((await ask('/v1/history')).body).toMatchObject({ history: [], has_more: false });
    expect((await ask('/v1/shared-voices')).body).toMatchObject({ voices: [], has_more: false });
    const settings = { stability: 0.5, similarity_boost: 0.75, style: 0, use_speaker_boost: true, speed: 1 };
    expect((await ask('/v1/voices/settings/default')).body).toEqual(settings);
    expect((await ask('/v1/voices/21m00Tcm4TlvDq8ikWAM/settings')).body).toEqual(settings);
    expect((await ask('/v1/voices/nobody/settings')).status).toBe(404);
  });

  it('lists the voices that everybody knows by their names, older ones where they are asked for', async () => {
    type Voices = { voices: { voice_id: string; name: string; is_legacy: boolean }[] };
    const named = async (query: string) => {
      const { voices } = (await ask(`/v1/voices${query}`)).body as Voices;
      return new Map(voices.map(({ voice_id: id, name }) => [id, name]));
    };
    const plain = await named('');
    const all = await named('?show_legacy=true');
    for (const [id, { name }] of PREMADE_VOICES) expect(plain.get(id)).toBe(name);
    for (const [id, { name }] of OLDER_VOICES) expect([plain.has(id), all.get(id)]).toEqual([false, name]);
    const { body } = await ask('/v2/voices?search=rachel');
    expect((body as Voices).voices.map(({ name }) => name)).toEqual(['Rachel']);
  });
});

describe('a socket whose handshake has no header for a key', () => {
  const anonymous = (query = '', on = server, kind = 'stream-input') =>
    Client.open(on, kind, { key: '', query: `output_format=pcm_24000${query}` });

  it.each([
    ['xi_api_key', ''],
    ['xi-api-key', ''],
    ['authorization', 'Bearer '],
  ])('takes one in the query or in the first message as %s', async (field, before) => {
    const { key, id } = await server.key();
    const asked = await anonymous(`&${field}=${encodeURIComponent(before + key)}`);
    asked.send({ text: ' ' }, { text: 'Hello there.' }, { text: '' });
    const told = await anonymous();
    told.send({ text: ' ', [field]: before + key }, { text: 'Hello there.' }, { text: '' });
    expect([await asked.closed, await told.closed]).toEqual([1000, 1000]);
    expect(told.audio().length).toBeGreaterThan(0);
    expect(told.audio().equals(asked.audio())).toBe(true);
    await until(async () => (await server.ledger(id)).length === 2);
  });

  it('takes one for every context of a connection in its first message', async () => {
    const client = await anonymous('', server, 'multi-stream-input');
    client.send({ text: ' ', context_id: 'a', xi_api_key: server.partner.key });
    client.send({ text: 'One. ', context_id: 'a', flush: true }, { text: 'Two. ', context_id: 'b', flush: true });
    client.send({ close_socket: true });
    expect(await client.closed).toBe(1000);
    expect(
      client.messages
        .filter(({ isFinal }) => isFinal)
        .map(({ contextId }) => contextId)
        .sort(),
    ).toEqual(['a', 'b']);
  });

  it.each([
    ['a wrong key', { xi_api_key: 'tts_wrong' }, 'invalid_api_key'],
    ['no key', {}, 'missing_api_key'],
  ])('ends with %s in the first message, and says why', async (_what, more, error) => {
    const client = await anonymous();
    client.send({ text: ' ', ...more });
    expect(await client.closed).toBe(1008);
    expect(client.messages.at(-1)).toMatchObject({ error });
  });

  it('ends with a Free key, and with one that is revoked while it is open', async () => {
    const free = await anonymous();
    free.send({ text: ' ', xi_api_key: server.free.key });
    expect(await free.closed).toBe(1008);
    expect(free.messages.at(-1)).toMatchObject({ error: 'early_access_required' });
    const { key, id } = await server.key();
    const revoked = await anonymous();
    revoked.send({ text: ' ', xi_api_key: key });
    await until(async () => server.accounts.active > 0);
    await server.keyring.revoke(id);
    expect(await revoked.closed).toBe(1008);
    expect(revoked.messages.at(-1)).toMatchObject({ error: 'revoked_api_key' });
  });

  it('has five seconds', async () => {
    const clock = new VirtualClock();
    const slow = await start({ clock });
    const client = await anonymous('', slow);
    await clock.advance(4_900);
    expect(client.messages).toEqual([]);
    await clock.advance(200);
    expect(await client.closed).toBe(1008);
    expect(client.messages).toEqual([expect.objectContaining({ error: 'missing_api_key' })]);
  });

  it('is one of its address: more than a few are refused until one of them leaves', async () => {
    const own = await start();
    const clients = await Promise.all(Array.from({ length: 16 }, () => anonymous('', own)));
    const refused = await anonymous('', own).catch(({ status }) => status);
    expect(refused).toBe(429);
    await expect(Client.open(own, 'stream-input')).resolves.toBeDefined();
    clients[0]!.send({ text: ' ', xi_api_key: own.partner.key });
    await until(async () => (await anonymous('', own).catch(() => undefined)) !== undefined);
    for (const { socket } of clients) socket.terminate();
  });

  it('writes no key and no token to the log', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const logged = await start({ log });
    const { key } = logged.partner;
    const client = await anonymous(`&xi_api_key=${key}`, logged);
    client.send({ text: ' ' }, { text: 'Hi.' }, { text: '' });
    await client.closed;
    const late = await anonymous('', logged);
    late.send({ text: ' ', xi_api_key: `${key}x` });
    await late.closed;
    await anonymous('&single_use_token=secret-token', logged).catch(() => undefined);
    await fetch(`${logged.baseUrl}/elevenlabs/v1/text-to-speech/x/stream-input?xi_api_key=${key}`);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('')).not.toContain(key.slice(12));
    expect(lines.join('')).not.toContain('secret-token');
  });
});

describe('a token for one use', () => {
  const token = async (key = server.partner.key) =>
    ask('/v1/single-use-token/tts_websocket', { key, method: 'POST' }) as Promise<{
      status: number;
      body: { token: string };
    }>;

  it('opens one socket in place of a key, and no second', async () => {
    const { key, id } = await server.key();
    const { body } = await token(key);
    expect(body.token).not.toContain(key.slice(4));
    const query = `output_format=pcm_24000&single_use_token=${body.token}`;
    const client = await Client.open(server, 'stream-input', { key: '', query });
    client.send({ text: ' ' }, { text: 'Hello there.' }, { text: '' });
    expect(await client.closed).toBe(1000);
    await until(async () => (await server.ledger(id)).length === 1);
    const again = await Client.open(server, 'stream-input', { key: '', query }).catch(({ status }) => status);
    expect(again).toBe(401);
  });

  it('is made for Partner keys and speech alone, and is no ticket of the contract', async () => {
    expect((await token(server.free.key)).status).toBe(403);
    expect((await ask('/v1/single-use-token/realtime_scribe', { method: 'POST' })).status).toBe(422);
    const { body } = await token();
    const { WebSocket } = await import('ws');
    const path = '/v1/text-to-speech/english_female_professional/stream-input';
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, ['tts.v1', `tts.ticket.${body.token}`]);
    socket.on('error', () => undefined);
    const status = await new Promise((resolve) =>
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode)),
    );
    expect(status).toBe(401);
  });
});
