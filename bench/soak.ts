/**
 * Many sessions coming and going for a while: memory stays level, no job and no session is left behind.
 *
 *   npm run bench -- soak [--minutes 10] [--sessions 50] [--engine sine|kokoro]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { streamPath } from '../src/protocol/stream.js';
import { type BenchServer, startServer } from './serve.js';

const VOICE = 'english_female_professional';
const SENTENCES = [
  'Sure, here is what happened next. ',
  'The two of them walked along the river until the lights of the town were far behind. ',
  'It was cold for the time of year, wasn’t it? ',
  '"Read it," she said.\n\n',
  'On 3 March 2024 it cost $1,250.75, about 12% more than Dr. Smith had thought. ',
];
/** How much larger than after the warm-up the server may be at the end. */
const MAX_GROWTH = 1.25;

type Manner = 'whole' | 'leave' | 'break' | 'stall';
const tally: Record<Manner | 'failed', number> = { whole: 0, leave: 0, break: 0, stall: 0, failed: 0 };

/** One visitor: most listen to the end, some leave, some break the rules, some stop reading for a while. */
async function visit(server: BenchServer): Promise<void> {
  const dice = Math.random();
  const manner: Manner = dice < 0.7 ? 'whole' : dice < 0.85 ? 'leave' : dice < 0.93 ? 'break' : 'stall';
  const url = `${server.baseUrl.replace('http', 'ws')}${streamPath(VOICE)}?model_id=base-tts-fast&sync_alignment=true`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${server.key}` } });
  let final = false;
  socket.on('message', (data) => {
    final ||= String(data).startsWith('{"isFinal":true');
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.on('error', () => resolve());
  });
  await new Promise<void>((resolve) => {
    socket.once('open', () => resolve());
    socket.once('error', () => resolve());
  });
  const send = (message: object) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  };
  send({ text: ' ' });
  const sentences = 1 + Math.floor(Math.random() * 6);
  for (let i = 0; i < sentences; i++) {
    for (const word of SENTENCES[Math.floor(Math.random() * SENTENCES.length)]!.match(/\S+\s*/g)!) {
      send({ text: word });
      await sleep(5 + Math.random() * 30);
    }
    if (manner === 'leave' && Math.random() < 0.4) socket.terminate();
    if (manner === 'break' && Math.random() < 0.4) send({ text: 5 });
    if (manner === 'stall') {
      socket.pause();
      await sleep(500);
      socket.resume();
    }
  }
  if (manner === 'leave') socket.terminate();
  send({ text: '' });
  await closed;
  if (manner === 'whole' && !final) tally.failed++;
  else tally[manner]++;
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: 'string', default: '10' },
      sessions: { type: 'string', default: '50' },
      engine: { type: 'string', default: 'sine' },
    },
  });
  const server = await startServer({
    TTS_ENGINE: values.engine,
    TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 55, pace: 40 }),
  });
  const endMs = performance.now() + Number(values.minutes) * 60_000;
  const visitors = Array.from({ length: Number(values.sessions) }, async (_, i) => {
    await sleep(i * 50);
    while (performance.now() < endMs) {
      await visit(server);
      await sleep(Math.random() * 400);
    }
  });
  const memory: number[] = [];
  const watch = async () => {
    const startMs = performance.now();
    process.stdout.write('     s  memory MB  heap MB  sessions  queued  running  visits  failed\n');
    while (performance.now() < endMs) {
      await sleep(Math.min(15_000, Math.max(1_000, endMs - performance.now())));
      const rss = (await server.metric('tts_process_resident_memory_bytes')) / 1e6;
      memory.push(rss);
      const row = [
        (performance.now() - startMs) / 1000,
        rss,
        (await server.metric('tts_nodejs_heap_size_used_bytes')) / 1e6,
        await server.metric('tts_active_sessions'),
        await server.metric('tts_queue_depth'),
        await server.metric('tts_running_segments'),
        tally.whole + tally.leave + tally.break + tally.stall,
        tally.failed,
      ];
      process.stdout.write(
        `${row.map((value, i) => value.toFixed(0).padStart([6, 9, 7, 8, 6, 7, 6, 6][i]!)).join('  ')}\n`,
      );
    }
  };
  await Promise.all([watch(), ...visitors]);
  const left = async () =>
    (await server.metric('tts_active_sessions')) +
    (await server.metric('tts_queue_depth')) +
    (await server.metric('tts_running_segments')) +
    (await server.metric('tts_places_taken'));
  for (let i = 0; i < 100 && (await left()) > 0; i++) await sleep(100);
  const orphans = await left();
  const warm = memory[Math.floor(memory.length / 3)]!;
  const growth = memory.at(-1)! / warm;
  process.stdout.write(
    `${JSON.stringify(tally)}\nmemory at the end / after the warm-up: ${growth.toFixed(2)}, left behind: ${orphans}\n`,
  );
  await server.stop();
  if (orphans > 0 || tally.failed > 0 || growth > MAX_GROWTH) process.exitCode = 1;
}
