/**
 * A door of a dialect that nobody speaks, added to a real server as CONTRIBUTING.md says: one
 * folder, one line.
 */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { AdminRequests } from '../../../src/protocol/admin.js';
import { pcmBytes } from '../../../src/protocol/audio.js';
import { Type } from '../../../src/protocol/schema.js';
import type { Door } from '../../../src/server/door.js';
import { loadDoors } from '../../../src/server/doors/index.js';
import { takeJson } from '../../../src/server/json-body.js';
import { type SocketDialect, UNNAMED } from '../../../src/server/sockets/speech-session.js';
import { pcmBody } from '../../../src/server/speech/pcm-body.js';
import { addSpeechRoute } from '../../../src/server/speech/speech-endpoint.js';
import { spokenInput } from '../../../src/server/speech/spoken-input.js';
import { startTestServer, type TestServer, until } from '../../../testkit/server.js';

const VOICE = 'english_female_professional';
const TEXT = 'Polly wants a cracker. ';

/** Text frames are spoken, an empty one ends; audio comes back as JSON. */
const PARROT_MESSAGES: SocketDialect = {
  receive(data, _isBinary, contexts) {
    if (data.length === 0) contexts.endAll();
    else contexts.get(UNNAMED)?.append(data.toString());
  },
  codec: () => ({
    final: { bye: true },
    *encode(event) {
      if (event.type === 'audio') yield { squawk: pcmBytes(event.pcm).toString('base64') };
    },
    *finish() {},
  }),
  sessionError: ({ code }) => ({ ouch: code }),
};

const Say = Type.Object({ say: Type.String() });

const PARROT: Door = {
  prefix: '/parrot',
  routes(app, parts) {
    takeJson(app);
    addSpeechRoute<{ Body: { say: string } }>(app, parts, {
      path: '/say',
      route: 'parrot_say',
      schema: { hide: true, body: Say },
      order: ({ body }) => ({
        model: 'base-tts',
        voice: VOICE,
        input: spokenInput(body.say, 'say', 100),
        body: () => pcmBody('pcm'),
      }),
    });
  },
  sockets: ({ permits }) => [
    {
      path: '/cage/:voice_id',
      route: 'parrot_cage',
      async accept({ requestId, voiceId: voice, trace, authenticate }) {
        const key = await authenticate();
        const model = 'base-tts';
        const speech = await permits.open({ route: 'parrot_cage', key, requestId, model, voice, trace });
        return { model, speech, inactivityS: 5, dialect: PARROT_MESSAGES };
      },
    },
  ],
  errors: ({ code }) => ({ status: 418, body: { ouch: code } }),
  page: { name: 'parrot', title: "The parrot's dialect", body: () => '<p>Say something.</p>' },
};

describe('a door that was added', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      doors: async (settings) => [...(await loadDoors(settings)), PARROT],
      settings: { docs: true, web: 'auto' },
      requestLog: { days: 1, rows: 100 },
    });
  });
  afterAll(() => server.close());

  const say = (body: object, key = server.partner.key) =>
    fetch(`${server.baseUrl}/parrot/say`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': 'req_parrot' },
      body: JSON.stringify(body),
    });
  const cage = (headers: Record<string, string>, voice = VOICE) =>
    new WebSocket(`ws://127.0.0.1:${server.port}/parrot/cage/${voice}`, { headers });
  const pcm = async (input: string) => {
    const response = await server.speak({ model: 'base-tts', input, response_format: 'pcm', stream: true });
    return Buffer.from(await response.arrayBuffer());
  };

  it('speaks over HTTP with the keys, limits, credits and headers of the others', async () => {
    const response = await say({ say: TEXT, loudly: true });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/pcm',
      'x-usage-input-characters': String(TEXT.trim().length),
      'x-ignored-fields': 'loudly',
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(await pcm(TEXT.trim()))).toBe(true);
  });

  it('speaks over a WebSocket', async () => {
    const { key, id } = await server.key({ credits: 100 });
    const socket = cage({ authorization: `Bearer ${key}` });
    const messages: { squawk?: string; bye?: boolean }[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    await once(socket, 'open');
    for (const piece of [TEXT.slice(0, 9), TEXT.slice(9), '']) socket.send(piece);
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(1000);
    expect(messages.at(-1)).toEqual({ bye: true });
    const audio = Buffer.concat(messages.map(({ squawk = '' }) => Buffer.from(squawk, 'base64')));
    expect(audio.equals(await pcm(TEXT))).toBe(true);
    const chars = TEXT.trim().length;
    await until(async () => (await server.ledger(id)).length === 1);
    expect((await server.ledger(id))[0]).toMatchObject({ outcome: 'completed', characters: chars, credits: chars });
  });

  it('tells every error in its own shape: of a route, of a handshake, of a session, of a path it does not have', async () => {
    expect(await (await say({ say: '' })).json()).toEqual({ ouch: 'empty_input' });
    expect(await (await say({ say: TEXT }, 'wrong')).json()).toEqual({ ouch: 'invalid_api_key' });
    const unknown = await fetch(`${server.baseUrl}/parrot/sing`);
    expect([unknown.status, await unknown.json()]).toEqual([418, { ouch: 'not_found' }]);
    const plain = await fetch(`${server.baseUrl}/parrot/cage/${VOICE}`);
    expect([plain.status, await plain.json()]).toEqual([418, { ouch: 'upgrade_required' }]);

    const refused = cage({ authorization: 'Bearer wrong' });
    const [, response] = (await once(refused, 'unexpected-response')) as [unknown, AsyncIterable<Buffer>];
    let body = '';
    for await (const chunk of response) body += String(chunk);
    expect(JSON.parse(body)).toEqual({ ouch: 'invalid_api_key' });

    const { key } = await server.key({ credits: 3 });
    const poor = cage({ authorization: `Bearer ${key}` });
    const last = once(poor, 'message') as Promise<[Buffer]>;
    await once(poor, 'open');
    poor.send(TEXT);
    expect(JSON.parse(String((await last)[0]))).toEqual({ ouch: 'insufficient_credits' });
  });

  it('has its page, its series in the metrics and its rows in the request log', async () => {
    expect(await (await fetch(`${server.baseUrl}/docs/parrot`)).text()).toContain('Say something.');
    const metrics = await server.metrics.text();
    for (const route of ['parrot_say', 'parrot_cage']) {
      expect(metrics).toContain(`tts_refused_requests_total{route="${route}",code="overloaded"} 0`);
    }
    const secret = (await server.secret.begin())!;
    const rows = async () => {
      const answer = await server.get('/admin/v1/requests?request=req_parrot', secret);
      return ((await answer.json()) as AdminRequests).data;
    };
    await until(async () => (await rows()).length > 0, 'the row');
    expect((await rows()).at(-1)).toMatchObject({ route: 'parrot_say', outcome: 'completed' });
  });
});
