/**
 * Traces as a collector receives them: from the door to the engine, through a process here and one
 * behind NATS.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasNats, startNats } from '../../../testkit/nats.js';
import { until } from '../../../testkit/server.js';
import { END, SPACE, StreamClient } from '../../stream-input/client.js';
import { createKey, ready } from '../../support/browser/pages.js';
import { type ReceivedSpan, startOtlpReceiver } from '../../support/processes/otlp-receiver.js';
import { adminSecretOf, makeHome, startServe } from '../../support/processes/serve-process.js';

const BIN = path.resolve(import.meta.dirname, '../../../bin/tts.js');
const MODEL = 'base-tts-fast';
const TEXT = 'The first of two sentences is said. The second one follows it closely.';
const SPOKEN = ['speech', 'admission', 'queue', 'segment', 'engine', 'first audio', 'settlement'];

const open: (() => unknown)[] = [];
const closeAll = async () => {
  for (const close of open.splice(0).reverse()) await close();
};

async function receiver() {
  const started = await startOtlpReceiver();
  open.push(started.close);
  return started;
}

async function start(env: NodeJS.ProcessEnv, args: readonly string[] = []) {
  const home = makeHome(env);
  const server = await startServe(home, args);
  open.push(home.remove, () => server.kill('SIGTERM'));
  const key = await createKey(server.baseUrl, adminSecretOf(home), { tier: 'partner', credits: 10_000 });
  await ready(server);
  const speak = (body: object, traceparent?: string) =>
    fetch(`${server.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(traceparent !== undefined && { traceparent }),
      },
      body: JSON.stringify({ model: MODEL, ...body }),
    });
  return { home, server, key, speak, port: Number(new URL(server.baseUrl).port) };
}

const newTrace = (flags = '01') => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
};

/** The names from a span up to the caller, whose own span is not among those received. */
function wayOf(span: ReceivedSpan, spans: readonly ReceivedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentId);
  return [span.name, ...(parent === undefined ? [] : wayOf(parent, spans))];
}

describe('traces of a server', () => {
  let received: Awaited<ReturnType<typeof receiver>>;
  let started: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    received = await receiver();
    started = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: received.endpoint });
  });
  afterAll(closeAll);

  it('go from the door through admission, queue, segments and engine to the settlement, as parts of the caller', async () => {
    const { trace, faults } = received;
    const { speak, server } = started;
    const { traceId, spanId, traceparent } = newTrace();
    const response = await speak({ input: TEXT, stream: true }, traceparent);
    await response.arrayBuffer();
    const door = 'POST /v1/audio/speech';
    const spans = await trace(traceId, door, ...SPOKEN);

    const one = (name: string) => spans.find((span) => span.name === name)!;
    expect(one(door)).toMatchObject({ parentId: spanId, service: 'tts', failed: false });
    expect(one(door).attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'tts.request_id': response.headers.get('x-request-id'),
    });
    for (const name of SPOKEN.filter((name) => name !== 'speech' && name !== 'engine')) {
      for (const span of spans.filter((each) => each.name === name)) {
        expect(wayOf(span, spans)).toEqual([name, 'speech', door]);
      }
    }
    const engines = spans.filter(({ name }) => name === 'engine');
    for (const engine of engines) {
      expect(wayOf(engine, spans)).toEqual(['engine', 'segment', 'speech', door]);
      expect(engine).toMatchObject({ service: 'tts-engine', events: ['first audio'] });
    }
    expect(spans.filter(({ name }) => name === 'segment')).toHaveLength(2);
    expect(one('segment').attributes).toMatchObject({ 'tts.worker': expect.any(String), 'tts.attempt': 1 });
    expect(one('speech').attributes).toMatchObject({
      'tts.model': MODEL,
      'tts.outcome': 'completed',
      'tts.characters': TEXT.length,
      'tts.credits': TEXT.length,
      'tts.breaks': 0,
    });
    for (const { startMs, endMs } of spans) expect(startMs).toBeLessThanOrEqual(endMs);
    expect(one('settlement').startMs).toBeGreaterThanOrEqual(one('first audio').endMs);
    expect(JSON.stringify(spans)).not.toContain('sentences');
    await until(() => server.output.stderr.includes(`"traceId":"${traceId}"`), 'a log line with the trace');
    expect(server.output.stderr).toMatch(new RegExp(`"traceId":"${traceId}".*"msg":"speech ended"`));
    expect(faults).toEqual([]);
  });

  it('tell of a session, of a refusal and its reason, and begin by themselves where the caller names none', async () => {
    const { trace } = received;
    const { speak, key, port, home } = started;
    const session = newTrace();
    const headers = { authorization: `Bearer ${key}`, traceparent: session.traceparent };
    const client = await StreamClient.connect({ port, partner: { key } }, { headers });
    for (const message of [SPACE, { text: TEXT }, END]) client.send(message);
    await client.closed;
    const door = 'GET /v1/text-to-speech/:voice_id/stream-input';
    const spans = await trace(session.traceId, door, ...SPOKEN);
    const engine = spans.find(({ name }) => name === 'engine')!;
    expect(wayOf(engine, spans)).toEqual(['engine', 'segment', 'speech', door]);
    expect(spans.find(({ name }) => name === door)).toMatchObject({ parentId: session.spanId });

    const refused = newTrace();
    await speak({ input: TEXT, voice: 'nobody' }, refused.traceparent);
    const [span] = await trace(refused.traceId, 'POST /v1/audio/speech');
    expect(span).toMatchObject({ failed: true, attributes: { 'error.type': 'voice_not_found' } });

    const own = await speak({ input: TEXT }, 'no trace at all');
    await own.arrayBuffer();
    const id = own.headers.get('x-request-id')!;
    const rows = async () => JSON.parse((await home.run('requests', id, '--json')).stdout) as { trace_id: string }[];
    await until(async () => (await rows()).length === 1, 'the row of the request log');
    const { trace_id: traceId } = (await rows())[0]!;
    expect(traceId).toMatch(/^[\da-f]{32}$/);
    expect((await trace(traceId, ...SPOKEN)).find(({ parentId }) => parentId === '')).toBeDefined();
  });
});

describe('traces', () => {
  afterEach(closeAll);

  it('are left out where the caller or the sampler says so', async () => {
    const { endpoint, trace } = await receiver();
    const { speak } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      OTEL_SERVICE_NAME: 'kiosk',
    });
    const [unsampled, sampled] = [newTrace('00'), newTrace()];
    await (await speak({ input: TEXT }, unsampled.traceparent)).arrayBuffer();
    await (await speak({ input: TEXT })).arrayBuffer();
    await (await speak({ input: TEXT }, sampled.traceparent)).arrayBuffer();
    const spans = await trace(sampled.traceId, 'POST /v1/audio/speech', ...SPOKEN);
    expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['kiosk']));
    expect(await trace(unsampled.traceId)).toEqual([]);
  });

  it.runIf(hasNats())('cross NATS to the worker that speaks', async () => {
    const { endpoint, trace } = await receiver();
    const nats = await startNats();
    open.push(() => nats.close());
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TTS_NATS: nats.url };
    const home = makeHome(env);
    const worker = spawn(process.execPath, [BIN, 'worker', '--workers', '1'], { env: home.env, stdio: 'ignore' });
    open.push(home.remove, () => worker.kill('SIGKILL'));
    const { speak } = await start(env, ['--workers', '0']);
    const { traceId, traceparent } = newTrace();
    await (await speak({ input: TEXT }, traceparent)).arrayBuffer();
    const spans = await trace(traceId, 'POST /v1/audio/speech', ...SPOKEN);
    const engine = spans.find(({ name }) => name === 'engine')!;
    expect(wayOf(engine, spans)).toEqual(['engine', 'segment', 'speech', 'POST /v1/audio/speech']);
  });

  it('are not made without an endpoint, but the caller’s id is in the log; a wrong endpoint is refused at the start', async () => {
    const { server, speak, home } = await start({ OTEL_SERVICE_NAME: 'unused' });
    const { traceId, traceparent } = newTrace();
    await (await speak({ input: TEXT }, traceparent)).arrayBuffer();
    await until(() => server.output.stderr.includes(traceId), 'the id in the log');
    await server.kill('SIGTERM');
    const wrong = { ...home, env: { ...home.env, OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' } };
    await expect(startServe(wrong)).rejects.toThrow(/ended with 2: .*OTEL_EXPORTER_OTLP_ENDPOINT must be/s);
    const off = { ...wrong, env: { ...wrong.env, OTEL_SDK_DISABLED: 'true' } };
    const started = await startServe(off);
    await started.kill('SIGTERM');
  });
});
