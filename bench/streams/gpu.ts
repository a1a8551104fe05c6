/**
 * A server with a GPU next to the same server without it: saturated speed, share of the time that
 * the card is at work, first audio at 1, 8, 32 and 128 streams, and live streams without a stall,
 * for both models; what a listener waits for right after a crowd has left, and what is lost when
 * the engine's process is killed under 32 (`--proofs`); and, where Python with PyTorch is there,
 * the folded Kokoro graph in PyTorch on the same card (`voices/training/teacher.py`), alone and as
 * eight processes.
 *
 *   npm run bench -- gpu [--device webgpu] [--models base-tts-fast,base-tts] [--streams 1,8,32,128]
 *                        [--seconds 12] [--proofs] [--without-cpu] [--python python3]
 *                        [--published kokoro-quantized.onnx] [--wav FOLDER]
 */
import { execFile } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { createHttpClient } from '../../src/client/http.js';
import { quantile, saturate, tryStreams } from '../../src/client/load/capacity.js';
import { httpListener, type Listen, type Listened } from '../../src/client/load/listener.js';
import { loadConfig } from '../../src/config.js';
import { type Measurement, measurementFile, writeMeasurement } from '../../src/engine/measure/remembered.js';
import { TtsError } from '../../src/protocol/errors.js';
import { createReader } from '../../src/text/reader.js';
import { type BenchServer, startServer } from '../support/serve.js';
import { TEXTS, VOICE } from '../support/texts.js';

const run = promisify(execFile);
/** Streams for what happens under a crowd, and how long it has been at it. */
const CROWD = 32;
const CROWD_MS = 400;
/** Frames by which other utterances in the same run may move the end of a pause. */
const SAME_MS = 30;
const LONE_ROUNDS = 12;
/** Live streams that one card should carry at least. */
const LIVE: Readonly<Record<string, number>> = { 'base-tts': 110, 'base-tts-fast': 240 };
/** Held-out lines that are spoken at a time: as many as a CPU takes in. */
const READERS = 8;
const ROOT = path.resolve(import.meta.dirname, '../..');

/** Samples how busy the card says it is; undefined where nobody can be asked. */
function watchCard(): { stop(): number | undefined } {
  const seen: number[] = [];
  let on = true;
  const look = async (): Promise<void> => {
    while (on) {
      const asked = run('nvidia-smi', ['--query-gpu=utilization.gpu', '--format=csv,noheader,nounits']);
      const { stdout } = await asked.catch(() => ({ stdout: '' }));
      if (stdout.trim() === '') return;
      seen.push(Number(stdout.split('\n')[0]));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  void look();
  return {
    stop() {
      on = false;
      return seen.length === 0 ? undefined : seen.reduce((sum, value) => sum + value, 0) / seen.length;
    },
  };
}

async function machine(): Promise<string> {
  const asked = run('nvidia-smi', ['--query-gpu=name,driver_version', '--format=csv,noheader']);
  const { stdout } = await asked.catch(() => ({ stdout: 'no NVIDIA GPU' }));
  return `${stdout.trim()}; ${cpus().length} × ${cpus()[0]?.model.trim()}; Node ${process.versions.node}`;
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      device: { type: 'string', default: 'webgpu' },
      models: { type: 'string', default: 'base-tts-fast,base-tts' },
      streams: { type: 'string', default: '1,8,32,128' },
      seconds: { type: 'string', default: '12' },
      proofs: { type: 'boolean', default: false },
      'without-cpu': { type: 'boolean', default: false },
      python: { type: 'string', default: 'python3' },
      published: { type: 'string', default: '' },
      wav: { type: 'string', default: '' },
    },
  });
  process.stdout.write(`${await machine()}\n`);
  const models = values.models.split(',').filter(Boolean);
  const devices = models.length === 0 ? [] : values['without-cpu'] ? [values.device] : [values.device, 'cpu'];
  for (const device of devices) {
    const server = await startServer({}, ['--device', device]);
    const { signal } = new AbortController();
    // Every listener of a crowd waits on it.
    setMaxListeners(0, signal);
    const client = createHttpClient({ baseUrl: server.baseUrl, apiKey: server.key });
    for (const model of models) {
      const listen = httpListener(client, { model, voice: VOICE });
      for (const text of TEXTS) await listen(text, signal);
      const card = watchCard();
      const crowd = { clients: model === 'base-tts' ? 64 : 128, seconds: Number(values.seconds) };
      const saturated = await saturate({ listen, texts: TEXTS }, crowd, signal);
      const busy = device === 'cpu' ? undefined : card.stop();
      card.stop();
      const share = busy === undefined ? '' : `, card at work ${busy.toFixed(0)} % of the time`;
      process.stdout.write(`${device} ${model}: ${saturated.toFixed(0)} × saturated${share}\n`);
      // The CPU is there for its speed: what it carries is measured by `streams`.
      const counts = device === 'cpu' ? [] : values.streams.split(',').filter(Boolean).map(Number);
      let most = 0;
      for (const streams of [...counts, device === 'cpu' ? 0 : LIVE[model]!]) {
        if (streams <= most) continue;
        const { heard, carried, stalled, lost } =
          streams === 1
            ? { heard: await lone(listen), carried: true, stalled: 0, lost: 0 }
            : await tryStreams(streams, { listen, texts: TEXTS, arrivals: 'spread', rounds: 1 }, signal);
        if (carried) most = streams;
        const first = heard.map(({ firstAudioMs }) => firstAudioMs);
        const figures = `${quantile(first, 0.5).toFixed(0)} / ${quantile(first, 0.95).toFixed(0)} ms`;
        const outcome = carried ? 'none stalled' : `${stalled} stalled, ${lost} lost`;
        process.stdout.write(`  ${streams} streams: first audio p50 / p95 ${figures}, ${outcome}\n`);
      }
      if (values.proofs && device !== 'cpu') {
        process.stdout.write(`  ${await cancelled(listen)}\n`);
        process.stdout.write(`  ${await killed(server, listen)}\n`);
      }
      if (values.wav !== '') await heldOut(server, model, path.join(values.wav, `${device}-${model}`));
    }
    process.stdout.write(`${device}: ${(await server.memoryMb()).toFixed(0)} MB\n`);
    client.close();
    await server.stop();
  }
  if (values.wav !== '' && models.includes('base-tts')) await inFloat(values.wav);
  if (values.published !== '') await torch(values.python, values.published);
}

/** A single listener asks again and again: one figure is no quantile. */
async function lone(listen: Listen): Promise<Listened[]> {
  const heard: Listened[] = [];
  for (let i = 0; i < LONE_ROUNDS; i++)
    heard.push(await listen(TEXTS[i % TEXTS.length]!, new AbortController().signal));
  return heard;
}

/**
 * The CPU with Kokoro's generator as it was published: the 8-bit one, which is faster on most, is
 * itself 0.8 dB away from it, so that it says nothing of a GPU.
 */
async function inFloat(folder: string): Promise<void> {
  const { config } = loadConfig();
  const file = measurementFile(config.modelDir);
  const before = await readFile(file, 'utf8').catch(() => undefined);
  const measured = { vocoder: 'float', realTimeFactor: 1, untilHeard: {}, runtime: '' } as unknown as Measurement;
  await writeMeasurement(config.modelDir, { ...config, device: 'cpu' }, measured);
  try {
    const server = await startServer({}, ['--device', 'cpu']);
    await heldOut(server, 'base-tts', path.join(folder, 'cpu-float-base-tts'));
    await server.stop();
  } finally {
    if (before === undefined) await rm(file, { force: true });
    else await writeFile(file, before);
  }
}

/**
 * Listeners enough to keep the card busy go away at once: what they had ordered must be in nobody's
 * way.
 */
async function cancelled(listen: Listen): Promise<string> {
  const leave = new AbortController();
  setMaxListeners(0, leave.signal);
  const crowd = Array.from({ length: CROWD }, (_, i) => listen(TEXTS[i % TEXTS.length]!, leave.signal));
  const gone = Promise.allSettled(crowd);
  await sleep(CROWD_MS);
  leave.abort();
  const { firstAudioMs } = await listen(TEXTS[0]!, new AbortController().signal);
  await gone;
  const alone = await listen(TEXTS[0]!, new AbortController().signal);
  const figures = `${firstAudioMs.toFixed(0)} ms, alone ${alone.firstAudioMs.toFixed(0)} ms`;
  return `${CROWD} streams leave: first audio of the next ${figures}`;
}

/** The engine's process dies under listeners: each must hear what he hears undisturbed. */
async function killed(server: BenchServer, listen: Listen): Promise<string> {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const expected = await Promise.all(TEXTS.map(async (text) => (await listen(text, signal)).audioMs));
  const startMs = performance.now();
  const streams = Array.from({ length: CROWD }, async (_, i) => {
    const { audioMs } = await listen(TEXTS[i % TEXTS.length]!, signal);
    const missingMs = expected[i % TEXTS.length]! - audioMs;
    if (Math.abs(missingMs) > SAME_MS) throw new Error(`${missingMs.toFixed(0)} ms were missing`);
  });
  const all = Promise.allSettled(streams);
  await sleep(CROWD_MS);
  const [engine] = await server.engines();
  process.kill(engine!, 'SIGKILL');
  const lost = (await all).flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const heard = `${CROWD - lost.length} of ${CROWD} heard to their end, after ${seconds} s`;
  return `the engine killed under ${CROWD} streams: ${heard}${lost.length === 0 ? '' : ` (${lost[0]})`}`;
}

/** Asks again where the server has its hands full: right after a crowd it may. */
async function whenTaken<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof TtsError && error.code === 'overloaded')) throw error;
      await sleep((error.retryAfterS ?? 1) * 1000);
    }
  }
}

/**
 * Forty lines of the held-out text, for a comparison of the sound: samples in one file, lengths in
 * another.
 */
async function heldOut({ baseUrl, key }: BenchServer, model: string, file: string): Promise<void> {
  const text = await readFile(path.join(ROOT, 'voices/training/held-out.txt'), 'utf8');
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 40);
  // No sentence is cut to be heard sooner: how soon is another matter on each device.
  const client = createHttpClient({ baseUrl, apiKey: key, unheard: true });
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const spoken: Buffer[] = [];
  let next = 0;
  const speak = async (): Promise<void> => {
    for (let at = next++; at < lines.length; at = next++) {
      const request = { model, voice: VOICE, input: lines[at] } as Parameters<typeof client.speech>[0];
      const { audio } = await whenTaken(() => client.speech(request, signal));
      const parts: Buffer[] = [];
      for await (const pcm of audio) {
        parts.push(Buffer.from(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength)));
      }
      spoken[at] = Buffer.concat(parts);
    }
  };
  await Promise.all(Array.from({ length: READERS }, speak));
  client.close();
  await writeFile(`${file}.pcm`, Buffer.concat(spoken));
  await writeFile(`${file}.json`, JSON.stringify({ lines, lengths: spoken.map(({ length }) => length / 2) }));
}

/** The same texts, read into tokens here and spoken by PyTorch there. */
async function torch(python: string, published: string): Promise<void> {
  const reader = await createReader();
  const sentences = TEXTS.flatMap((text) => text.split(/(?<=[.]) /)).map((text) => {
    const span = { kind: 'text', text, start: 0, end: text.length } as const;
    const { parts } = reader.read({ text, offset: 0, spans: [span], pause: 'sentence' });
    return parts.flatMap((part) => (part.kind === 'speech' ? part.tokens.map(({ id }) => id) : []));
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-bench-'));
  const file = path.join(folder, 'tokens.json');
  await writeFile(file, JSON.stringify(sentences));
  const style = path.join(loadConfig().config.modelDir, 'kokoro-82m/styles/af_heart.bin');
  const script = path.join(ROOT, 'voices/training/speed.py');
  for (const processes of ['1', '8']) {
    const args = [script, published, style, file, '--processes', processes];
    const told = await run(python, args, { cwd: path.dirname(script) }).then(
      ({ stdout }) => stdout,
      (error: Error) => `PyTorch: left out (${error.message.trim().split('\n').at(-1)})\n`,
    );
    process.stdout.write(told);
  }
}
