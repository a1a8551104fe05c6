/**
 * What clients do to a server, and to others on it, that send and never read, or ask for what is dear to answer; each against a
 * fresh server. Memory is that of gateway and engine processes together; the delays are those of the gateway's event loop, as
 * it measures them. Meanwhile another key asks for a short buffered response again and again. Growth beyond 50 MB, another key
 * that is refused, or anything left behind afterwards, is a failure.
 *
 *   npm run bench -- attacks [--only breaks,pings,unread,whole,held,explain,words,encoding,pipelined,flushes,contexts,free]
 */
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { streamPath } from '../src/protocol/stream.js';
import { type BenchServer, startServer } from './serve.js';

const VOICE = 'english_female_professional';
const LIMIT_MB = 50;
/** A hundred times as fast as it is heard: an engine without a pace would take all cores, and delays were its own. */
const SINE = JSON.stringify({ msPerChar: 60, pace: 100 });
const ELEVENLABS = `/elevenlabs/v1/text-to-speech/${VOICE}`;
const TEXT = 'The lamps along the platform went out one by one, and somewhere behind the station a dog barked. ';

interface DeafSocket {
  readonly socket: WebSocket;
  /** Resolves when the network has it. */
  send(message: object): Promise<void>;
}

/** A socket that nobody reads from. */
async function deafSocket({ baseUrl, key }: Pick<BenchServer, 'baseUrl' | 'key'>, path: string): Promise<DeafSocket> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  socket.on('error', () => undefined);
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.pause();
  const send = (message: object) =>
    new Promise<void>((resolve) => socket.send(JSON.stringify(message), () => resolve()));
  return { socket, send };
}

/** Opens a session of the contract that nobody reads from. */
async function deafSession(server: BenchServer, query = ''): Promise<DeafSocket> {
  const session = await deafSocket(server, `${streamPath(VOICE)}?model_id=base-tts-fast${query}`);
  await session.send({ text: ' ' });
  return session;
}

interface Post {
  readonly path?: string;
  readonly bearer?: string;
}

function post(
  { baseUrl, key }: BenchServer,
  body: object,
  { path = '/v1/audio/speech', bearer = key }: Post = {},
): { socket: Socket; request: string } {
  const { hostname, port } = new URL(baseUrl);
  const json = JSON.stringify(body);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  const request =
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${bearer}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
  return { socket, request };
}

const TIMED_PATH = `/elevenlabs/v1/text-to-speech/${VOICE}/with-timestamps`;

/** Asks without reading, as often as there are bodies. */
function askDeaf(server: BenchServer, bodies: readonly object[], how: Post): () => void {
  const sockets = bodies.map((body) => {
    const { socket, request } = post(server, body, how);
    socket.pause();
    socket.write(request);
    return socket;
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

async function newKey(server: BenchServer, tier: 'free' | 'partner'): Promise<string> {
  const credits = tier === 'free' ? [] : ['--credits', '1000000'];
  const made = await server.run('keys', 'create', '--tier', tier, ...credits, '--json');
  return (JSON.parse(made) as { key: string }).key;
}

/** Words that no dictionary has and nobody wrote before: each has to be spelt out. */
const newWords = (chars: number): string => {
  let text = '';
  while (text.length < chars)
    text += `${Math.random()
      .toString(36)
      .replace(/[^a-z]/g, '')} `;
  return text.slice(0, chars).trim();
};

/** Each returns how to end it. */
const ATTACKS: Readonly<Record<string, (server: BenchServer) => Promise<() => void | Promise<void>>>> = {
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
  /** Two long answers of one Free key, ordered and not read. */
  async held(server) {
    const bearer = await newKey(server, 'free');
    const texts = [9_990, 2_830].map((chars) => ({ text: TEXT.repeat(110).slice(0, chars) }));
    return askDeaf(server, texts, { path: `${TIMED_PATH}?output_format=pcm_24000`, bearer });
  },
  /** Thirty explanations at once, over and over. */
  async explain(server) {
    let over = false;
    const ask = async () => {
      while (!over) {
        const response = await fetch(`${server.baseUrl}/playground/explain`, {
          method: 'POST',
          headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ text: newWords(4_000) }),
        });
        await response.arrayBuffer();
        if (response.status === 429) await sleep(200);
      }
    };
    const asking = Promise.all(Array.from({ length: 30 }, ask));
    return async () => {
      over = true;
      await asking;
    };
  },
  /** Sessions that are sent 60,000 characters each, none of them a word. */
  async words(server) {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => deafSession(server)));
    for (const { socket, send } of sessions) {
      socket.resume();
      await send({ text: newWords(60_000) });
    }
    return () => {
      for (const { socket } of sessions) socket.terminate();
    };
  },
  /** Long answers in the dearest format. */
  async encoding(server) {
    const texts = Array.from({ length: 8 }, () => ({ text: TEXT.repeat(30) }));
    return askDeaf(server, texts, { path: `${TIMED_PATH}?output_format=mp3_44100_192` });
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
  /** 200,000 letters with a flush behind each, through every socket there is. */
  async flushes(server) {
    const sockets = [
      await deafSession(server),
      await deafSocket(server, `${ELEVENLABS}/stream-input`),
      await deafSocket(server, `${ELEVENLABS}/multi-stream-input`),
      await deafSocket(server, `${ELEVENLABS}/multi-stream-input`),
    ];
    for (let i = 0; i < 50_000; i++) {
      const sent = sockets.map(({ send }) => send({ text: 'a', flush: true, context_id: 'one' }));
      if (i % 100 === 99) await Promise.all(sent);
    }
    return () => {
      for (const { socket } of sockets) socket.terminate();
    };
  },
  /** 20,000 contexts, opened and closed, some of them to fail; the server may end the connections. */
  async contexts(server) {
    const sockets: DeafSocket[] = [];
    for (let opened = 0; opened < 20_000; ) {
      const one = await deafSocket(server, `${ELEVENLABS}/multi-stream-input`);
      sockets.push(one);
      for (let i = 0; i < 1_000 && one.socket.readyState === one.socket.OPEN; i++, opened++) {
        const context_id = `${opened}-${'x'.repeat(200)}`;
        void one.send({ text: i % 2 === 0 ? 'Hello there. ' : ' ', context_id });
        if (i % 3 > 0) void one.send({ context_id, close_context: true });
        if (i % 20 === 19) await sleep(2);
      }
    }
    return () => {
      for (const { socket } of sockets) socket.terminate();
    };
  },
  /** A Free key at every socket, with every name of a model. */
  async free(server) {
    const created = await server.run('keys', 'create', '--tier', 'free', '--json');
    const { key } = JSON.parse(created) as { key: string };
    const models = ['base-tts', 'base-tts:free', 'base-tts-fast:free', 'eleven_flash_v2_5', 'anything'];
    for (const path of [streamPath(VOICE), `${ELEVENLABS}/stream-input`, `${ELEVENLABS}/multi-stream-input`]) {
      for (const model of models) {
        const opened = await deafSocket({ ...server, key }, `${path}?model_id=${model}`).catch(() => undefined);
        opened?.socket.terminate();
        if (opened !== undefined) throw new Error(`a Free key opened ${path} with ${model}`);
      }
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

/** Another key that asks for little, and is to get it. */
function watchOthers({ baseUrl }: BenchServer, key: string) {
  let over = false;
  let asked = 0;
  let refused = 0;
  const speak = async () => {
    while (!over) {
      const response = await fetch(`${baseUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'base-tts-fast', input: TEXT.slice(0, 62) }),
      });
      await response.arrayBuffer();
      asked++;
      if (response.status !== 200) refused++;
      await sleep(200);
    }
  };
  const watching = speak();
  return {
    async end() {
      over = true;
      await watching;
      return { asked, refused };
    },
  };
}

/** Of the delays that the gateway tells, what is its sampling. */
const SAMPLED_MS = 10;

/** The delays of the event loop since they were asked for last, in milliseconds: the 99th percentile and the longest. */
async function loopDelays(server: BenchServer): Promise<[number, number]> {
  const names = ['tts_nodejs_eventloop_lag_p99_seconds', 'tts_nodejs_eventloop_lag_max_seconds'] as const;
  const [p99 = 0, most = 0] = (await server.metrics(names)).map((s) => Math.max(0, s * 1000 - SAMPLED_MS));
  return [p99, most];
}

export async function main(argv: readonly string[]): Promise<void> {
  const names = Object.keys(ATTACKS).join(',');
  const { values } = parseArgs({ args: [...argv], options: { only: { type: 'string', default: names } } });
  process.stdout.write(
    'attack      before MB  most MB  growth MB  delay p99 ms  most ms  others refused  left behind\n',
  );
  for (const name of values.only.split(',')) {
    const server = await startServer({ TTS_ENGINE: 'sine', TTS_SINE_OPTIONS: SINE });
    await warmUp(server);
    const other = watchOthers(server, await newKey(server, 'partner'));
    const before = await server.memoryMb();
    let most = before;
    const watch = setInterval(async () => {
      most = Math.max(most, await server.memoryMb());
    }, 200);
    await loopDelays(server);
    const end = await ATTACKS[name]!(server);
    await sleep(8_000);
    clearInterval(watch);
    const delays = await loopDelays(server);
    const { asked, refused } = await other.end();
    await end();
    const left = async () => (await server.metric('tts_places_taken')) + (await server.metric('tts_active_sessions'));
    for (let i = 0; i < 100 && (await left()) > 0; i++) await sleep(100);
    const orphans = await left();
    const row = [before, most, most - before].map((mb, i) => mb.toFixed(0).padStart([9, 7, 9][i]!));
    const [p99, longest] = delays.map((ms, i) => ms.toFixed(0).padStart([12, 7][i]!));
    const told = `${refused} of ${asked}`.padStart(14);
    process.stdout.write(
      `${name.padEnd(10)}  ${row.join('  ')}  ${p99}  ${longest}  ${told}  ${String(orphans).padStart(11)}\n`,
    );
    if (most - before > LIMIT_MB || orphans > 0 || refused > 0) process.exitCode = 1;
    await server.stop();
  }
}
