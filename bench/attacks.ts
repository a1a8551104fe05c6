/**
 * How far a server's memory grows under clients that send and never read, each against a fresh server: gateway and engine
 * processes together. Growth beyond 50 MB, or anything left behind afterwards, is a failure.
 *
 *   npm run bench -- attacks [--only breaks,pings,unread,whole,pipelined]
 */
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { streamPath } from '../src/protocol/stream.js';
import { type BenchServer, startServer } from './serve.js';

const VOICE = 'english_female_professional';
const LIMIT_MB = 50;
const TEXT = 'The lamps along the platform went out one by one, and somewhere behind the station a dog barked. ';

/** Opens a session, stops reading, and returns its socket and a way to write that waits for the network. */
async function deafSession(
  server: BenchServer,
  query = '',
): Promise<{ socket: WebSocket; send(message: object): Promise<void> }> {
  const url = `${server.baseUrl.replace('http', 'ws')}${streamPath(VOICE)}?model_id=base-tts-fast${query}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${server.key}` } });
  socket.on('error', () => undefined);
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.pause();
  const send = (message: object) =>
    new Promise<void>((resolve) => socket.send(JSON.stringify(message), () => resolve()));
  await send({ text: ' ' });
  return { socket, send };
}

function post({ baseUrl, key }: BenchServer, body: object): { socket: Socket; request: string } {
  const { hostname, port } = new URL(baseUrl);
  const json = JSON.stringify(body);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  const request =
    `POST /v1/audio/speech HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
  return { socket, request };
}

/** Each returns how to end it. */
const ATTACKS: Readonly<Record<string, (server: BenchServer) => Promise<() => void>>> = {
  /** 60 kB of silence, four times over. */
  async breaks(server) {
    const sessions = await Promise.all(
      Array.from({ length: 4 }, () => deafSession(server, '&enable_ssml_parsing=true')),
    );
    for (const { send } of sessions) {
      await send({ text: '<speak>' });
      for (let i = 0; i < 10; i++) await send({ text: '<break time="3s"/>'.repeat(330) });
      await send({ text: `${TEXT}</speak>`, flush: true });
    }
    return () => {
      for (const { socket } of sessions) socket.terminate();
    };
  },
  /** With as much in each as fits, all of which asks to be sent back; the server may end the connection. */
  async pings(server) {
    const { socket } = await deafSession(server);
    const payload = Buffer.alloc(125);
    for (let i = 0; i < 500_000 && socket.readyState === socket.OPEN; i++) {
      socket.ping(payload);
      if (i % 1_000 === 999) await sleep(1);
    }
    return () => socket.terminate();
  },
  /** Long texts that nobody listens to, streamed over HTTP and over the socket. */
  async unread(server) {
    const input = TEXT.repeat(20);
    const connections = Array.from({ length: 20 }, () => {
      const { socket, request } = post(server, { model: 'base-tts-fast', input, stream: true });
      socket.pause();
      socket.write(request);
      return socket;
    });
    const sessions = await Promise.all(Array.from({ length: 20 }, () => deafSession(server)));
    for (const { send } of sessions) for (let i = 0; i < 20; i++) await send({ text: input });
    return () => {
      for (const connection of connections) connection.destroy();
      for (const { socket } of sessions) socket.terminate();
    };
  },
  /** A hundred whole answers of the longest text, ordered and not read. */
  async whole(server) {
    const input = TEXT.repeat(30).slice(0, 2_000);
    const connections = Array.from({ length: 100 }, () => {
      const { socket, request } = post(server, { model: 'base-tts-fast', input });
      socket.pause();
      socket.write(request);
      return socket;
    });
    return () => {
      for (const connection of connections) connection.destroy();
    };
  },
  /** Two requests in one write and a cut, two hundred times. */
  async pipelined(server) {
    for (let i = 0; i < 200; i++) {
      const { socket, request } = post(server, { model: 'base-tts-fast', input: TEXT, stream: true });
      socket.write(request + request);
      await sleep(20);
      socket.destroy();
    }
    return () => undefined;
  },
};

async function warmUp(server: BenchServer): Promise<void> {
  for (let i = 0; i < 60; i++) {
    const response = await fetch(`${server.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'base-tts-fast', input: TEXT.repeat(10), stream: i % 2 === 0 }),
    });
    await response.arrayBuffer();
  }
}

export async function main(argv: readonly string[]): Promise<void> {
  const names = Object.keys(ATTACKS).join(',');
  const { values } = parseArgs({ args: [...argv], options: { only: { type: 'string', default: names } } });
  process.stdout.write('attack      before MB  most MB  growth MB  left behind\n');
  for (const name of values.only.split(',')) {
    const server = await startServer({ TTS_ENGINE: 'sine', TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 60 }) });
    await warmUp(server);
    const before = await server.memoryMb();
    let most = before;
    const watch = setInterval(async () => {
      most = Math.max(most, await server.memoryMb());
    }, 200);
    const end = await ATTACKS[name]!(server);
    await sleep(8_000);
    clearInterval(watch);
    end();
    const left = async () => (await server.metric('tts_places_taken')) + (await server.metric('tts_active_sessions'));
    for (let i = 0; i < 100 && (await left()) > 0; i++) await sleep(100);
    const orphans = await left();
    const row = [before, most, most - before].map((mb, i) => mb.toFixed(0).padStart([9, 7, 9][i]!));
    process.stdout.write(`${name.padEnd(10)}  ${row.join('  ')}  ${String(orphans).padStart(11)}\n`);
    if (most - before > LIMIT_MB || orphans > 0) process.exitCode = 1;
    await server.stop();
  }
}
