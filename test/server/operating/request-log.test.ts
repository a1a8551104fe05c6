/**
 * What the request log keeps of requests through each door, whom it shows which rows, and that it
 * is off where it is off.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { AdminRequest, AdminRequests } from '../../../src/protocol/admin.js';
import { errorOf, startTestServer, type TestServer, type TestServerOptions, until } from '../../../testkit/server.js';
import { END, SPACE, StreamClient, VOICE } from '../../stream-input/client.js';

const MODEL = 'base-tts-fast';
const TEXT = 'Zebras whisper nothing.';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

describe('the request log', () => {
  let server: TestServer | undefined;
  let secret = '';
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  const start = async (options: TestServerOptions = {}): Promise<TestServer> => {
    const bounds = { days: 7, rows: 1_000 };
    server = await startTestServer({
      settings: { web: 'auto' },
      requestLog: bounds,
      ...options,
    });
    secret = (await server.secret.begin())!;
    return server;
  };
  const ask = (query = '', bearer = secret) => server!.get(`/admin/v1/requests${query}`, bearer);
  const list = async (query = '', bearer = secret): Promise<AdminRequests> => {
    const response = await ask(query, bearer);
    expect(response.status).toBe(200);
    return (await response.json()) as AdminRequests;
  };
  const rowOf = async (requestId: string): Promise<AdminRequest> => {
    await until(async () => (await list(`?request=${requestId}`)).data.length > 0, `the row of ${requestId}`);
    const { data } = await list(`?request=${requestId}`);
    expect(data).toHaveLength(1);
    return data[0]!;
  };
  const named = (id: string, more: Record<string, string> = {}) => ({ headers: { 'x-request-id': id, ...more } });

  it('tells what became of a request: by whom, through which door, what it cost, who spoke it', async () => {
    const { speak, partner, worker } = await start();
    const response = await speak({ model: MODEL, input: TEXT }, named('req_whole', { traceparent: TRACEPARENT }));
    await response.arrayBuffer();
    const row = await rowOf('req_whole');
    expect(row).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      request_id: 'req_whole',
      key_id: partner.id,
      route: 'speech',
      model: MODEL,
      voice: VOICE,
      characters: TEXT.length,
      credits: TEXT.length,
      audio_ms: expect.any(Number),
      duration_ms: expect.any(Number),
      first_audio_ms: expect.any(Number),
      breaks: 0,
      outcome: 'completed',
      error: null,
      worker: worker.id,
      trace_id: TRACE,
    });
    expect(row.audio_ms).toBeGreaterThan(0);
  });

  it('tells of sessions, other doors, failures, clients that left and requests that were refused', async () => {
    const { speak, free, baseUrl, partner } = await start({ sine: { failOn: 'badly', pace: 3 } });
    const withKey = (id: string, key = partner.key) => ({
      headers: { 'x-request-id': id, authorization: `Bearer ${key}` },
    });
    const session = await StreamClient.connect(server!, withKey('req_session'));
    for (const message of [SPACE, { text: TEXT }, END]) session.send(message);
    await session.closed;
    expect(await rowOf('req_session')).toMatchObject({ route: 'stream_input', outcome: 'completed', error: null });

    const openai = await fetch(`${baseUrl}/openai/v1/audio/speech`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${partner.key}`,
        'content-type': 'application/json',
        'x-request-id': 'req_openai',
      },
      body: JSON.stringify({ model: 'tts-1', voice: 'alloy', input: TEXT, response_format: 'pcm' }),
    });
    await openai.arrayBuffer();
    expect(await rowOf('req_openai')).toMatchObject({ route: 'openai_speech', outcome: 'completed' });

    await (await speak({ model: MODEL, input: 'This goes badly.' }, named('req_failed'))).text();
    expect(await rowOf('req_failed')).toMatchObject({
      outcome: 'failed',
      error: 'synthesis_failed',
      credits: 0,
      first_audio_ms: null,
    });

    const leaving = new AbortController();
    const long = { model: MODEL, input: TEXT.repeat(40), stream: true };
    const streamed = await speak(long, { ...named('req_left'), signal: leaving.signal });
    await streamed.body!.getReader().read();
    leaving.abort();
    expect(await rowOf('req_left')).toMatchObject({ outcome: 'cancelled', error: null, credits: 0 });

    await speak({ model: MODEL, input: TEXT }, { ...named('req_tier'), key: free.key });
    expect(await rowOf('req_tier')).toMatchObject({
      outcome: 'refused',
      error: 'early_access_required',
      key_id: free.id,
      model: MODEL,
      voice: VOICE,
    });
    await speak({ model: MODEL, input: TEXT, voice: 'a private sentence' }, named('req_voice'));
    expect(await rowOf('req_voice')).toMatchObject({ outcome: 'refused', error: 'voice_not_found', voice: null });

    const wrong = { ...withKey('req_handshake'), query: { sync_alignment: 'x' } };
    await expect(StreamClient.connect(server!, wrong)).rejects.toThrow('400');
    expect(await rowOf('req_handshake')).toMatchObject({ route: 'stream_input', outcome: 'refused' });
    await expect(StreamClient.connect(server!, withKey('req_freely', free.key))).rejects.toThrow('403');
    expect(await rowOf('req_freely')).toMatchObject({ error: 'early_access_required', key_id: free.id });
  });

  it('keeps nothing of the text, and nothing of callers without a key', async () => {
    const { speak, store } = await start({ sine: { failOn: 'badly' } });
    await (await speak({ model: MODEL, input: TEXT }, named('req_1'))).arrayBuffer();
    await speak({ model: MODEL, input: `${TEXT} badly` }, named('req_2'));
    await speak({ model: MODEL, input: TEXT }, { ...named('req_3'), key: 'tts_wrong' });
    await speak({ model: TEXT, input: TEXT, voice: TEXT }, named('req_4'));
    await rowOf('req_4');
    const rows = await store.requestLog({ limit: 100 });
    expect(rows.map(({ requestId }) => requestId).sort()).toEqual(['req_1', 'req_2', 'req_4']);
    expect(JSON.stringify(rows)).not.toMatch(/zebra|whisper/i);
  });

  it('is given by page and filter, and says what is wrong with a filter', async () => {
    const { speak, store, free } = await start();
    for (let n = 0; n < 5; n++) await (await speak({ model: MODEL, input: TEXT }, named(`req_${n}`))).arrayBuffer();
    await speak({ model: MODEL, input: TEXT }, { ...named('req_5'), key: free.key });
    await until(async () => (await store.requestLog({ limit: 10 })).length === 6, 'six rows');
    const first = await list('?limit=4');
    const second = await list(`?limit=4&cursor=${first.next_cursor}`);
    expect(second.next_cursor).toBeNull();
    const ids = [...first.data, ...second.data].map(({ request_id }) => request_id);
    expect([...ids].sort()).toEqual(['req_0', 'req_1', 'req_2', 'req_3', 'req_4', 'req_5']);
    expect((await list('?status=refused')).data.map(({ request_id }) => request_id)).toEqual(['req_5']);
    expect((await list(`?key=${free.id}&status=completed`)).data).toEqual([]);
    expect((await list(`?since=${new Date(Date.now() - 60_000).toISOString()}`)).data).toHaveLength(6);
    expect((await list(`?since=${new Date(Date.now() + 60_000).toISOString()}`)).data).toEqual([]);
    for (const wrong of ['status=lost', 'limit=0', 'limit=501', 'since=soon', 'cursor=x']) {
      const told = await errorOf(await ask(`?${wrong}`));
      expect(told).toMatchObject({ status: 400, code: 'invalid_value', param: wrong.split('=')[0] });
    }
  });

  it('shows the holder of a key the rows of that key alone, and no names of machines', async () => {
    const { speak, key, partner } = await start();
    const other = await key();
    await (await speak({ model: MODEL, input: TEXT }, named('req_mine'))).arrayBuffer();
    await (await speak({ model: MODEL, input: TEXT }, { ...named('req_other'), key: other.key })).arrayBuffer();
    await rowOf('req_mine');
    await rowOf('req_other');
    const { data } = await list(`?key=${other.id}`, partner.key);
    expect(data).toMatchObject([{ request_id: 'req_mine', key_id: partner.id, worker: null }]);
    expect((await list('?request=req_other', partner.key)).data).toEqual([]);
    expect((await server!.get('/admin/v1/requests', '')).status).toBe(401);
  });

  it('is off where the settings keep none: nothing is written, and the answer names the settings', async () => {
    server = await startTestServer({ settings: { web: 'auto' } });
    secret = (await server.secret.begin())!;
    await (await server.speak({ model: MODEL, input: TEXT })).arrayBuffer();
    await until(async () => (await server!.ledger()).length === 1, 'the ledger row');
    const told = await errorOf(await ask());
    expect(told).toMatchObject({ status: 404, code: 'request_log_off' });
    expect(told.message).toContain('--request-log-days');
    expect(await server.store.requestLog({ limit: 1 })).toEqual([]);
  });
});
