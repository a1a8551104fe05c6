/**
 * What listeners and refusals cost the gateway's process, next to how many there are of them. The
 * engine is a tone through a simulated GPU and listeners read without decoding, so that two cores
 * are enough for a thousand.
 *
 *   npm run bench -- gateway [--streams 100,200,400,800] [--seconds 12] [--clients 8]
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { quantile } from '../../src/client/load/capacity.js';
import { ListenerClock } from '../../src/client/load/listener.js';
import { markdown } from '../sound/delivery/table.js';
import { type BenchServer, cpuSeconds, startServer } from '../support/serve.js';
import { VOICE } from '../support/texts.js';

const MS_PER_CHAR = 60;
/** Two engine processes that make 3,200 s of speech in a second each, in pieces of a second. */
const GPU = { msPerChar: MS_PER_CHAR, chunkMs: 1_000, card: { runMs: 10, most: 32, capacity: 128 } };
/** In real time: fills the places of a server that refuses all others. */
const SLOW = { msPerChar: MS_PER_CHAR, chunkMs: 1_000, pace: 1 };
const PLACES = 4;
const SENTENCE =
  'When the evening comes, a speech service reads aloud what people wrote during the day, line by line. ';
/** About 20 s of speech, as a paragraph of an article has, and two minutes. */
const [TEXT, LONG_TEXT] = [SENTENCE.repeat(4).trim(), SENTENCE.repeat(20).trim()];
const TEXT_MS = TEXT.replaceAll(' ', '').length * MS_PER_CHAR;

const start = (sine: object, flags: readonly string[] = []): Promise<BenchServer> =>
  startServer({ TTS_ENGINE: 'sine', TTS_SINE_OPTIONS: JSON.stringify(sine) }, flags);

/** Reads one text to its end; undefined where it was refused or broke off. */
function listenTo(server: BenchServer, agent: Agent, input: string): Promise<ListenerClock | undefined> {
  const body = { model: 'base-tts-fast', voice: VOICE, input, stream: true, response_format: 'pcm' };
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
  const clock = new ListenerClock(performance.now());
  return new Promise((resolve) => {
    const hear = (response: IncomingMessage): void => {
      const isHeard = response.statusCode === 200;
      response.on('data', (bytes: Buffer) => isHeard && clock.hear(bytes.length / 2, performance.now()));
      response.once('end', () => resolve(isHeard ? clock : undefined));
      response.once('error', () => resolve(undefined));
    };
    request(`${server.baseUrl}/v1/audio/speech`, { method: 'POST', agent, headers }, hear)
      .once('error', () => resolve(undefined))
      .end(JSON.stringify(body));
  });
}

/** Listeners who came over the length of a text and hear one after the other. */
async function hear(streams: number, seconds: number): Promise<string[]> {
  const most = String(2 * streams);
  const server = await start(GPU, ['--partner-concurrency', most, '--queue-limit', most]);
  const agent = new Agent({ keepAlive: true });
  for (let i = 0; i < 8; i += 1) await listenTo(server, agent, TEXT);
  let [audioS, stalled, lost, over] = [0, 0, 0, false];
  let firstMs: number[] = [];
  const listener = async (number: number): Promise<void> => {
    await sleep((number / streams) * TEXT_MS);
    while (!over) {
      const heard = (await listenTo(server, agent, TEXT))?.listened;
      if (over) return;
      if (heard === undefined) {
        lost += 1;
        return;
      }
      audioS += heard.audioMs / 1000;
      firstMs.push(heard.firstAudioMs);
      if (heard.stalled) stalled += 1;
      await sleep(Math.max(0, heard.playedOutAtMs - performance.now()));
    }
  };
  for (let number = 0; number < streams; number += 1) void listener(number);
  await sleep(TEXT_MS);
  const [beganMs, beganS] = [performance.now(), await cpuSeconds(server.pid)];
  [audioS, firstMs] = [0, []];
  await sleep(seconds * 1000);
  const tookS = (performance.now() - beganMs) / 1000;
  const usedS = (await cpuSeconds(server.pid)) - beganS;
  over = true;
  agent.destroy();
  await server.stop();
  return [
    String(streams),
    `${(audioS / tookS).toFixed(0)} s`,
    (usedS / tookS).toFixed(2),
    `${((1000 * usedS) / audioS).toFixed(2)} ms`,
    `${quantile(firstMs, 0.5).toFixed(0)}, ${quantile(firstMs, 0.95).toFixed(0)} ms`,
    `${stalled}, ${lost}`,
  ];
}

/** Clients that ask again as soon as they are refused. */
async function refuse(clients: number, seconds: number): Promise<string> {
  const server = await start(SLOW, ['--queue-limit', String(PLACES)]);
  const agent = new Agent({ keepAlive: true });
  for (let i = 0; i < PLACES; i += 1) void listenTo(server, agent, LONG_TEXT);
  await sleep(2_000);
  const [beganMs, beganS] = [performance.now(), await cpuSeconds(server.pid)];
  const tookMs: number[] = [];
  const ask = async (): Promise<void> => {
    while (performance.now() - beganMs < seconds * 1000) {
      const askedMs = performance.now();
      if ((await listenTo(server, agent, TEXT)) !== undefined) throw new Error('a request was not refused');
      tookMs.push(performance.now() - askedMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, ask));
  const usedMs = 1000 * ((await cpuSeconds(server.pid)) - beganS);
  agent.destroy();
  await server.stop();
  const perSecond = (tookMs.length / seconds).toFixed(0);
  const each = (usedMs / tookMs.length).toFixed(2);
  return `${perSecond} refusals a second, ${each} ms of the gateway each, answered after ${quantile(tookMs, 0.5).toFixed(0)} ms (p50)\n`;
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      streams: { type: 'string', default: '100,200,400,800' },
      seconds: { type: 'string', default: '12' },
      clients: { type: 'string', default: '8' },
    },
  });
  const seconds = Number(values.seconds);
  const rows: string[][] = [];
  for (const streams of values.streams.split(',').filter(Boolean)) rows.push(await hear(Number(streams), seconds));
  const head = [
    'listeners',
    'audio a second',
    'cores',
    'for a second of audio',
    'first audio p50, p95',
    'stalled, lost',
  ];
  process.stdout.write(markdown(head, rows));
  process.stdout.write(await refuse(Number(values.clients), seconds));
}
