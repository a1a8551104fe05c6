/** Visitors that mean harm: they hoard, knock, hold and pipeline. */
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { streamPath } from '../../src/protocol/stream.js';
import { type Door, headersOf, length, MODEL, MULTI_PATH, newId, pick, TEXTS, type Visit, VOICE } from './visit.js';

/** Flushes and contexts that nobody reads of, and no goodbye. */
export async function hoarder(server: Door): Promise<Omit<Visit, 'manner'>[]> {
  const requestId = newId();
  const ws = new WebSocket(`${server.baseUrl.replace('http', 'ws')}${MULTI_PATH}?model_id=${MODEL}`, {
    headers: headersOf(server, requestId),
  });
  ws.on('error', () => undefined);
  ws.once('open', () => ws.pause());
  await new Promise<void>((resolve) => {
    ws.once('open', () => resolve());
    ws.once('close', () => resolve());
  });
  for (let i = 0; i < 4_000 && ws.readyState === ws.OPEN; i++) {
    ws.send(JSON.stringify({ text: 'a', flush: true, context_id: `c${i % 2}` }));
    if (i % 10 === 0) ws.send(JSON.stringify({ text: ' ', context_id: `n${i}` }));
    if (i % 10 === 5) ws.send(JSON.stringify({ context_id: `n${i - 5}`, close_context: true }));
    if (i % 100 === 99) await sleep(5);
  }
  ws.terminate();
  return [{ requestId, chars: 0, ending: 'unknown' }];
}

/** A Free key at a socket: refused, or the server failed. */
export async function knock(server: Door): Promise<Omit<Visit, 'manner'>[]> {
  const requestId = newId();
  const path = pick([streamPath(VOICE), MULTI_PATH, MULTI_PATH.replace('multi-', '')]);
  const ws = new WebSocket(`${server.baseUrl.replace('http', 'ws')}${path}`, {
    headers: headersOf({ ...server, key: server.freeKey! }, requestId),
  });
  ws.on('error', () => undefined);
  const opened = await new Promise<boolean>((resolve) => {
    ws.once('open', () => resolve(true));
    ws.once('close', () => resolve(false));
  });
  ws.terminate();
  return [{ requestId, chars: 0, ending: opened ? 'failed' : 'refused' }];
}

/** A Free key that has a long answer made, reads nothing of it, and goes after a while. */
export async function holder(server: Door): Promise<Omit<Visit, 'manner'>[]> {
  const { hostname, port } = new URL(server.baseUrl);
  const requestId = newId();
  const body = JSON.stringify({ text: TEXTS.join(' ').repeat(8) });
  const connection = createConnection({ host: hostname, port: Number(port) });
  connection.on('error', () => undefined);
  connection.pause();
  connection.write(
    `POST ${MULTI_PATH.replace('multi-stream-input', 'with-timestamps')} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n` +
      `authorization: Bearer ${server.freeKey}\r\nx-request-id: ${requestId}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  await sleep(Math.random() * 10_000);
  connection.destroy();
  return [{ requestId, chars: 0, ending: 'unknown' }];
}

/** Several explanations at once: some are put off with 429, none may fail. */
export async function explainer(server: Door): Promise<Omit<Visit, 'manner'>[]> {
  const requestId = newId();
  const text = TEXTS.join(' ').repeat(4).slice(0, 4_000);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      fetch(`${server.baseUrl}/playground/explain`, {
        method: 'POST',
        headers: { ...headersOf(server, requestId), 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      }),
    ),
  );
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  const odd = answers.find(({ status }) => status !== 200 && status !== 429);
  return [{ requestId, chars: 0, ending: odd === undefined ? 'unknown' : 'failed', said: String(odd?.status ?? '') }];
}

/** Two requests in one write, then a cut: the second's answer is never begun. */
export async function pipelined(server: Door): Promise<Omit<Visit, 'manner'>[]> {
  const { hostname, port } = new URL(server.baseUrl);
  const ids = [newId(), newId()];
  const body = JSON.stringify({ model: MODEL, input: TEXTS[0], stream: true });
  const requests = ids.map(
    (id) =>
      `POST /v1/audio/speech HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${server.key}\r\n` +
      `x-request-id: ${id}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const connection = createConnection({ host: hostname, port: Number(port) });
  connection.on('error', () => undefined);
  connection.write(requests.join(''));
  await sleep(Math.random() * 400);
  connection.destroy();
  return ids.map((requestId) => ({ requestId, chars: length(TEXTS[0]!), ending: 'unknown' as const }));
}

/**
 * Half a minute of silence: a stream this far ahead of its listener is made no faster than it is
 * heard while others wait.
 */
const BREAKS = '<break time="3s"/>'.repeat(10);
export const HARMS: readonly ((socket: WebSocket) => void)[] = [
  (ws) => ws.send(JSON.stringify({ text: 5 })),
  (ws) => ws.send('{'),
  (ws) => ws.send(Buffer.alloc(64)),
  (ws) => ws.send(JSON.stringify({ text: 'x'.repeat(70_000) })),
  (ws) => ws.send(JSON.stringify({ text: BREAKS, flush: true })),
  (ws) => ws.send(JSON.stringify({ text: '<break strength="constructor"/><phoneme ph="' })),
  (ws) => {
    for (let i = 0; i < 5_000; i++) ws.ping();
  },
];
