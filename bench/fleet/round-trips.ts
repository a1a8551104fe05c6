/**
 * What distance costs: speech a second of a worker behind a network with a round trip, at a gateway
 * that has more to do than it can. The tone engine works at the pace of the light voice unless told
 * otherwise.
 *
 *   npm run bench -- round-trips [--delay 0,50,150,300] [--seconds 6] [--turns 2] [--clients 12]
 *                                [--engine sine|kokoro] [--pace 9] [--chunk-ms 400]
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createHttpClient } from '../../src/client/http.js';
import { saturate } from '../../src/client/load/capacity.js';
import { httpListener } from '../../src/client/load/listener.js';
import { startNats } from '../../testkit/nats.js';
import { startProxy } from '../../testkit/proxy.js';
import { startMachine } from '../support/machines.js';
import { type BenchServer, startServer } from '../support/serve.js';

const VOICE = 'english_female_professional';
const TEXTS = [
  'The four of them walked back along the river to the old house. It was cold for the time of year, and the old bridge lay in the dark. They stopped there for a while.',
  'Somebody had left a lantern on the wall, still burning, with a folded letter under it. He shook his head, and they went on.',
];
/** A tenth may be lost at this round trip. */
const JUDGED_MS = 150;
const LEAST_SHARE = 0.9;
/** Until a gateway has seen that a distance has changed. */
const SETTLE_S = 4;

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      delay: { type: 'string', default: '0,50,150,300' },
      seconds: { type: 'string', default: '6' },
      turns: { type: 'string', default: '2' },
      clients: { type: 'string', default: '12' },
      engine: { type: 'string', default: 'sine' },
      pace: { type: 'string', default: '9' },
      'chunk-ms': { type: 'string', default: '400' },
    },
  });
  const sine = JSON.stringify({ pace: Number(values.pace), chunkMs: Number(values['chunk-ms']) });
  const env = { TTS_ENGINE: values.engine, TTS_SINE_OPTIONS: sine };
  const nats = await startNats();
  const far = await startProxy({ port: nats.port });
  const flags = ['worker', '--log-level', 'error', '--workers', '1', '--threads', '1', '--models', 'base-tts-fast'];
  const worker = startMachine('worker', flags, { ...env, TTS_NATS: nats.url });
  const server = await startServer({ ...env, TTS_NATS: `nats://127.0.0.1:${far.port}` }, ['--workers', '0']);
  const delaysMs = values.delay.split(',').map(Number);
  const [seconds, turns] = [Number(values.seconds), Number(values.turns)];
  const busy = keepBusy(server, Number(values.clients), turns * delaysMs.length * (SETTLE_S + seconds));
  const speeds = new Map<number, number[]>(delaysMs.map((ms) => [ms, []]));
  // In turns, so that a machine that others use too is as busy for all of them.
  for (let turn = 0; turn < turns; turn++) {
    for (const [roundTripMs, measured] of speeds) {
      far.delay(roundTripMs / 2);
      // What was measured at the distance before is forgotten.
      await sleep(SETTLE_S * 1000);
      measured.push(await speechASecond(server, seconds));
    }
  }
  report(speeds);
  far.delay(0);
  await busy;
  await Promise.all([server.stop(), worker.stop()]);
  await far.close();
  await nats.close();
}

/** Listeners who take speech as fast as it comes, one text after the other. */
function keepBusy({ baseUrl, key }: BenchServer, clients: number, seconds: number): Promise<number> {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const listen = httpListener(createHttpClient({ baseUrl, apiKey: key }), { model: 'base-tts-fast', voice: VOICE });
  return saturate({ listen, texts: TEXTS }, { clients, seconds }, signal);
}

/** What leaves the engine, by the server's own count. */
async function speechASecond(server: BenchServer, seconds: number): Promise<number> {
  const [before, startMs] = [await server.metric('tts_audio_seconds_total'), performance.now()];
  await sleep(seconds * 1000);
  const after = await server.metric('tts_audio_seconds_total');
  return ((after - before) * 1000) / (performance.now() - startMs);
}

function report(speeds: ReadonlyMap<number, readonly number[]>): void {
  const mean = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0) / all.length;
  const [nearest] = [...speeds.values()].map(mean);
  process.stdout.write('round trip ms  speech a second  share of the nearest\n');
  for (const [roundTripMs, measured] of speeds) {
    const share = mean(measured) / nearest!;
    const each = measured.map((speed) => speed.toFixed(2)).join(', ');
    const cells = [
      String(roundTripMs).padStart(13),
      mean(measured).toFixed(2).padStart(15),
      share.toFixed(3).padStart(20),
    ];
    process.stdout.write(`${cells.join('  ')}  (${each})\n`);
    if (roundTripMs === JUDGED_MS && share < LEAST_SHARE) process.exitCode = 1;
  }
}
