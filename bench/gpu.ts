/**
 * A server with a GPU next to the same server without it: saturated speed, share of the time that the card is at work, first audio at
 * 1, 8, 32 and 128 streams, and live streams without a stall, for both models; what a listener waits for right after a crowd has left,
 * and what is lost when the engine's process is killed under 32 (`--proofs`); and, where Python with PyTorch is there, the folded
 * Kokoro graph in PyTorch on the same card (`voices/training/teacher.py`), alone and as eight processes.
 *
 *   npm run bench -- gpu [--device webgpu] [--models base-tts-fast,base-tts] [--streams 1,8,32,128] [--seconds 12] [--live 240]
 *                        [--proofs] [--without-cpu] [--python python3] [--published kokoro-quantized.onnx] [--wav FOLDER]
 */
import { execFile } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { createHttpClient } from '../src/client/http.js';
import { quantile, saturate, tryStreams } from '../src/client/load/capacity.js';
import { httpListener, type Listen } from '../src/client/load/listener.js';
import { loadConfig } from '../src/config.js';
import { createReader } from '../src/text/reader.js';
import { type BenchServer, startServer } from './serve.js';
import { TEXTS, VOICE } from './streams.js';

const run = promisify(execFile);
/** Streams for what happens under a crowd, and how long it has been at it. */
const CROWD = 32;
const CROWD_MS = 400;
const ROOT = path.resolve(import.meta.dirname, '..');

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
      live: { type: 'string', default: '' },
      proofs: { type: 'boolean', default: false },
      'without-cpu': { type: 'boolean', default: false },
      python: { type: 'string', default: 'python3' },
      published: { type: 'string', default: '' },
      wav: { type: 'string', default: '' },
    },
  });
  process.stdout.write(`${await machine()}\n`);
  const devices = values['without-cpu'] ? [values.device] : [values.device, 'cpu'];
  for (const device of devices) {
    const server = await startServer({}, ['--device', device]);
    const { signal } = new AbortController();
    // Every listener of a crowd waits on it.
    setMaxListeners(0, signal);
    const client = createHttpClient({ baseUrl: server.baseUrl, apiKey: server.key });
    for (const model of values.models.split(',')) {
      const listen = httpListener(client, { model, voice: VOICE });
      for (const text of TEXTS) await listen(text, signal);
      const card = watchCard();
      const crowd = { clients: model === 'base-tts' ? 48 : 128, seconds: Number(values.seconds) };
      const saturated = await saturate({ listen, texts: TEXTS }, crowd, signal);
      const busy = device === 'cpu' ? undefined : card.stop();
      card.stop();
      const share = busy === undefined ? '' : `, card at work ${busy.toFixed(0)} % of the time`;
      process.stdout.write(`${device} ${model}: ${saturated.toFixed(0)} × saturated${share}\n`);
      for (const streams of values.streams.split(',').filter(Boolean).map(Number)) {
        // A lone listener asks several times, one after the other: one figure is no quantile.
        const rounds = streams === 1 ? 4 : 1;
        const trial = await tryStreams(streams, { listen, texts: TEXTS, arrivals: 'spread', rounds }, signal);
        const first = trial.heard.map(({ firstAudioMs }) => firstAudioMs);
        const figures = `${quantile(first, 0.5).toFixed(0)} / ${quantile(first, 0.95).toFixed(0)} ms`;
        const carried = trial.carried ? 'none stalled' : `${trial.stalled} stalled, ${trial.lost} lost`;
        process.stdout.write(`  ${streams} streams: first audio p50 / p95 ${figures}, ${carried}\n`);
      }
      for (const streams of values.live.split(',').filter(Boolean).map(Number)) {
        const trial = await tryStreams(streams, { listen, texts: TEXTS, arrivals: 'spread', rounds: 2 }, signal);
        const carried = trial.carried ? 'carried' : `not carried: ${trial.stalled} stalled, ${trial.lost} lost`;
        process.stdout.write(`  ${streams} live: ${carried}\n`);
      }
      if (values.proofs && device !== 'cpu') {
        process.stdout.write(`  ${await cancelled(listen)}\n`);
        process.stdout.write(`  ${await killed(server, listen)}\n`);
      }
      if (values.wav !== '') await heldOut(client, model, path.join(values.wav, `${device}-${model}`));
    }
    process.stdout.write(`${device}: ${(await server.memoryMb()).toFixed(0)} MB\n`);
    client.close();
    await server.stop();
  }
  if (values.published !== '') process.stdout.write(await torch(values.python, values.published));
}

/** Listeners enough to keep the card busy go away at once: what they had ordered must be in nobody's way. */
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
    return audioMs === expected[i % TEXTS.length];
  });
  const all = Promise.allSettled(streams);
  await sleep(CROWD_MS);
  const [engine] = await server.engines();
  process.kill(engine!, 'SIGKILL');
  const heard = (await all).filter((one) => one.status === 'fulfilled' && one.value).length;
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  return `the engine killed under ${CROWD} streams: ${heard} of ${CROWD} heard to their end, after ${seconds} s`;
}

/** Forty lines of the held-out text, for a comparison of the sound: samples in one file, lengths in another. */
async function heldOut(client: ReturnType<typeof createHttpClient>, model: string, file: string): Promise<void> {
  const text = await readFile(path.join(ROOT, 'voices/training/held-out.txt'), 'utf8');
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 40);
  const spoken: Buffer[] = [];
  const lengths: number[] = [];
  for (const input of lines) {
    const { audio } = await client.speech(
      { model, voice: VOICE, input } as Parameters<typeof client.speech>[0],
      new AbortController().signal,
    );
    let samples = 0;
    for await (const pcm of audio) {
      spoken.push(Buffer.from(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength)));
      samples += pcm.length;
    }
    lengths.push(samples);
  }
  await writeFile(`${file}.pcm`, Buffer.concat(spoken));
  await writeFile(`${file}.json`, JSON.stringify({ lines, lengths }));
}

/** The same texts, read into tokens here and spoken by PyTorch there. */
async function torch(python: string, published: string): Promise<string> {
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
  let told = '';
  for (const processes of ['1', '8']) {
    const args = [script, published, style, file, '--processes', processes];
    told += await run(python, args, { cwd: path.dirname(script) }).then(
      ({ stdout }) => stdout,
      (error: Error) => `PyTorch: left out (${error.message.trim().split('\n').at(-1)})\n`,
    );
  }
  return told;
}
