/**
 * What clients do to a server, and to others on it, that send and never read, or ask for what is
 * dear to answer; each against a fresh server. Memory is that of gateway and engine processes
 * together; the delays are those of the gateway's event loop, as it measures them. Meanwhile
 * another key asks for a short buffered response again and again. Growth beyond 50 MB, another key
 * that is refused, or anything left behind afterwards, is a failure.
 *
 *   npm run bench -- attacks [--only breaks,pings]     the names are those of attack-cases.ts
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchServer, startServer } from '../support/serve.js';
import { ATTACKS, newKey, TEXT } from './attack-cases.js';

/** Growth of memory that is a failure. */
const LIMIT_MB = 50;
/**
 * A hundred times as fast as it is heard: an engine without a pace would take all cores, and delays
 * were its own.
 */
const SINE = JSON.stringify({ msPerChar: 60, pace: 100 });

async function warmUp(server: BenchServer): Promise<void> {
  for (let i = 0; i < 60; i++) {
    const response = await fetch(`${server.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'base-tts-fast', input: TEXT.repeat(10), stream: i % 2 === 0 }),
    });
    await response.arrayBuffer();
  }
}

/** Another key that asks for little, and is to get it. */
function watchOthers({ baseUrl }: BenchServer, key: string) {
  let over = false;
  let asked = 0;
  let refused = 0;
  const speak = async () => {
    while (!over) {
      const response = await fetch(`${baseUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'base-tts-fast', input: TEXT.slice(0, 62) }),
      });
      await response.arrayBuffer();
      asked++;
      if (response.status !== 200) refused++;
      await sleep(200);
    }
  };
  const watching = speak();
  return {
    async end() {
      over = true;
      await watching;
      return { asked, refused };
    },
  };
}

/** Of the delays that the gateway tells, what is its sampling. */
const SAMPLED_MS = 10;

/**
 * The delays of the event loop since they were asked for last, in milliseconds: the 99th percentile
 * and the longest.
 */
async function loopDelays(server: BenchServer): Promise<[number, number]> {
  const names = ['tts_nodejs_eventloop_lag_p99_seconds', 'tts_nodejs_eventloop_lag_max_seconds'] as const;
  const [p99 = 0, most = 0] = (await server.metrics(names)).map((s) => Math.max(0, s * 1000 - SAMPLED_MS));
  return [p99, most];
}

export async function main(argv: readonly string[]): Promise<void> {
  const names = Object.keys(ATTACKS).join(',');
  const { values } = parseArgs({ args: [...argv], options: { only: { type: 'string', default: names } } });
  process.stdout.write(
    'attack      before MB  most MB  growth MB  delay p99 ms  most ms  others refused  left behind\n',
  );
  for (const name of values.only.split(',')) {
    const server = await startServer({ TTS_ENGINE: 'sine', TTS_SINE_OPTIONS: SINE });
    await warmUp(server);
    const other = watchOthers(server, await newKey(server, 'partner'));
    const before = await server.memoryMb();
    let most = before;
    const watch = setInterval(async () => {
      most = Math.max(most, await server.memoryMb());
    }, 200);
    await loopDelays(server);
    const end = await ATTACKS[name]!(server);
    await sleep(8_000);
    clearInterval(watch);
    const delays = await loopDelays(server);
    const { asked, refused } = await other.end();
    await end();
    const left = async () => (await server.metric('tts_places_taken')) + (await server.metric('tts_active_sessions'));
    for (let i = 0; i < 100 && (await left()) > 0; i++) await sleep(100);
    const orphans = await left();
    const row = [before, most, most - before].map((mb, i) => mb.toFixed(0).padStart([9, 7, 9][i]!));
    const [p99, longest] = delays.map((ms, i) => ms.toFixed(0).padStart([12, 7][i]!));
    const told = `${refused} of ${asked}`.padStart(14);
    process.stdout.write(
      `${name.padEnd(10)}  ${row.join('  ')}  ${p99}  ${longest}  ${told}  ${String(orphans).padStart(11)}\n`,
    );
    if (most - before > LIMIT_MB || orphans > 0 || refused > 0) process.exitCode = 1;
    await server.stop();
  }
}
