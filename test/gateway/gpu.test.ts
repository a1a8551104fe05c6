/** A server whose engine process batches as on a GPU: many streams share its runs. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SineOptions } from '../../src/engine/sine.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import { createProcessWorker } from '../../src/gateway/workers/process-worker.js';
import { startTestServer, type TestServer, until } from '../../testkit/server.js';
import { whenReady } from '../support/books/jobs.js';
import { pidLog } from '../support/processes/pid-log.js';

const STREAMS = 32;
const GPU: SineOptions = { card: { runMs: 20, most: 8 } };
const CPU: SineOptions = {};

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A server with one engine process for each of `kinds`. */
async function start(kinds: readonly SineOptions[], backoffMs = 20) {
  const engines = kinds.map((sine, i) => {
    const { log, pid, runs } = pidLog();
    const options = { engine: 'sine', sine: { msPerChar: 20, ...sine } } as const;
    return { worker: createProcessWorker({ id: `e${i}`, options, log, backoffMs }), pid, runs };
  });
  const server = await startTestServer({
    gateway: { pool: new WorkerPool(engines.map(({ worker }) => worker)), queueLimit: 64, deadPatienceMs: 1_000 },
    limits: { partnerConcurrency: 64 },
  });
  servers.push(server);
  await Promise.all(engines.map(({ worker }) => whenReady(worker)));
  return { server, engines, gpu: engines[0]! };
}

/** Each differs in length or voice from all others, so that another's words would show. */
const VOICES = ['english_female_professional', 'english_female_articulate'] as const;
const wordOf = (stream: number): string => `c${'a'.repeat(Math.floor(stream / 2))}ller`;
const textOf = (stream: number, sentences = 3): string =>
  Array.from({ length: sentences }, (_, i) => `The ${wordOf(stream)} hears sentence ${i + 10} of many.`).join(' ');

/** One stream, as far as it has come. */
interface Heard {
  readonly parts: Uint8Array[];
  outcome: 'running' | 'whole' | 'broken';
  readonly ended: Promise<void>;
}

function listen(server: TestServer, stream: number, { sentences = 3, ...options }: ListenOptions = {}): Heard {
  const input = textOf(stream, sentences);
  const body = { model: 'base-tts', input, voice: VOICES[stream % 2], stream: true, response_format: 'pcm' };
  const heard: Heard = { parts: [], outcome: 'running', ended: read() };
  async function read(): Promise<void> {
    try {
      const response = await server.speak(body, options);
      expect(response.status).toBe(200);
      for await (const part of response.body!) heard.parts.push(part);
      heard.outcome = 'whole';
    } catch {
      heard.outcome = 'broken';
    }
  }
  return heard;
}
type ListenOptions = { sentences?: number } & Parameters<TestServer['speak']>[1];

const listenAll = (server: TestServer) => Array.from({ length: STREAMS }, (_, i) => listen(server, i));
const audioOf = ({ parts }: Heard): Buffer => Buffer.concat(parts);
const ended = async (streams: readonly Heard[]) => {
  await Promise.all(streams.map(({ ended }) => ended));
  return streams;
};

/** What each stream is without a loss, and without a shared GPU. */
let calm: Promise<Buffer[]> | undefined;
async function undisturbed(): Promise<Buffer[]> {
  calm ??= start([CPU]).then(async ({ server }) => (await ended(listenAll(server))).map(audioOf));
  return calm;
}

async function expectUndisturbed(streams: readonly Heard[]): Promise<void> {
  const expected = await undisturbed();
  for (const [i, stream] of (await ended(streams)).entries()) {
    expect(stream.outcome, `stream ${i}`).toBe('whole');
    expect(audioOf(stream).equals(expected[i]!), `stream ${i}`).toBe(true);
  }
}

describe('a GPU under many streams', () => {
  it('makes chunks of several streams in one run, each the same as alone', async () => {
    // The engine has 16 steps for at most two a stream. The first run waits for chunks of eight
    // streams, so that, however slow the machine, more of them wait for the second run than it
    // takes.
    const { server, gpu } = await start([{ card: { runMs: 20, most: 4, firstAwaits: 8 } }]);
    await expectUndisturbed(listenAll(server));
    const sizes = gpu.runs.map((texts) => texts.length);
    expect(sizes[1]).toBe(4);
    expect(Math.max(...sizes)).toBe(4);
    const chunks = sizes.reduce((sum, size) => sum + size, 0);
    expect(gpu.runs.length).toBeLessThan(chunks / 2);
  });

  it('has as many steps in flight as its engine takes, given a sixteenth of them at a time', async () => {
    // The first run waits for steps of 20 streams, so that most of the 32 are there together.
    const { server, gpu } = await start([{ card: { runMs: 20, most: 8, capacity: 48, firstAwaits: 20 } }]);
    // Steps in flight are counted when a step is given: listeners of changes are called after a
    // step has ended.
    let most = 0;
    const counted =
      <Args extends unknown[], Result>(give: (...args: Args) => Result) =>
      (...args: Args): Result => {
        const given = give(...args);
        most = Math.max(most, gpu.worker.busy);
        return given;
      };
    gpu.worker.run = counted(gpu.worker.run);
    gpu.worker.grant = counted(gpu.worker.grant);
    await expectUndisturbed(listenAll(server));
    expect(most).toBeGreaterThan(48 - 48 / 16);
    expect(most).toBeLessThanOrEqual(48);
  });

  it('does not wait to fill a batch: a single stream has runs of its own', async () => {
    const { server, gpu } = await start([GPU]);
    await ended([listen(server, 0, { sentences: 1 })]);
    expect(gpu.runs.length).toBeGreaterThan(1);
    expect(gpu.runs.every((texts) => texts.length === 1)).toBe(true);
  });

  it("is shared between keys: another's short text is done before any of the first one's many", async () => {
    const { server, gpu } = await start([GPU]);
    const leave = new AbortController();
    const many = Array.from({ length: STREAMS }, (_, i) => listen(server, i, { sentences: 30, signal: leave.signal }));
    await until(() => gpu.runs.length > 10);
    const other = await server.key();
    await ended([listen(server, 1, { sentences: 1, key: other.key })]);
    expect(many.filter(({ outcome }) => outcome !== 'running')).toEqual([]);

    // When all of them leave, nothing of theirs is left on the GPU.
    leave.abort();
    await until(() => gpu.worker.idle);
    const { length } = gpu.runs;
    await Promise.allSettled(many.map(({ ended }) => ended));
    await ended([listen(server, 2, { sentences: 1 })]);
    expect(
      gpu.runs
        .slice(length)
        .flat()
        .filter((text) => !text.includes(wordOf(2))),
    ).toEqual([]);
  });
});

describe('a GPU that is lost', () => {
  it('is not heard when its process is killed under 32 streams', async () => {
    const { server, gpu } = await start([GPU]);
    const streams = listenAll(server);
    for (const restarts of [0, 1]) {
      await until(() => gpu.worker.restarts === restarts && gpu.worker.state === 'ready' && gpu.worker.busy === 16);
      process.kill(gpu.pid(), 'SIGKILL');
      await until(() => gpu.worker.restarts > restarts);
    }
    await expectUndisturbed(streams);
  });

  it('is not heard when the device fails in a run: the next worker goes on, also with what was delivered', async () => {
    // The one that lost its device stays away for longer than this takes.
    const { server, gpu } = await start([{ ...GPU, loseAtRun: 10 }, GPU], 600_000);
    await expectUndisturbed(listenAll(server));
    expect(gpu.worker.state).toBe('dead');
    expect(gpu.worker.lastError?.message).toMatch(/exit code 1.*The GPU failed: device lost/s);
  });

  it('for good leaves to the CPU all segments that were not delivered in part', async () => {
    const { server, gpu, engines } = await start([GPU, CPU]);
    const expected = await undisturbed();
    const streams = listenAll(server);
    await until(() => gpu.worker.busy > 8 && streams.some(({ parts }) => parts.length > 0));
    const closed = gpu.worker.close();
    await ended(streams);
    await closed;
    for (const [i, stream] of streams.entries()) {
      const audio = audioOf(stream);
      // What was heard from the middle of a segment cannot be gone on with by another kind of
      // engine, and is not.
      if (stream.outcome === 'broken') expect(audio.length, `stream ${i}`).toBeGreaterThan(0);
      else expect(stream.outcome, `stream ${i}`).toBe('whole');
      const wanted = stream.outcome === 'whole' ? expected[i]! : expected[i]!.subarray(0, audio.length);
      expect(audio.equals(wanted), `stream ${i}`).toBe(true);
    }
    expect(streams.some(({ outcome }) => outcome === 'whole')).toBe(true);
    expect(engines[1]!.worker.restarts).toBe(0);
  });
});
