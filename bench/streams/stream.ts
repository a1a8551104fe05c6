/**
 * What a listener waits for behind a writer as fast as a language model, over the WebSocket: from
 * the first token to the first audio, from the character that completes the first piece to the
 * first audio, and the silences of one who plays what arrives. The texts begin with an early
 * clause, without any, and with a short sentence.
 *
 *   npm run bench -- stream [--tokens 10,20,50,100,200] [--sessions 1] [--runs 3]
 *                           [--model base-tts-fast] [--engine sine]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { quantile } from '../../src/client/load/capacity.js';
import { streamPath } from '../../src/protocol/stream.js';
import { Segmenter } from '../../src/text/segment/segment.js';
import { type BenchServer, startServer } from '../support/serve.js';

const REST =
  'The two of them walked along the river until the lights of the town were far behind, and neither said a word. It was cold ' +
  'for the time of year. At the old bridge they stopped, because somebody had left a lantern on the wall, still burning.';
const TEXTS: Readonly<Record<string, string>> = {
  'early clause': `When the evening comes, a speech service reads the news to everybody who wants to hear it. ${REST}`,
  'short clause': `For example, the committee that met on Monday in the old town hall could not agree on a plan for the new bridge over the river. ${REST}`,
  'no clause': `A speech service that runs on your own machine reads every text that you give it in a voice of your choice. ${REST}`,
  'short sentence': `Of course! ${REST}`,
};
const VOICE = 'english_female_professional';
const TOKEN_CHARS = 4;
/** From this much on a listener notices a silence. */
const BREAK_MS = 50;

interface Heard {
  readonly firstAudioMs: number;
  /** From the token with the character that completes the first piece. */
  readonly afterPieceMs: number;
  readonly breaks: number;
  readonly silenceMs: number;
}

interface Writing {
  readonly model: string;
  readonly text: string;
  readonly tokensPerSecond: number;
}

function tokensOf(text: string): string[] {
  const tokens = text.match(new RegExp(`.{1,${TOKEN_CHARS}}`, 'gs')) ?? [];
  // A space alone is a keepalive: it travels with the next.
  return tokens.flatMap((token, i) => (token === ' ' ? [] : [tokens[i - 1] === ' ' ? ` ${token}` : token]));
}

/** The token that completes the first piece, as the server cuts it. */
function completing(tokens: readonly string[]): number {
  const segmenter = new Segmenter({ countTokens: (text) => text.length, written: true });
  const found = tokens.findIndex((token) => segmenter.push(token).length > 0);
  return found < 0 ? tokens.length - 1 : found;
}

async function session(server: BenchServer, { model, text, tokensPerSecond }: Writing): Promise<Heard> {
  const url = `${server.baseUrl.replace('http', 'ws')}${streamPath(VOICE)}?model_id=${model}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${server.key}` } });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  let firstAudioMs = 0;
  let playedOutAtMs = 0;
  let breaks = 0;
  let silenceMs = 0;
  const done = new Promise<void>((resolve, reject) => {
    socket.on('message', (data) => {
      const now = performance.now();
      const message = JSON.parse(String(data)) as { audio?: string; isFinal?: boolean; error?: string };
      if (message.error !== undefined) return reject(new Error(message.error));
      if (message.audio === undefined) return resolve();
      if (firstAudioMs === 0) firstAudioMs = playedOutAtMs = now;
      if (now > playedOutAtMs + BREAK_MS) {
        breaks += 1;
        silenceMs += now - playedOutAtMs;
      }
      playedOutAtMs = Math.max(now, playedOutAtMs) + Buffer.byteLength(message.audio, 'base64') / 48;
    });
    socket.once('close', (code) => reject(new Error(`closed with ${code}`)));
  });
  socket.send('{"text":" "}');
  const tokens = tokensOf(text);
  const piece = completing(tokens);
  const startMs = performance.now();
  let pieceMs = startMs;
  for (const [index, token] of tokens.entries()) {
    const waitMs = startMs + (index * 1000) / tokensPerSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    socket.send(JSON.stringify({ text: token }));
    if (index === piece) pieceMs = performance.now();
  }
  socket.send('{"text":""}');
  await done;
  socket.close();
  return { firstAudioMs: firstAudioMs - startMs, afterPieceMs: firstAudioMs - pieceMs, breaks, silenceMs };
}

const COLUMNS = [14, 8, 8, 24, 28, 14, 18] as const;
const row = (cells: readonly (string | number)[]): string =>
  `${cells.map((cell, i) => String(cell).padStart(COLUMNS[i]!)).join('  ')}\n`;

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      sessions: { type: 'string', default: '1' },
      runs: { type: 'string', default: '3' },
      model: { type: 'string', default: 'base-tts-fast' },
      tokens: { type: 'string', default: '10,20,50,100,200' },
      engine: { type: 'string', default: 'kokoro' },
    },
  });
  const { model } = values;
  const server = await startServer({
    TTS_ENGINE: values.engine,
    // Audio that costs nothing to make: what is left is the way there and back.
    TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 60 }),
  });
  try {
    await session(server, { model, text: REST, tokensPerSecond: 1000 });
    const titles = ['first audio p50 / p95 ms', 'after the piece p50 / p95 ms', 'breaks/session', 'silence/session ms'];
    process.stdout.write(row(['text', 'tokens/s', 'sessions', ...titles]));
    for (const [name, text] of Object.entries(TEXTS)) {
      for (const tokensPerSecond of values.tokens.split(',').map(Number)) {
        for (const sessions of values.sessions.split(',').map(Number)) {
          const heard: Heard[] = [];
          for (let run = 0; run < Number(values.runs); run += 1) {
            const listeners = Array.from({ length: sessions }, async (_, i) => {
              await sleep((i * 137) % 1000);
              return session(server, { model, text, tokensPerSecond });
            });
            heard.push(...(await Promise.all(listeners)));
          }
          const of = (figure: (one: Heard) => number, share: number) => quantile(heard.map(figure), share).toFixed(0);
          const mean = (figure: (one: Heard) => number) =>
            heard.reduce((sum, one) => sum + figure(one), 0) / heard.length;
          const first = `${of((one) => one.firstAudioMs, 0.5)} / ${of((one) => one.firstAudioMs, 0.95)}`;
          const after = `${of((one) => one.afterPieceMs, 0.5)} / ${of((one) => one.afterPieceMs, 0.95)}`;
          const breaks = mean((one) => one.breaks).toFixed(1);
          const silence = mean((one) => one.silenceMs).toFixed(0);
          process.stdout.write(row([name, tokensPerSecond, sessions, first, after, breaks, silence]));
        }
      }
    }
  } finally {
    await server.stop();
  }
}
