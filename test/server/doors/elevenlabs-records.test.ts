/**
 * What the request log and the traces keep of ElevenLabs' sockets: a row and a span for each
 * stretch of speech.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RecordedSpan, recordSpans, type SpanAttributes, type TraceSpan } from '../../../src/trace.js';
import { startTestServer, type TestServer, until } from '../../../testkit/server.js';
import { ElevenLabsClient as Client } from '../../support/elevenlabs-client.js';

const TEXT = 'Good evening to everybody. ';
const CHARS = TEXT.trim().length;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const VOICE = 'english_female_professional';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ sine: { failOn: 'badly' }, requestLog: { days: 7, rows: 1_000 } });
});
afterAll(() => server.close());

const open = (kind: string, requestId: string, options: { key?: string; voice?: string } = {}) =>
  Client.open(server, kind, { ...options, headers: { 'x-request-id': requestId, traceparent: TRACEPARENT } });
const rowOf = async (requestId: string) => {
  const find = () => server.store.requestLog({ requestId, limit: 10 });
  await until(async () => (await find()).length > 0, `the row of ${requestId}`);
  const rows = await find();
  expect(rows).toHaveLength(1);
  return rows[0]!;
};

describe("the request log of ElevenLabs' sockets", () => {
  it('has one row for a connection to stream-input', async () => {
    const client = await open('stream-input', 'req_single');
    client.send({ text: ' ' }, { text: TEXT, flush: true }, { text: TEXT }, { text: '' });
    expect(await client.closed).toBe(1000);
    expect(await rowOf('req_single')).toMatchObject({
      route: 'elevenlabs_stream_input',
      keyId: server.partner.id,
      model: 'base-tts',
      voice: VOICE,
      outcome: 'completed',
      error: null,
      characters: (TEXT + TEXT).trim().length,
      credits: (TEXT + TEXT).trim().length,
      worker: server.worker.id,
      traceId: TRACE,
    });
  });

  it('has one row for each context, by the number behind the request id, with why one failed', async () => {
    const client = await open('multi-stream-input', 'req_multi');
    client.send({ text: TEXT, context_id: 'good' }, { close_context: true, context_id: 'good' });
    await client.final('good');
    client.send({ text: 'This goes badly. ', context_id: 'bad', flush: true });
    await client.final('bad');
    client.send({ text: TEXT, context_id: 'left', flush: true });
    await until(() => client.audio('left').length > 0);
    client.socket.terminate();
    const route = 'elevenlabs_multi_stream_input';
    expect(await rowOf('req_multi.1')).toMatchObject({
      route,
      outcome: 'completed',
      characters: CHARS,
      credits: CHARS,
    });
    expect(await rowOf('req_multi.2')).toMatchObject({
      route,
      outcome: 'failed',
      error: 'synthesis_failed',
      credits: 0,
    });
    expect(await rowOf('req_multi.3')).toMatchObject({ route, outcome: 'cancelled', error: null, credits: 0 });
    expect(await server.store.requestLog({ requestId: 'req_multi', limit: 1 })).toEqual([]);
  });

  it('has a row for a session that failed and for a handshake that was refused, and none without a key', async () => {
    const { key, id } = await server.key({ credits: 5 });
    const poor = await open('stream-input', 'req_poor', { key });
    poor.send({ text: ' ' }, { text: TEXT });
    expect(await poor.closed).toBe(1008);
    expect(await rowOf('req_poor')).toMatchObject({ keyId: id, outcome: 'failed', error: 'insufficient_credits' });

    const refused = (requestId: string, options: object) =>
      open('stream-input', requestId, options).catch(({ status }) => status);
    expect(await refused('req_free', { key: server.free.key })).toBe(403);
    expect(await rowOf('req_free')).toMatchObject({
      route: 'elevenlabs_stream_input',
      keyId: server.free.id,
      outcome: 'refused',
      error: 'early_access_required',
      traceId: TRACE,
    });
    expect(await refused('req_nobody', { voice: 'nobody' })).toBe(404);
    expect(await rowOf('req_nobody')).toMatchObject({ outcome: 'refused', error: 'voice_not_found', voice: null });
    expect(await refused('req_wrong', { key: 'wrong' })).toBe(401);
    expect(await server.store.requestLog({ requestId: 'req_wrong', limit: 1 })).toEqual([]);
  });
});

describe("the traces of ElevenLabs' sockets", () => {
  interface Span extends RecordedSpan {
    readonly way: readonly string[];
    attributes: SpanAttributes;
    ended?: { readonly error: string | undefined };
  }
  const spans: Span[] = [];
  /** Keeps every span with the names of those around it. */
  function record({ name, attributes = {} }: RecordedSpan, around: readonly string[] = []): TraceSpan {
    const span: Span = { name, attributes, way: [name, ...around] };
    spans.push(span);
    return {
      traceId: TRACE,
      traceparent: TRACEPARENT,
      child: (child, more) => record({ name: child, attributes: more }, span.way),
      set: (more) => {
        span.attributes = { ...span.attributes, ...more };
      },
      event: () => undefined,
      end: (error) => {
        span.ended ??= { error };
      },
    };
  }
  beforeAll(() => recordSpans((span) => record(span)));
  afterAll(() => recordSpans(undefined));
  afterEach(() => spans.splice(0));
  const ended = (name: string) => spans.filter((span) => span.name === name && span.ended !== undefined);

  it('go from the handshake to the settlement of every context', async () => {
    const client = await open('multi-stream-input', 'req_traced');
    for (const id of ['one', 'two']) {
      client.send({ text: TEXT, context_id: id }, { close_context: true, context_id: id });
      await client.final(id);
    }
    client.send({ close_socket: true });
    expect(await client.closed).toBe(1000);
    const door = 'GET /elevenlabs/v1/text-to-speech/:voice_id/multi-stream-input';
    await until(() => ended(door).length === 1, 'the end of the span');
    expect(ended(door)[0]).toMatchObject({
      ended: { error: undefined },
      attributes: { 'http.response.status_code': 101, 'tts.request_id': 'req_traced' },
    });
    expect(ended('speech').map(({ attributes }) => attributes)).toMatchObject(
      ['req_traced.1', 'req_traced.2'].map((id) => ({
        'tts.request_id': id,
        'tts.route': 'elevenlabs_multi_stream_input',
        'tts.outcome': 'completed',
        'tts.credits': CHARS,
      })),
    );
    for (const name of ['admission', 'queue', 'segment', 'first audio', 'settlement']) {
      expect(ended(name).map(({ way }) => way)).toEqual(Array(2).fill([name, 'speech', door]));
    }
  });

  it('end with the reason of a refusal and of a failure', async () => {
    await open('stream-input', 'req_refused', { key: server.free.key }).catch(() => undefined);
    const door = 'GET /elevenlabs/v1/text-to-speech/:voice_id/stream-input';
    expect(ended(door)).toMatchObject([
      { ended: { error: 'early_access_required' }, attributes: { 'http.response.status_code': 403 } },
    ]);
    const client = await open('stream-input', 'req_failed');
    client.send({ text: 'This goes badly. ', flush: true });
    await client.closed;
    await until(() => ended('speech').length === 1, 'the end of the speech');
    expect(ended('speech')[0]).toMatchObject({ ended: { error: 'synthesis_failed' } });
  });
});
