/**
 * What the engine adds to the bare onnxruntime sessions on the same tokens: reading, styles,
 * trimming, times, PCM.
 *
 *   npm run bench -- overhead [--rounds 5] [--model base-tts]
 */
import { parseArgs } from 'node:util';
import { loadConfig } from '../../src/config.js';
import { UNSCHEDULED } from '../../src/engine/engine.js';
import { cpuFor } from '../../src/engine/graphs/provider.js';
import { createSessions } from '../../src/engine/graphs/sessions.js';
import { createKokoroEngine } from '../../src/engine/kokoro.js';
import { readMeasurement } from '../../src/engine/measure/remembered.js';
import type { BaseModel } from '../../src/protocol/job.js';
import { createReader } from '../../src/text/reader.js';
import { segmentOf, speak } from '../../testkit/speech.js';

const TEXT = 'The four of them walked back along the river to the old house.';

/** Processor time of the best of several runs: a busy machine changes it little. */
async function cost(rounds: number, work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds; i += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

export async function main(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: { rounds: { type: 'string', default: '5' }, model: { type: 'string', default: 'base-tts' } },
  });
  const model = values.model as BaseModel;
  const { modelDir, device, threads } = loadConfig().config;
  const engineOptions = { modelDir, lexicon: '', device, threads, preload: [model] };
  const engine = await createKokoroEngine({ ...engineOptions, log: () => undefined });
  const vocoder = (await readMeasurement(modelDir, engineOptions))?.vocoder ?? 'float';
  const provider = cpuFor(engineOptions);
  const bare = await createSessions({ modelDir, offline: true, provider, vocoder }).model(model);
  const segment = segmentOf(TEXT);
  const part = (await createReader()).read(segment).parts[0]!;
  if (part.kind !== 'speech') throw new Error('The text has nothing to speak.');
  const style = await bare.styles.take([{ style: 'af_heart', weight: 1 }], part.tokens.length, 0);
  const rounds = Number(values.rounds);
  const bareMs = await cost(rounds, async () => {
    const features = await bare.acousticModel(part.tokens, style, UNSCHEDULED);
    const utterance = bare.vocoder.begin(features, 0, features.frames);
    while (!utterance.ended) await utterance.next(UNSCHEDULED);
  });
  const engineMs = await cost(rounds, () => speak(engine, segment, { model }));
  console.log(`${model}: bare sessions ${bareMs.toFixed(0)} ms, engine ${engineMs.toFixed(0)} ms of processor time`);
  console.log(`the engine costs ${((engineMs / bareMs - 1) * 100).toFixed(1)}% more than the bare sessions`);
  await engine.close();
}
