/**
 * Where the wait of a single listener for first audio goes: over HTTP, and next to it what
 * the same segments take in an engine's process of their own: the text's reading, the front, the
 * first window of the vocoder; the rest is the gateway's and the way's.
 *
 *   npm run bench -- first-sound [--device cpu|webgpu] [--models base-tts-fast] [--threads 4]
 *                                [--rounds 6]
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { createHttpClient } from '../../src/client/http.js';
import { quantile } from '../../src/client/load/capacity.js';
import { httpListener } from '../../src/client/load/listener.js';
import { loadConfig } from '../../src/config.js';
import { readMeasurement } from '../../src/engine/measure/remembered.js';
import { firstPieceChars } from '../../src/gateway/first-piece.js';
import { forkEngine } from '../../src/gateway/workers/fork-engine.js';
import type { Device } from '../../src/protocol/device.js';
import type { BaseModel, Segment, SegmentJob } from '../../src/protocol/job.js';
import { createReader } from '../../src/text/reader.js';
import { Segmenter } from '../../src/text/segment/segment.js';
import type { FromWorker, ToWorker } from '../../src/worker/protocol.js';
import { startServer } from '../support/serve.js';
import { TEXTS, VOICE } from '../support/texts.js';

/** Segments that a gateway has in work of one stream, where an engine takes many steps at once. */
const LOOKAHEAD = 3;
const MANY_SAMPLES = 1_000_000_000;

/**
 * Milliseconds since the job was given, to the end of its front, of its first window, and to its
 * first samples.
 */
interface Stages {
  readonly frontMs: number;
  readonly windowMs: number;
  readonly heardMs: number;
}

interface Use {
  readonly device: Device;
  readonly threads: number | 'auto';
  readonly model: BaseModel;
}

const median = (values: readonly number[]): number => quantile(values, 0.5);
const ms = (value: number): string => value.toFixed(1);

async function overHttp({ device, threads, model }: Use, rounds: number): Promise<number[][]> {
  const server = await startServer({}, ['--device', device, '--threads', String(threads)]);
  const client = createHttpClient({ baseUrl: server.baseUrl, apiKey: server.key });
  const listen = httpListener(client, { model, voice: VOICE });
  const { signal } = new AbortController();
  const heard: number[][] = TEXTS.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, text] of TEXTS.entries()) {
      const { firstAudioMs } = await listen(text, signal);
      if (round > 0) heard[i]!.push(firstAudioMs);
    }
  }
  client.close();
  await server.stop();
  return heard;
}

/** An engine as a server starts it, given the segments of a text as its gateway gives them. */
async function startEngine({ device, threads, model }: Use) {
  const { modelDir, offline } = loadConfig().config;
  const kokoro = { modelDir, lexicon: '', device, threads, workers: 'auto', offline, preload: [model] } as const;
  const child = forkEngine({ type: 'start', options: { engine: 'kokoro', kokoro: { ...kokoro, share: 'either' } } });
  const send = (message: ToWorker): void => void child.send(message);
  let receive: (message: FromWorker) => void = () => undefined;
  child.on('message', (message: FromWorker) => receive(message));
  const { description, capacity } = await new Promise<FromWorker & { type: 'ready' }>((resolve, reject) => {
    receive = (message) => {
      if (message.type === 'ready') resolve(message);
      if (message.type === 'failed') reject(new Error(message.message));
    };
    child.once('exit', (code) => reject(new Error(`the engine's process ended with ${code} before it was ready`)));
  });
  send({ type: 'wide', wide: true });
  let jobs = 0;

  function speak(segments: readonly Segment[]): Promise<Stages> {
    // An engine that takes one step at a time is given the next segment when it has time for it.
    const given = segments.slice(0, capacity === undefined ? 1 : LOOKAHEAD).map((segment): SegmentJob => {
      const mix = [{ style: 'af_heart', weight: 1 }];
      return { id: `${++jobs}`, model, language: 'en-US', mix, seed: 0, speed: 1, gainDb: 0, segment };
    });
    const [{ id: first }] = given as [SegmentJob];
    const startMs = performance.now();
    const ran: number[] = [];
    let heardMs = 0;
    let left = given.length;
    return new Promise((resolve, reject) => {
      receive = (message) => {
        const atMs = performance.now() - startMs;
        if (message.type === 'waits') send({ type: 'turn', id: message.id, dueInMs: 0 });
        if (message.type === 'ran' && message.id === first) ran.push(atMs);
        if (message.type === 'audio' && message.id === first && heardMs === 0) {
          heardMs = atMs;
          for (const { id } of given) send({ type: 'cancel', id });
        }
        if (message.type === 'error' && message.code !== 'aborted') reject(new Error(message.message));
        if (message.type !== 'end' && message.type !== 'error') return;
        left -= 1;
        if (left === 0) resolve({ frontMs: ran[0]!, windowMs: ran[1]!, heardMs });
      };
      for (const [i, job] of given.entries()) {
        send({ type: 'job', job: { ...job, dueInMs: i * 3_000 }, creditSamples: MANY_SAMPLES });
        if (i === 0) send({ type: 'turn', id: first, dueInMs: 0 });
      }
    });
  }

  async function stop(): Promise<void> {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  return { description, speak, stop };
}

async function measure(use: Use, rounds: number): Promise<void> {
  const heard = await overHttp(use, rounds);
  const { config } = loadConfig();
  const measured = await readMeasurement(config.modelDir, { ...config, ...use });
  const inTimeChars = firstPieceChars(measured?.untilHeard[use.model]);
  const reader = await createReader();
  const engine = await startEngine(use);
  const all = heard.flat();
  const figures = `p50 / p95 ${quantile(all, 0.5).toFixed(0)} / ${quantile(all, 0.95).toFixed(0)} ms`;
  process.stdout.write(
    `${use.model} on ${engine.description}: ${figures}, pieces in time to ${inTimeChars} characters\n`,
  );
  for (const [i, text] of TEXTS.entries()) {
    const segmenter = new Segmenter({ countTokens: (piece) => reader.countTokens(piece), inTimeChars });
    const segments = [...segmenter.push(text), ...segmenter.end()];
    const read: number[] = [];
    const stages: Stages[] = [];
    for (let round = 0; round <= rounds; round++) {
      const startMs = performance.now();
      reader.read(segments[0]!);
      const readMs = performance.now() - startMs;
      const stage = await engine.speak(segments);
      if (round === 0) continue;
      read.push(readMs);
      stages.push(stage);
    }
    const readMs = median(read);
    const frontMs = median(stages.map((stage) => stage.frontMs)) - readMs;
    const windowMs = median(stages.map((stage) => stage.windowMs - stage.frontMs));
    const heardMs = median(stages.map((stage) => stage.heardMs));
    const total = median(heard[i]!);
    const rest = `handing over ${ms(heardMs - readMs - frontMs - windowMs)}, gateway and HTTP ${ms(total - heardMs)}`;
    process.stdout.write(
      `  ${segments[0]!.text.trim().length} characters: ${ms(total)} ms = text ${ms(readMs)}, front ${ms(frontMs)}, ` +
        `first window ${ms(windowMs)}, ${rest}\n`,
    );
  }
  await engine.stop();
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      device: { type: 'string', default: 'cpu' },
      models: { type: 'string', default: 'base-tts-fast' },
      threads: { type: 'string', default: 'auto' },
      rounds: { type: 'string', default: '6' },
    },
  });
  const threads = values.threads === 'auto' ? 'auto' : Number(values.threads);
  for (const model of values.models.split(',') as BaseModel[]) {
    await measure({ device: values.device as Device, threads, model }, Number(values.rounds));
  }
}
