/**
 * A thousand requests that nobody should send: none hangs, nothing leaks, and a good one is still
 * answered.
 */
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { type Home, makeHome, type ServeProcess, startServe } from '../support/processes/serve-process.js';

let home: Home;
let server: ServeProcess;
let key: string;
let port: number;
beforeAll(async () => {
  home = makeHome({ TTS_SINE_OPTIONS: JSON.stringify({ pace: 20 }) });
  // The collector runs when the test asks: what is left then is what is held.
  const collect = `data:text/javascript,process.on('SIGUSR2', () => gc())`;
  const args = ['--log-level', 'error', '--partner-concurrency', '1000'];
  server = await startServe(home, args, ['--expose-gc', '--import', collect]);
  port = Number(new URL(server.baseUrl).port);
  const made = await home.run('keys', 'create', '--tier', 'partner', '--credits', '1000000', '--json');
  key = JSON.parse(made.stdout).key;
  await until(async () => (await fetch(`${server.baseUrl}/readyz`)).status === 200, 'readiness');
});
afterAll(async () => {
  await server.kill('SIGKILL');
  home.remove();
});

const good = { model: 'base-tts', input: 'Good evening to all of you out there. It is late.' };

async function post(body: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<number> {
  try {
    const response = await fetch(`${server.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body,
      ...(signal ? { signal } : {}),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    if (signal?.aborted) return 0;
    throw error;
  }
}

/** Sends a beginning, waits a little, and drops the connection; 0 whatever was answered. */
async function drop(text: string, afterMs: number): Promise<number> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  socket.on('error', () => socket.destroy());
  socket.write(text);
  await sleep(afterMs);
  if (afterMs % 2 === 0) socket.resetAndDestroy();
  else socket.destroy();
  return 0;
}

const head = (length: number) =>
  `POST /v1/audio/speech HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

const ABUSES: readonly ((i: number) => Promise<number>)[] = [
  () => post('{"model": "base-tts", "input": '),
  () => post('['.repeat(30_000)),
  (i) => post(JSON.stringify({ ...good, [['model', 'input', 'voice', 'stream'][i % 4]!]: [null, 7, {}, []][i % 4] })),
  () => post('x'.repeat(200_000)),
  () => post(JSON.stringify({ ...good, input: '\u{1F4A9}'.repeat(5_000) })),
  (i) => post(JSON.stringify(good), { authorization: `Bearer tts_${String(i).padStart(43, 'x')}` }),
  () => post(JSON.stringify(good), { authorization: 'Bearer' }),
  (i) => post(JSON.stringify({ ...good, stream: i % 2 === 0 }), {}, AbortSignal.timeout(1 + (i % 60))),
  (i) => drop(`${head(500)}{"model"`, i % 50),
  (i) => drop('POST /v1/audio/speech HT', i % 50),
  (i) => drop(`\u0000\u0001garbage ${i}\r\n\r\n`, i % 50),
  (i) => drop(`GET /healthz HTTP/1.1\r\nx: ${'y'.repeat(30_000)}\r\n`, i % 50),
];

async function storm(count: number): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const i = next++;
      const status = await ABUSES[i % ABUSES.length]!(i);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 40 }, lane));
  return statuses;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
  const line = text
    .split('\n')
    .find((candidate) => candidate.startsWith(`${name} `) || candidate.startsWith(`${name}{`));
  return Number(line?.split(' ').at(-1));
}

async function heldBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    server.child.kill('SIGUSR2');
    await sleep(200);
  }
  return (await metric('tts_nodejs_heap_size_used_bytes')) + (await metric('tts_nodejs_external_memory_bytes'));
}

describe('abuse', () => {
  it('of every kind, a thousand times: answered, forgotten, and the next good request is served', async () => {
    await storm(300);
    const before = await heldBytes();
    const handles = await metric('tts_nodejs_active_handles_total');
    const statuses = await storm(1_000);
    expect([...statuses.keys()].filter((status) => ![0, 200, 400, 401, 413, 429].includes(status))).toEqual([]);
    for (const status of [0, 400, 401, 413, 429]) expect(statuses.get(status), `${status}`).toBeGreaterThan(0);

    await until(async () => (await metric('tts_places_taken')) === 0, 'every place given back');
    await until(async () => (await metric('tts_active_sessions{route="speech"}')) === 0, 'every session ended');
    await until(async () => (await metric('tts_running_segments')) === 0, 'an idle engine');
    await until(async () => (await metric('tts_nodejs_active_handles_total')) <= handles + 5, 'closed sockets');
    await storm(200);
    expect((await heldBytes()) - before).toBeLessThan(8e6);
    expect(await post(JSON.stringify(good))).toBe(200);
    expect(server.child.exitCode).toBeNull();
    const [row] = JSON.parse((await home.run('keys', 'list', '--json')).stdout);
    expect(row.reserved).toBe(0);
  }, 180_000);
});
