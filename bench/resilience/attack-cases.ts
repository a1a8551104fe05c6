/**
 * The attacks of the bench `attacks`: clients that send and never read, or ask for what is
 * expensive to answer.
 */
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { streamPath } from '../../src/protocol/stream.js';
import type { BenchServer } from '../support/serve.js';

const VOICE = 'english_female_professional';
const ELEVENLABS = `/elevenlabs/v1/text-to-speech/${VOICE}`;
export const TEXT = 'The lamps along the platform went out one by one, and somewhere behind the station a dog barked. ';

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

export async function newKey(server: BenchServer, tier: 'free' | 'partner'): Promise<string> {
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

/** The attacks by name. Each returns a function that ends it. */
export const ATTACKS: Readonly<Record<string, (server: BenchServer) => Promise<() => void | Promise<void>>>> = {
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
  /**
   * With as much in each as fits, all of which asks to be sent back; the server may end the
   * connection.
   */
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
  /**
   * 20,000 contexts, opened and closed, some of them to fail; the server may end the connections.
   */
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
