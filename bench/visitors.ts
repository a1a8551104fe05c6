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
  /** With it some knock with a Free key where none is let in. */
  readonly freeKey?: string;
}

const VOICE = 'english_female_professional';
const MULTI_PATH = `/elevenlabs/v1/text-to-speech/${VOICE}/multi-stream-input`;
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

/** Two contexts one after the other by one name, on a socket of ElevenLabs' dialect: two requests. */
async function contexts(server: Door, text: number): Promise<(Omit<Visit, 'manner'> & { sound: string })[]> {
  const id = newId();
  const url = `${server.baseUrl.replace('http', 'ws')}${MULTI_PATH}?model_id=${MODEL}&output_format=pcm_24000`;
  const ws = new WebSocket(url, { headers: headersOf(server, id) });
  ws.on('error', () => undefined);
  const heard: Buffer[][] = [[], []];
  const said: string[] = ['', ''];
  let finals = 0;
  const begin = () => {
    for (const word of TEXTS[text]!.match(/\S+\s*/g)!) ws.send(JSON.stringify({ text: word, context_id: 'one' }));
    ws.send(JSON.stringify({ context_id: 'one', close_context: true }));
  };
  ws.on('message', (data) => {
    const message = JSON.parse(String(data)) as { audio?: string; isFinal?: boolean; error?: string };
    if (message.audio !== undefined) heard[finals]!.push(Buffer.from(message.audio, 'base64'));
    // The door's word for a close that asks to come back later.
    if (message.error !== undefined) said[finals] = message.error === 'overloaded' ? '1013' : message.error;
    if (!message.isFinal) return;
    finals += 1;
    if (finals < heard.length && said[0] === '') begin();
    else ws.close();
  });
  ws.once('open', begin);
  await new Promise<void>((resolve) => ws.once('close', () => resolve()));
  const chars = length(TEXTS[text]!);
  return heard.slice(0, Math.max(1, finals)).map((pieces, at) => ({
    requestId: `${id}.${at + 1}`,
    chars,
    ending: at < finals && said[at] === '' ? 'completed' : said[at] === '1013' ? 'refused' : 'open',
    said: said[at]!,
    sound: digest(pieces),
  }));
}

/** Flushes and contexts that nobody reads of, and no goodbye. */
async function hoarder(server: Door): Promise<Omit<Visit, 'manner'>[]> {
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
async function knock(server: Door): Promise<Omit<Visit, 'manner'>[]> {
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
async function holder(server: Door): Promise<Omit<Visit, 'manner'>[]> {
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
async function explainer(server: Door): Promise<Omit<Visit, 'manner'>[]> {
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
  'whole, slow': 3,
  'whole, leaves': 4,
  explains: 3,
  'streamed, listens': 12,
  'streamed, slow': 4,
  'streamed, leaves': 6,
  pipelined: 4,
  'contexts, listens': 6,
  'contexts, hoards': 3,
  'free, knocks': 3,
  'free, holds': 3,
};
const LOT = Object.entries(MANNERS).flatMap(([manner, weight]) => Array<string>(weight).fill(manner));
const LOT_WITHOUT_FREE = LOT.filter((manner) => !manner.startsWith('free'));
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
    case 'whole, slow':
      return [await http(server, text, { stream: false, pauseMs: 60 })];
    case 'whole, leaves':
      return [await http(server, text, { stream: false, cutAfter: Math.random() * 200_000 })];
    case 'explains':
      return explainer(server);
    case 'free, holds':
      return holder(server);
    case 'streamed, listens':
      return [await http(server, text, { stream: true })];
    case 'streamed, slow':
      return [await http(server, text, { stream: true, pauseMs: 60 })];
    case 'streamed, leaves':
      return [await http(server, text, { stream: true, cutAfter: Math.random() * 200_000 })];
    case 'pipelined':
      return pipelined(server);
    case 'contexts, listens':
      return contexts(server, text);
    case 'contexts, hoards':
      return hoarder(server);
    case 'free, knocks':
      return knock(server);
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
  const manner = pick(server.freeKey === undefined ? LOT_WITHOUT_FREE : LOT);
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
