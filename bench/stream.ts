/**
 * Time from the first word sent to the first audio message, and underruns of a listener who plays what arrives, while a
 * writer as fast as a language model sends its words: at 1, 4 and 16 sessions.
 *
 *   npm run bench -- stream [--sessions 1,4,16] [--model base-tts-fast] [--tokens 20,100] [--engine sine]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { quantile } from '../src/client/load/capacity.js';
import { tokensOf } from '../src/client/load/listener.js';
import { streamPath } from '../src/protocol/stream.js';
import { type BenchServer, startServer } from './serve.js';

const TEXT =
  'Sure, here is what happened next. The two of them walked along the river until the lights of the town were far ' +
  'behind, and neither said a word. It was cold for the time of year. At the old bridge they stopped, because somebody ' +
  'had left a lantern on the wall, still burning, with a folded letter under it. "Read it," she said. He shook his head, ' +
  'put it into his coat, and they went on. Later, when the rain began, he wished that he had listened to her.';
const VOICE = 'english_female_professional';

interface Heard {
  readonly firstAudioMs: number;
  /** From the last character the first clause needed before it had surely ended. */
  readonly afterClauseMs: number;
  readonly underruns: number;
  readonly silenceMs: number;
  readonly audioMs: number;
}

async function session(server: BenchServer, model: string, tokensPerSecond: number): Promise<Heard> {
  const url = `${server.baseUrl.replace('http', 'ws')}${streamPath(VOICE)}?model_id=${model}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${server.key}` } });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  let firstSentMs = 0;
  let clauseSentMs = 0;
  let firstAudioMs = 0;
  let playedOutAtMs = 0;
  let underruns = 0;
  let silenceMs = 0;
  let audioMs = 0;
  const done = new Promise<void>((resolve, reject) => {
    socket.on('message', (data) => {
      const now = performance.now();
      const message = JSON.parse(String(data)) as { audio?: string; isFinal?: boolean; error?: string };
      if (message.error !== undefined) return reject(new Error(message.error));
      if (message.audio === undefined) return resolve();
      const ms = Buffer.byteLength(message.audio, 'base64') / 48;
      if (firstAudioMs === 0) firstAudioMs = playedOutAtMs = now;
      if (now > playedOutAtMs) {
        underruns += playedOutAtMs === firstAudioMs ? 0 : 1;
        silenceMs += now - playedOutAtMs;
        playedOutAtMs = now;
      }
      playedOutAtMs += ms;
      audioMs += ms;
    });
    socket.once('close', (code) => reject(new Error(`closed with ${code}`)));
  });
  socket.send('{"text":" "}');
  const startMs = performance.now();
  let sentChars = 0;
  let count = 0;
  for (const token of tokensOf(TEXT)) {
    const dueMs = startMs + (count++ * 1000) / tokensPerSecond;
    if (dueMs > performance.now()) await sleep(dueMs - performance.now());
    if (firstSentMs === 0) firstSentMs = performance.now();
    socket.send(JSON.stringify({ text: token }));
    sentChars += token.length;
    if (clauseSentMs === 0 && sentChars > TEXT.indexOf('. ') + 2) clauseSentMs = performance.now();
  }
  socket.send('{"text":""}');
  await done;
  socket.close();
  return {
    firstAudioMs: firstAudioMs - firstSentMs,
    afterClauseMs: firstAudioMs - clauseSentMs,
    underruns,
    silenceMs,
    audioMs,
  };
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      sessions: { type: 'string', default: '1,4,16' },
      model: { type: 'string', default: 'base-tts-fast' },
      tokens: { type: 'string', default: '20,100' },
      engine: { type: 'string', default: 'kokoro' },
    },
  });
  const server = await startServer({
    TTS_ENGINE: values.engine,
    // Audio that costs nothing to make: what is left is the way there and back.
    TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 60 }),
  });
  try {
    await session(server, values.model, 1000);
    process.stdout.write(
      'sessions  tokens/s  first audio p50 / p95 ms  after clause p50 ms  underruns/session  silence/audio\n',
    );
    for (const rate of values.tokens.split(',').map(Number)) {
      for (const sessions of values.sessions.split(',').map(Number)) {
        const heard = await Promise.all(
          Array.from({ length: sessions }, async (_, i) => {
            await sleep((i * 137) % 1000);
            return session(server, values.model, rate);
          }),
        );
        const first = heard.map((one) => one.firstAudioMs);
        const silence = heard.reduce((sum, one) => sum + one.silenceMs, 0);
        const audio = heard.reduce((sum, one) => sum + one.audioMs, 0);
        const underruns = heard.reduce((sum, one) => sum + one.underruns, 0);
        const after = quantile(
          heard.map((one) => one.afterClauseMs),
          0.5,
        );
        process.stdout.write(
          `${String(sessions).padStart(8)}  ${String(rate).padStart(8)}  ${`${quantile(first, 0.5).toFixed(0)} / ${quantile(first, 0.95).toFixed(0)}`.padStart(24)}  ${after.toFixed(0).padStart(19)}  ${(underruns / sessions).toFixed(1).padStart(17)}  ${(silence / audio).toFixed(2).padStart(13)}\n`,
        );
      }
    }
  } finally {
    await server.stop();
  }
}
