/**
 * White space around a text and texts of which nothing can be spoken: the same at every way in, and
 * never paid for.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startTestServer, type TestServer, until } from '../../../testkit/server.js';

const VOICE = 'english_female_professional';
const MESSAGE = /^Nothing of the text can be spoken.*: it holds no word or number\. tts explain shows how/;
const OTHER_SCRIPT =
  /^Nothing of the text can be spoken: it is Mandarin, of which .* reads no letter\. A voice that fits is mandarin_female_/;
/** One of each kind: pictures, zero-width signs, another script, marks, markup. */
const SILENT = ['😀'.repeat(20), '\u200b', '\ufeff', '中文', '…', '* * *', '<br>', '\u200b \u0085'];

interface Told {
  status: number;
  code: string;
  message: string;
}
interface Door {
  readonly path: string;
  readonly body: (text: string) => object;
  readonly status: number;
  readonly told: (body: never) => Omit<Told, 'status'>;
}
const elevenlabs = (path: string): Door => ({
  path: `/elevenlabs/v1/text-to-speech/${VOICE}${path}`,
  body: (text) => ({ text }),
  status: 422,
  told: ({ detail }: { detail: { type: string; msg: string; loc: string[] }[] }) => {
    expect(detail[0]!.loc).toEqual(['body', 'text']);
    return { code: detail[0]!.type, message: detail[0]!.msg };
  },
});
const ours = (path: string, fields: object): Door => ({
  path,
  body: (input) => ({ voice: VOICE, input, ...fields }),
  status: 400,
  told: ({ error }: { error: { code: string; message: string; param: string } }) => {
    expect(error.param).toBe('input');
    return error;
  },
});
const DOORS: readonly Door[] = [
  ours('/v1/audio/speech', { model: 'base-tts' }),
  ours('/v1/audio/speech', { model: 'base-tts', stream: true }),
  ours('/v1/audio/speech', { model: 'base-tts-fast:free' }),
  ours('/openai/v1/audio/speech', { model: 'tts-1' }),
  ours('/openai/v1/audio/speech', { model: 'tts-1', stream_format: 'sse' }),
  ...['', '/stream', '/with-timestamps', '/stream/with-timestamps'].map(elevenlabs),
];

const servers: TestServer[] = [];
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  servers.push(server);
});
afterAll(() => Promise.all(servers.map((one) => one.close())));

const post = ({ path, body }: Door, text: string, key = server.partner.key) =>
  fetch(`${server.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body(text)),
  });

describe.each(DOORS)('POST $path', (door) => {
  it('refuses a text of which nothing can be spoken, and counts nothing', async () => {
    const { key, id } = await server.key({ credits: 100 });
    for (const text of SILENT) {
      const response = await post(door, text, key);
      expect([response.status, JSON.stringify(text)]).toEqual([door.status, JSON.stringify(text)]);
      const { code, message } = door.told((await response.json()) as never);
      expect(code).toBe('empty_input');
      expect(message).toMatch(text === '中文' ? OTHER_SCRIPT : MESSAGE);
    }
    expect(await server.ledger(id)).toEqual([]);
    expect(await server.balance(id)).toEqual({ credits: 100, reserved: 0 });
  });

  it("takes Unicode's White_Space for white space, and nothing else", async () => {
    for (const blank of ['\u0085 \u0085', '\u3000\u2028\u00a0', '']) {
      const response = await post(door, blank);
      expect(response.status).toBe(door.status);
      expect(door.told((await response.json()) as never).message).toMatch(/nothing but white space/);
    }
    const trimmed = await post(door, '\u0085\u3000 Hello there.\u2029\u0085');
    expect([trimmed.status, trimmed.headers.get('x-usage-input-characters')]).toEqual([200, '12']);
    await trimmed.arrayBuffer();
    const kept = await post(door, '\ufeffHello there.');
    expect(kept.headers.get('x-usage-input-characters')).toBe('13');
    await kept.arrayBuffer();
  });

  it('speaks whatever makes a sound, however little', async () => {
    for (const text of ['a', '😀 7 😀', '½', '中文 b']) {
      const response = await post(door, text);
      expect([text, response.status]).toEqual([text, 200]);
      await response.arrayBuffer();
    }
  });
});

it('is said before the key is asked for credits or a slot', async () => {
  const poor = await server.key({ credits: 1 });
  const [door] = DOORS;
  expect((await post(door!, '😀'.repeat(20), poor.key)).status).toBe(400);
  expect((await post(door!, 'Hello there.', poor.key)).status).toBe(402);
});

describe.each([
  ['/v1', `/v1/text-to-speech/${VOICE}/stream-input`],
  ['ElevenLabs', `/elevenlabs/v1/text-to-speech/${VOICE}/stream-input?output_format=pcm_24000`],
])('the socket of %s', (_name, path) => {
  it('is silent where nothing can be spoken, ends with Final and debits nothing', async () => {
    const { key, id } = await server.key({ credits: 1_000 });
    for (const text of SILENT) {
      const url = `ws://127.0.0.1:${server.port}${path}`;
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
      const messages: { audio?: string; isFinal?: boolean; error?: string }[] = [];
      socket.on('message', (data) => messages.push(JSON.parse(String(data))));
      await new Promise((resolve) => socket.once('open', resolve));
      for (const part of [' ', text, '']) socket.send(JSON.stringify({ text: part }));
      expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(1000);
      expect(messages.map(({ audio = '' }) => audio).join('')).toBe('');
      expect(messages.at(-1)).toMatchObject({ isFinal: true });
    }
    await until(async () => (await server.ledger(id)).length === SILENT.length);
    for (const row of await server.ledger(id))
      expect(row).toMatchObject({ outcome: 'completed', credits: 0, audioMs: 0 });
    expect(await server.balance(id)).toEqual({ credits: 1_000, reserved: 0 });
  });
});

describe('a request that turns out to make no sample', () => {
  it('completes and debits nothing, with its characters in the ledger', async () => {
    const silent = await startTestServer({ sine: { msPerChar: 0 }, billDelivered: true });
    servers.push(silent);
    const { key, id } = await silent.key({ credits: 100 });
    for (const stream of [false, true]) {
      const response = await silent.speak({ model: 'base-tts', input: 'Hello there.', stream }, { key });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    await until(async () => (await silent.ledger(id)).length === 2);
    for (const row of await silent.ledger(id)) {
      expect(row).toMatchObject({ outcome: 'completed', characters: 12, credits: 0, audioMs: 0 });
    }
    expect(await silent.balance(id)).toEqual({ credits: 100, reserved: 0 });
  });
});
