/**
 * What traces cost a server, in processor time a request, in one run: the calls that make spans
 * where none are exported, next to a whole request with a tone for a voice; and whole requests
 * whose caller names a trace, and whose spans are exported.
 *
 *   npm run bench -- traces [--requests 200] [--rounds 5]
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { SegmentSpans } from '../../src/gateway/segment-spans.js';
import { beginSpan } from '../../src/trace.js';
import { startTracing } from '../../src/tracing.js';
import { startTestServer } from '../../testkit/server.js';

const TEXT = 'The four of them walked back along the river. Nobody said a word.';
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const CALLS = 1_000_000;

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** The calls of one request of two segments, as server, gateway and engine make them. */
function spansOfRequest(n: number): void {
  const attributes = { 'http.request.method': 'POST', 'http.route': '/v1/audio/speech', 'tts.request_id': `req_${n}` };
  const door = beginSpan(undefined, { name: 'POST /v1/audio/speech', attributes, startMs: n });
  const about = { 'tts.request_id': `req_${n}`, 'tts.key_id': 'key', 'tts.route': 'speech' };
  const speech = door.child('speech', { ...about, 'tts.model': 'base-tts', 'tts.voice': 'v' });
  speech.child('admission').end();
  for (let segment = 0; segment < 2; segment++) {
    const spans = new SegmentSpans(speech, TEXT.length);
    spans.started('worker', 1);
    spans.audio();
    spans.ended();
  }
  speech.child('first audio', undefined, n).end();
  speech.child('settlement').end();
  speech.set({ 'tts.characters': n, 'tts.credits': n, 'tts.audio_ms': n });
  speech.set({ 'tts.outcome': 'completed', 'tts.breaks': 0 });
  speech.end();
  door.set({ 'http.response.status_code': 200 });
  door.end();
}

export async function main(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: { requests: { type: 'string', default: '200' }, rounds: { type: 'string', default: '5' } },
  });
  const requests = Number(values.requests);
  const server = await startTestServer();
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

  const round = async (headers: Record<string, string>): Promise<number> => {
    const before = process.cpuUsage();
    for (let n = 0; n < requests; n++) {
      await (await server.speak({ model: 'base-tts-fast', input: TEXT, stream: true }, { headers })).arrayBuffer();
    }
    return cpuMs(before) / requests;
  };
  const best = { off: Number.POSITIVE_INFINITY, carried: Number.POSITIVE_INFINITY, exported: Number.POSITIVE_INFINITY };
  await round({});
  for (let n = 0; n < Number(values.rounds); n++) {
    best.off = Math.min(best.off, await round({}));
    best.carried = Math.min(best.carried, await round({ traceparent: TRACEPARENT }));
    const stop = startTracing({ service: 'bench', env: process.env, onTrouble: console.error });
    best.exported = Math.min(best.exported, await round({ traceparent: TRACEPARENT }));
    await stop();
  }
  spansOfRequest(0);
  const before = process.cpuUsage();
  for (let n = 0; n < CALLS; n++) spansOfRequest(n);
  const callsMs = cpuMs(before) / CALLS;

  const percent = (ms: number) => `${((ms / best.off) * 100).toFixed(2)}%`;
  console.log(`a request without traces: ${best.off.toFixed(3)} ms of processor time, client included`);
  console.log(`the calls that make no span: ${(callsMs * 1e6).toFixed(0)} ns, ${percent(callsMs)} of it`);
  console.log(`with a caller's traceparent, not exported: ${best.carried.toFixed(3)} ms, ${percent(best.carried)}`);
  console.log(`exported: ${best.exported.toFixed(3)} ms, ${percent(best.exported)}`);
  await server.close();
  receiver.close();
  receiver.closeAllConnections();
}
