/**
 * Voice listings while the engine is busy, next to an idle server in the same run: 500 a second,
 * spread evenly and as one burst a second. Latencies are what a client sees, connection reused.
 *
 *   npm run bench -- load [--engine sine] [--model base-tts] [--seconds 10] [--rate 500]
 *                         [--speakers 4]
 */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchServer, startServer } from '../support/serve.js';

const TEXT =
  'It was late in the evening when the last train came in, and nobody was waiting for it. The lamps along the platform ' +
  'went out one by one. Somewhere behind the station a dog barked twice, then thought better of it.';

function listing({ baseUrl, key }: BenchServer, agent: Agent): Promise<number> {
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    get(`${baseUrl}/v1/voices?model=base-tts`, { agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - startMs);
        else reject(new Error(`a listing was answered with ${response.statusCode}`));
      });
    }).once('error', reject);
  });
}

/** Requests leave when they are due, whether or not earlier ones were answered. */
async function measure(server: BenchServer, seconds: number, rate: number, burst: boolean): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: burst ? rate : 64 });
  // Connections made and code compiled on both sides: a server that has been up for a minute, not
  // for a second.
  for (let i = 0; i < 8; i++) await Promise.all(Array.from({ length: 500 }, () => listing(server, agent)));
  const work: Promise<number>[] = [];
  const startMs = performance.now();
  for (let sent = 0; sent < seconds * rate; ) {
    const elapsedS = (performance.now() - startMs) / 1000;
    const due = burst ? Math.floor(elapsedS + 1) * rate : Math.floor(elapsedS * rate);
    for (; sent < Math.min(due, seconds * rate); sent++) work.push(listing(server, agent));
    await sleep(1);
  }
  const latencies = await Promise.all(work);
  agent.destroy();
  return latencies.sort((a, b) => a - b);
}

/** Keeps the engine at work until told to stop; returns the seconds of audio that came of it. */
async function keepBusy(server: BenchServer, model: string, speakers: number, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  const speak = async () => {
    while (!signal.aborted) {
      const response = await fetch(`${server.baseUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: TEXT, stream: true, response_format: 'pcm' }),
      });
      for await (const chunk of response.body!) bytes += chunk.length;
    }
  };
  await Promise.all(Array.from({ length: speakers }, speak));
  return bytes / 48_000;
}

const at = (sorted: readonly number[], share: number): string =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1);

function report(name: string, sorted: readonly number[]): void {
  const [p50, p99, max] = [at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1)];
  process.stdout.write(
    `${name.padEnd(34)} p50 ${p50.padStart(6)} ms   p99 ${p99.padStart(6)} ms   max ${max.padStart(6)} ms\n`,
  );
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      engine: { type: 'string', default: 'kokoro' },
      model: { type: 'string', default: 'base-tts' },
      seconds: { type: 'string', default: '10' },
      rate: { type: 'string', default: '500' },
      speakers: { type: 'string', default: '4' },
    },
  });
  const [seconds, rate, speakers] = [values.seconds, values.rate, values.speakers].map(Number) as [
    number,
    number,
    number,
  ];
  const env = { TTS_ENGINE: values.engine };
  const [idle, busy] = [await startServer(env), await startServer(env)];
  try {
    process.stdout.write(`${rate} voice listings a second for ${seconds} s, ${values.engine}\n`);
    for (const burst of [false, true]) {
      const how = burst ? 'in one burst a second' : 'spread evenly';
      report(`idle server, ${how}`, await measure(idle, seconds, rate, burst));
      const stop = new AbortController();
      const speaking = keepBusy(busy, values.model, speakers, stop.signal);
      await sleep(1_000);
      report(`busy engine, ${how}`, await measure(busy, seconds, rate, burst));
      stop.abort();
      process.stdout.write(`${' '.repeat(34)} (${(await speaking).toFixed(0)} s of speech made meanwhile)\n`);
    }
  } finally {
    await Promise.all([idle.stop(), busy.stop()]);
  }
}
