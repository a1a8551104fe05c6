/** The public of a speech server, for soaks: those who listen, those who are slow, leave or fall silent, and those who mean harm. */
import { createHash } from 'node:crypto';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { streamPath } from '../src/protocol/stream.js';

/** Where they go, and what lets them in. */
export interface Door {
  readonly baseUrl: string;
  readonly key: string;
}

const VOICE = 'english_female_professional';
const MODEL = 'base-tts-fast';

export const TEXTS = [
  'Sure, here is what happened next. The two of them walked along the river until the lights of the town were far behind.',
  'It was cold for the time of year, wasn’t it? "Read it," she said.\n\nHe shook his head, and put it into his coat.',
  'On 3 March 2024 it cost $1,250.75, about 12% more than Dr. Smith had thought. Nobody minded. Nobody ever did, there.',
  'One. Two. Three. At the old bridge they stopped, because somebody had left a lantern on the wall, still burning, with a letter.',
];

/**
 * How a visit ended, as the visitor saw it. `open`: it was admitted, and the visitor left or was shown out; `put off`: told in the middle
 * to come back later.
 */
export type Ending = 'completed' | 'open' | 'put off' | 'refused' | 'unknown' | 'failed' | 'hung' | 'other sound';
export interface Visit {
  readonly manner: string;
  readonly requestId: string;
  /** Characters a completed visit is charged. */
  readonly chars: number;
  readonly ending: Ending;
  /** What the server last said, where that says more. */
  readonly said?: string;
}

/** What each text sounds like when nothing disturbs it, by its number: heard as it is spoken, and as a whole answer, which is cut otherwise. */
export interface Sounds {
  readonly live: readonly string[];
  readonly whole: readonly string[];
}

let visits = 0;
const newId = () => `visit-${++visits}`;
const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;
const digest = (pieces: readonly Buffer[]) => createHash('sha256').update(Buffer.concat(pieces)).digest('hex');
const length = (text: string) => [...text].length;
const headersOf = ({ key }: Door, id: string) => ({ authorization: `Bearer ${key}`, 'x-request-id': id });

/** Whole or streamed over HTTP; `pauseMs` between reads makes a slow reader, `cutAfter` bytes one who leaves. */
async function http(
  server: Door,
  text: number,
  how: { stream: boolean; pauseMs?: number; cutAfter?: number },
): Promise<Omit<Visit, 'manner'> & { sound: string }> {
  const requestId = newId();
  const chars = length(TEXTS[text]!);
  const leave = new AbortController();
  const pieces: Buffer[] = [];
  let ending: Ending = 'unknown';
  let said = '';
  try {
    const response = await fetch(`${server.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: { ...headersOf(server, requestId), 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, input: TEXTS[text], stream: how.stream, response_format: 'pcm' }),
      signal: leave.signal,
    });
    if (response.status !== 200) {
      said = `${response.status} ${await response.text()}`;
      return { requestId, chars, ending: response.status === 503 ? 'refused' : 'failed', said, sound: '' };
    }
    let bytes = 0;
    for await (const piece of response.body!) {
      pieces.push(Buffer.from(piece));
      bytes += piece.length;
      if (how.cutAfter !== undefined && bytes > how.cutAfter) leave.abort();
      if (how.pauseMs !== undefined) await sleep(how.pauseMs);
    }
    ending = 'completed';
  } catch (error) {
    ending = leave.signal.aborted ? 'open' : 'failed';
    said = String((error as Error).cause ?? error);
  }
  return { requestId, chars, ending, said, sound: digest(pieces) };
}

interface SocketManner {
  /** Stops reading for this long now and then. */
  readonly pauseMs?: number;
  /** Leaves without a word after this many words. */
  readonly leaveAfter?: number;
  /** Never reads, never ends, and goes after this long. */
  readonly silentMs?: number;
  /** Sent in place of the next word, once. */
  readonly harm?: (socket: WebSocket) => void;
  readonly query?: string;
}

async function socket(
  server: Door,
  text: number,
  how: SocketManner,
): Promise<Omit<Visit, 'manner'> & { sound: string }> {
  const requestId = newId();
  const url = `${server.baseUrl.replace('http', 'ws')}${streamPath(VOICE)}?model_id=${MODEL}${how.query ?? ''}`;
  const ws = new WebSocket(url, { headers: headersOf(server, requestId) });
  const pieces: Buffer[] = [];
  let opened = false;
  let final = false;
  ws.on('message', (data) => {
    const message = JSON.parse(String(data)) as { audio?: string; isFinal?: boolean };
    if (message.audio !== undefined) pieces.push(Buffer.from(message.audio, 'base64'));
    else final ||= message.isFinal === true;
  });
  let said = '';
  const closed = new Promise<void>((resolve) => {
    ws.once('close', (code, reason) => {
      said = `${code} ${reason}`;
      resolve();
    });
    ws.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    ws.once('open', () => {
      opened = true;
      resolve();
    });
    ws.once('close', () => resolve());
  });
  const send = (message: object) => {
    if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(message));
  };
  send({ text: ' ' });
  if (how.silentMs !== undefined) ws.pause();
  const words = TEXTS[text]!.match(/\S+\s*/g)!;
  const harmAt = Math.floor(Math.random() * words.length);
  for (const [at, word] of words.entries()) {
    if (at === how.leaveAfter) ws.terminate();
    if (at === harmAt && ws.readyState === ws.OPEN) how.harm?.(ws);
    send({ text: word });
    await sleep(Math.random() * 30);
    if (how.pauseMs !== undefined && Math.random() < 0.1) {
      ws.pause();
      await sleep(how.pauseMs);
      ws.resume();
    }
  }
  if (how.silentMs !== undefined) {
    await sleep(how.silentMs);
    ws.terminate();
  }
  send({ text: '' });
  await closed;
  const ending: Ending = !opened ? 'unknown' : final ? 'completed' : 'open';
  return { requestId, chars: length(TEXTS[text]!), ending, said, sound: digest(pieces) };
}

/** Two requests in one write, then a cut: the second's answer is never begun. */
async function pipelined(server: Door): Promise<Omit<Visit, 'manner'>[]> {
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

/** Half a minute of silence: a stream this far ahead of its listener is made no faster than it is heard while others wait. */
const BREAKS = '<break time="3s"/>'.repeat(10);
const HARMS: readonly ((socket: WebSocket) => void)[] = [
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

const MANNERS: Readonly<Record<string, number>> = {
  'socket, listens': 30,
  'socket, slow': 8,
  'socket, leaves': 10,
  'socket, silent': 6,
  'socket, hostile': 10,
  'whole, listens': 12,
  'streamed, listens': 12,
  'streamed, slow': 4,
  'streamed, leaves': 6,
  pipelined: 4,
};
const LOT = Object.entries(MANNERS).flatMap(([manner, weight]) => Array<string>(weight).fill(manner));
/** A visit that lasts longer than this has no end: the longest text, spoken again after an engine froze, is far below. */
const LIMIT_MS = 120_000;

async function play(
  server: Door,
  manner: string,
  text: number,
): Promise<(Omit<Visit, 'manner'> & { sound?: string })[]> {
  switch (manner) {
    case 'socket, slow':
      return [await socket(server, text, { pauseMs: 1_500 })];
    case 'socket, leaves':
      return [await socket(server, text, { leaveAfter: Math.floor(Math.random() * 15) })];
    case 'socket, silent':
      return [await socket(server, text, { silentMs: Math.random() * 8_000 })];
    case 'socket, hostile': {
      const visit = await socket(server, text, { harm: pick(HARMS), query: '&enable_ssml_parsing=true' });
      // Some of it is merely odd, and is spoken to the end: what it costs is the server's to say.
      return [{ ...visit, ending: visit.ending === 'completed' ? 'unknown' : visit.ending, sound: '' }];
    }
    case 'whole, listens':
      return [await http(server, text, { stream: false })];
    case 'streamed, listens':
      return [await http(server, text, { stream: true })];
    case 'streamed, slow':
      return [await http(server, text, { stream: true, pauseMs: 60 })];
    case 'streamed, leaves':
      return [await http(server, text, { stream: true, cutAfter: Math.random() * 200_000 })];
    case 'pipelined':
      return pipelined(server);
    default:
      return [await socket(server, text, {})];
  }
}

/** What the texts sound like on a server that nobody disturbs. */
export async function learnSounds(server: Door): Promise<Sounds> {
  const learn = async (stream: boolean) => {
    const sounds = [];
    for (const text of TEXTS.keys()) sounds.push((await http(server, text, { stream })).sound);
    return sounds;
  };
  return { live: await learn(true), whole: await learn(false) };
}

export async function visit(server: Door, sounds: Sounds): Promise<Visit[]> {
  const manner = pick(LOT);
  const text = Math.floor(Math.random() * TEXTS.length);
  const late = new AbortController();
  const hung = sleep(LIMIT_MS, undefined, { signal: late.signal }).then(
    () => [{ requestId: '', chars: 0, ending: 'hung' as const, sound: '' }],
    () => [],
  );
  const seen = await Promise.race([play(server, manner, text), hung]);
  late.abort();
  return seen.map(({ sound, ...rest }) => {
    const expected = (manner.startsWith('whole') ? sounds.whole : sounds.live)[text];
    const wrong = rest.ending === 'completed' && sound !== '' && sound !== expected;
    // Whoever means to listen to the end and does not get there was failed by the server.
    const failed = rest.ending === 'open' && /listens|slow/.test(manner);
    const putOff = failed && rest.said?.startsWith('1013');
    return { ...rest, manner, ending: wrong ? 'other sound' : putOff ? 'put off' : failed ? 'failed' : rest.ending };
  });
}
