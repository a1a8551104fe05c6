/**
 * Visitors of a speech server, for soaks: some listen, some are slow, leave or fall silent, and
 * some mean harm.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { streamPath } from '../../src/protocol/stream.js';
import { explainer, HARMS, hoarder, holder, knock, pipelined } from './hostile-visitors.js';
import {
  type Door,
  type Ending,
  headersOf,
  length,
  MODEL,
  MULTI_PATH,
  newId,
  pick,
  TEXTS,
  type Visit,
  VOICE,
} from './visit.js';

/**
 * Digests of the texts as they sound undisturbed, by the number of the text. The routes cut the
 * first sentence in different places: streamed over HTTP, buffered, and behind a writer.
 */
export interface Sounds {
  readonly streamed: readonly string[];
  readonly whole: readonly string[];
  readonly written: readonly string[];
}

const digest = (pieces: readonly Buffer[]) => createHash('sha256').update(Buffer.concat(pieces)).digest('hex');

/**
 * Whole or streamed over HTTP; `pauseMs` between reads makes a slow reader, `cutAfter` bytes one
 * who leaves.
 */
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

/**
 * Two contexts one after the other by one name, on a socket of ElevenLabs' dialect: two requests.
 */
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
/**
 * A visit that lasts longer than this has no end: the longest text, spoken again after an engine
 * froze, is far below.
 */
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
  const learn = async (route: (text: number) => Promise<{ sound: string }>) => {
    const sounds = [];
    for (const text of TEXTS.keys()) sounds.push((await route(text)).sound);
    return sounds;
  };
  return {
    streamed: await learn((text) => http(server, text, { stream: true })),
    whole: await learn((text) => http(server, text, { stream: false })),
    written: await learn((text) => socket(server, text, {})),
  };
}

/** The route of a manner, by its first word. */
const routeOf = (manner: string): keyof Sounds => {
  if (manner.startsWith('whole')) return 'whole';
  return manner.startsWith('streamed') ? 'streamed' : 'written';
};

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
    const expected = sounds[routeOf(manner)][text];
    const wrong = rest.ending === 'completed' && sound !== '' && sound !== expected;
    // A visitor that listens to the end and does not get there was failed by the server.
    const failed = rest.ending === 'open' && /listens|slow/.test(manner);
    const putOff = failed && rest.said?.startsWith('1013');
    return { ...rest, manner, ending: wrong ? 'other sound' : putOff ? 'put off' : failed ? 'failed' : rest.ending };
  });
}
