/**
 * The longest requests one after another: does memory stay flat, and does the server's own event
 * loop stay responsive?
 *
 *   npm run bench -- steady [--requests 50] [--model base-tts-fast]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SENTENCES } from '../../testkit/sentences.js';
import { engineRss, startServer } from '../support/serve.js';

export async function main(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: { requests: { type: 'string', default: '50' }, model: { type: 'string', default: 'base-tts-fast' } },
  });
  const server = await startServer({ TTS_MODEL: values.model });
  const text = SENTENCES.join(' ').slice(0, 2_048);
  const lagOf = async () => 1000 * (await server.metric('tts_nodejs_eventloop_lag_p99_seconds'));
  // Every look starts the measurement anew: first what the machine itself does to an idle server.
  await lagOf();
  await sleep(5_000);
  console.log(`idle: server loop p99 ${(await lagOf()).toFixed(1)} ms`);
  const resident: number[] = [];
  let worstLagMs = 0;
  console.log('request  speech s  wall s  engine MB  server loop p99 ms');
  for (let request = 1; request <= Number(values.requests); request += 1) {
    const start = performance.now();
    const response = await fetch(`${server.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: values.model, input: text, stream: true, response_format: 'pcm' }),
    });
    if (!response.ok) throw new Error(await response.text());
    let bytes = 0;
    for await (const chunk of response.body!) bytes += chunk.length;
    const lagMs = await lagOf();
    worstLagMs = Math.max(worstLagMs, lagMs);
    resident.push(engineRss(server.pid) / 1e6);
    const wallS = (performance.now() - start) / 1000;
    console.log(
      [String(request).padStart(7), (bytes / 48_000).toFixed(1).padStart(9), wallS.toFixed(1).padStart(7)].join(' '),
      String(Math.round(resident.at(-1)!)).padStart(10),
      lagMs.toFixed(1).padStart(19),
    );
  }
  const early = Math.max(...resident.slice(0, 5));
  const growth = (100 * (Math.max(...resident) - early)) / early;
  console.log(
    `memory after the first five requests grew by ${growth.toFixed(1)}%; loop p99 at worst ${worstLagMs.toFixed(1)} ms`,
  );
  await server.stop();
}
