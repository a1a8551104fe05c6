/** Clients of the WebSocket that write for a long time and count what they hear, to the sample. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { bytesToSamples } from '../../src/protocol/audio.js';
import { streamPath } from '../../src/protocol/stream.js';
import type { Gateway } from './service.js';

const VOICE = 'english_female_professional';
const MODEL = 'base-tts-fast';

/**
 * Without clauses, and neither short nor long: each is one segment, whether it is flushed or not.
 */
const SENTENCES = [
  'The two of them walked along the river. ',
  'Nobody had told her about the letter. ',
  'Somebody left a lantern on the wall of the old bridge. ',
  'It was cold for the time of year. ',
  'The last train had gone an hour ago. ',
  'He put it into his coat without reading it. ',
  'They could hear the mill long before they saw it. ',
  'Nothing more was said until the lights came into view. ',
];

/**
 * How a session ended, as its client saw it. `left`: the client closed it and read until the server
 * had closed it too, so it heard all that was sent; `vanished`: the client was gone at once;
 * `ended`: the server said why; `broken`: nobody said anything.
 */
export type TalkEnding = 'completed' | 'left' | 'vanished' | 'ended' | 'broken' | 'refused' | 'hung';

export interface Talk {
  readonly keyId: string;
  readonly requestId: string;
  readonly manner: string;
  readonly gateway: Gateway;
  readonly startMs: number;
  readonly endMs: number;
  /** All text as it was sent. */
  readonly said: string;
  readonly heardSamples: number;
  readonly ending: TalkEnding;
  /** The error code, status or close code that came with it. */
  readonly told: string;
}

interface Manner {
  readonly weight: number;
  readonly sentences: readonly [number, number];
  /** The longest pause between two messages. */
  readonly pauseMs: number;
  /** Now and then between two sentences, longer than a lease. */
  readonly restMs?: readonly [number, number];
  /** How often a sentence is flushed. */
  readonly flushes: number;
  /** What the client does behind its last word, or, with `early`, somewhere before. */
  readonly last: 'end' | 'leave' | 'vanish' | 'silence';
  readonly early?: boolean;
  readonly inactivityS?: number;
}

const MANNERS: Readonly<Record<string, Manner>> = {
  quick: { weight: 3, sentences: [1, 6], pauseMs: 60, flushes: 0.5, last: 'end' },
  'talks on': { weight: 5, sentences: [5, 16], pauseMs: 600, flushes: 0.7, last: 'end' },
  'slow writer': { weight: 4, sentences: [2, 5], pauseMs: 3_000, flushes: 0.5, last: 'end' },
  'comes back': { weight: 4, sentences: [3, 8], pauseMs: 300, restMs: [16_000, 40_000], flushes: 0.8, last: 'end' },
  'leaves early': { weight: 4, sentences: [3, 12], pauseMs: 600, flushes: 0.7, last: 'leave', early: true },
  'vanishes early': { weight: 2, sentences: [3, 12], pauseMs: 600, flushes: 0.7, last: 'vanish', early: true },
  'never ends': { weight: 2, sentences: [2, 6], pauseMs: 400, flushes: 1, last: 'leave' },
  'falls silent': { weight: 2, sentences: [1, 4], pauseMs: 200, flushes: 1, last: 'silence', inactivityS: 3 },
};
const LOT = Object.entries(MANNERS).flatMap(([name, { weight }]) => Array<string>(weight).fill(name));

/** From the last word to the end of the session: longer than two faults one after the other. */
const LIMIT_MS = 120_000;
/** What a client that never ends waits before it goes. */
const LINGER_MS = 8_000;
const INACTIVITY_S = 180;
/** How often a client that rests does so before a sentence. */
const RESTS = 0.3;

let talks = 0;
const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;
const whole = (least: number, most: number) => least + Math.floor(Math.random() * (most - least + 1));

/**
 * Words of the session, some of them together; never a single space, which would be a keepalive.
 */
function* messages({ sentences, flushes }: Manner): Generator<{ text: string; flush: boolean }> {
  for (let i = whole(...sentences); i > 0; i--) {
    const words = pick(SENTENCES).match(/\S+\s*/g)!;
    while (words.length > 0) {
      const text = words.splice(0, whole(1, 4)).join('');
      yield { text, flush: words.length === 0 && Math.random() < flushes };
    }
  }
}

/** What a talker saw of its session. */
class Session {
  readonly socket: WebSocket;
  readonly closed: Promise<void>;
  said = '';
  heardBytes = 0;
  opened = false;
  hung = false;
  /** How the talker itself ended it, where it did. */
  gone: 'leave' | 'vanish' | undefined;
  #final = false;
  #error = '';
  #refused = '';
  #closeCode = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { audio?: string; isFinal?: boolean; error?: string };
      if (message.audio !== undefined) this.heardBytes += Buffer.byteLength(message.audio, 'base64');
      else if (message.error !== undefined) this.#error = message.error;
      else this.#final ||= message.isFinal === true;
    });
    socket.on('unexpected-response', (_request, response) => {
      this.#refused = String(response.statusCode);
      response.resume();
      socket.terminate();
    });
    socket.on('error', (cause) => {
      this.#refused ||= cause.message;
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', (code) => {
        this.#closeCode = code;
        resolve();
      });
    });
  }

  get open(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  get ending(): TalkEnding {
    if (!this.opened) return 'refused';
    if (this.hung) return 'hung';
    if (this.#final) return 'completed';
    if (this.#error !== '') return 'ended';
    // 1006: the server's close never came, so something may have been sent that was not heard.
    if (this.gone !== undefined) return this.gone === 'leave' && this.#closeCode !== 1006 ? 'left' : 'vanished';
    return 'broken';
  }

  get told(): string {
    return this.#error || this.#refused || String(this.#closeCode);
  }
}

async function write(session: Session, how: Manner): Promise<void> {
  session.send({ text: ' ' });
  const all = [...messages(how)];
  const some = how.early ? all.slice(0, whole(0, all.length)) : all;
  for (const message of some) {
    await sleep(Math.random() * how.pauseMs);
    const begins = session.said !== '' && session.said.endsWith('. ');
    if (begins && how.restMs !== undefined && Math.random() < RESTS) await sleep(whole(...how.restMs));
    if (!session.open) return;
    session.said += message.text;
    session.send(message);
  }
  if (how.last === 'end') return session.send({ text: '' });
  if (how.last === 'silence') return;
  await sleep(Math.random() * (how.early ? how.pauseMs : LINGER_MS));
  if (!session.open) return;
  session.gone = how.last;
  if (how.last === 'leave') session.socket.close(1000);
  else session.socket.terminate();
}

export async function talk(gateway: Gateway, { id: keyId, key }: { id: string; key: string }): Promise<Talk> {
  const manner = pick(LOT);
  const how = MANNERS[manner]!;
  const requestId = `talk-${++talks}`;
  const startMs = performance.now();
  const query = `model_id=${MODEL}&inactivity_timeout=${how.inactivityS ?? INACTIVITY_S}`;
  const url = `${gateway.baseUrl.replace('http', 'ws')}${streamPath(VOICE)}?${query}`;
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': requestId };
  const session = new Session(new WebSocket(url, { headers }));
  const { socket, closed } = session;
  session.opened = await Promise.race([
    new Promise<boolean>((resolve) => socket.once('open', () => resolve(true))),
    closed.then(() => false),
  ]);
  if (session.opened) await Promise.race([write(session, how), closed]);
  const late = new AbortController();
  const hung = sleep(LIMIT_MS, true, { signal: late.signal }).catch(() => false);
  session.hung = await Promise.race([hung, closed.then(() => false)]);
  late.abort();
  if (session.hung) socket.terminate();
  return {
    keyId,
    requestId,
    manner,
    gateway,
    startMs,
    endMs: performance.now(),
    said: session.said,
    heardSamples: bytesToSamples(session.heardBytes),
    ending: session.ending,
    told: session.told,
  };
}
