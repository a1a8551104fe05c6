/**
 * What NATS costs: the same two engines embedded in a server and behind a broker on the same
 * machine, in turns. First audio of a lone listener, and the speech a second that both make when
 * saturated.
 *
 *   npm run bench -- nats [--model base-tts-fast] [--rounds 30] [--seconds 15] [--turns 3]
 *                         [--engine kokoro|sine]
 */
import { parseArgs } from 'node:util';
import { createHttpClient } from '../../src/client/http.js';
import { quantile, saturate } from '../../src/client/load/capacity.js';
import { httpListener, type Listen } from '../../src/client/load/listener.js';
import { startNats } from '../../testkit/nats.js';
import { startMachine } from '../support/machines.js';
import { startServer } from '../support/serve.js';

const VOICE = 'english_female_professional';
const SENTENCE = 'Good evening, everybody.';
const TEXTS = [
  `The four of them walked back along the river to the old house. It was cold for the time of year, and the old bridge lay in the dark. They stopped there for a while.`,
  'Somebody had left a lantern on the wall, still burning, with a folded letter under it. He shook his head, and they went on.',
];
const ENGINES = ['--workers', '2', '--threads', '1'];

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      model: { type: 'string', default: 'base-tts-fast' },
      rounds: { type: 'string', default: '30' },
      seconds: { type: 'string', default: '15' },
      turns: { type: 'string', default: '3' },
      engine: { type: 'string', default: 'kokoro' },
    },
  });
  const { signal } = new AbortController();
  const env = { TTS_ENGINE: values.engine };
  const nats = await startNats();
  const worker = startMachine('worker', ['worker', '--log-level', 'error', ...ENGINES], { ...env, TTS_NATS: nats.url });
  const embedded = await startServer(env, ENGINES);
  const remote = await startServer({ ...env, TTS_NATS: nats.url }, ['--workers', '0']);
  const listenTo = ({ baseUrl, key }: typeof embedded): Listen =>
    httpListener(createHttpClient({ baseUrl, apiKey: key }), { model: values.model, voice: VOICE });
  const sides = { embedded: listenTo(embedded), 'over NATS': listenTo(remote) };
  const firstMs: Record<string, number[]> = {};
  const speeds: Record<string, number[]> = {};
  // Both engines of both sides are warm before anything counts.
  for (const listen of Object.values(sides))
    await saturate({ listen, texts: TEXTS }, { clients: 4, seconds: 3 }, signal);
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [side, listen] of Object.entries(sides)) {
      firstMs[side] = [...(firstMs[side] ?? []), (await listen(SENTENCE, signal)).firstAudioMs];
    }
  }
  for (let turn = 0; turn < Number(values.turns); turn++) {
    for (const [side, listen] of Object.entries(sides)) {
      const load = { clients: 6, seconds: Number(values.seconds) };
      const speed = await saturate({ listen, texts: TEXTS }, load, signal);
      process.stderr.write(`  ${side}: ${speed.toFixed(2)} s of speech a second\n`);
      speeds[side] = [...(speeds[side] ?? []), speed];
    }
  }
  for (const side of Object.keys(sides)) {
    const [first, speed] = [firstMs[side]!, speeds[side]!];
    process.stdout.write(
      `${side}: first audio ${quantile(first, 0.5).toFixed(1)} ms (best ${Math.min(...first).toFixed(1)}), ` +
        `${quantile(speed, 0.5).toFixed(2)} s of speech a second (${speed.map((each) => each.toFixed(2)).join(', ')})\n`,
    );
  }
  const added = quantile(firstMs['over NATS']!, 0.5) - quantile(firstMs.embedded!, 0.5);
  const share = quantile(speeds['over NATS']!, 0.5) / quantile(speeds.embedded!, 0.5);
  process.stdout.write(`NATS adds ${added.toFixed(1)} ms to first audio and leaves ${share.toFixed(3)} of the speed\n`);
  await Promise.all([embedded.stop(), remote.stop(), worker.stop()]);
  await nats.close();
  if (added > 15 || share < 0.95) process.exitCode = 1;
}
