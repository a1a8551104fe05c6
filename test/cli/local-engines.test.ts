/**
 * Engine processes of a machine with a GPU: which of them run on it, and who serves before it may
 * be used.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalEngines } from '../../src/cli/service/local-engines.js';
import { Condition } from '../../src/condition.js';
import { loadConfig } from '../../src/config.js';
import type { SineOptions } from '../../src/engine/sine.js';
import { createGateway } from '../../src/gateway/gateway.js';
import type { ObservableGateway } from '../../src/gateway/types.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import { silentLogger } from '../../src/log.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { segmentOf } from '../../testkit/speech.js';
import { until } from '../support/books/jobs.js';
import { orderOf, segmentsOf } from '../support/orders.js';

const never = new AbortController().signal;
const SENTENCE = 'A sentence of some length.';
/** Samples of the sentence: 22 characters of 20 ms. */
const SENTENCE_SAMPLES = 22 * 480;
const before = process.env.TTS_SINE_OPTIONS;
const log = silentLogger();
let dir: string;
let verdict: string;
let pool: WorkerPool;
let engines: LocalEngines;
let gateway: ObservableGateway;
/** Workers that had a step. */
const worked = new Set<string>();

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tts-test-'));
  verdict = path.join(dir, 'verdict');
});
afterEach(async () => {
  engines.stop();
  await gateway.close();
  if (before === undefined) delete process.env.TTS_SINE_OPTIONS;
  else process.env.TTS_SINE_OPTIONS = before;
  rmSync(dir, { recursive: true, force: true });
});

function open(sine: SineOptions, env: Record<string, string> = {}): void {
  process.env.TTS_SINE_OPTIONS = JSON.stringify({ msPerChar: 20, ...sine });
  const { config } = loadConfig({ env: { HOME: dir, TTS_ENGINE: 'sine', TTS_WORKER_IDLE_SECONDS: '1', ...env } });
  pool = new WorkerPool();
  worked.clear();
  pool.onChange(() => {
    for (const { id, busy } of pool.workers) if (busy > 0) worked.add(id);
  });
  engines = new LocalEngines({ config, log, pool, start: 'now', models: [], stays: true, crowd: true });
  gateway = createGateway({ pool, catalogue: loadCatalogue(), log, queueLimit: 100, autoscaler: engines.autoscaler });
}

/** A session: speaks a sentence whenever it is told to, until it is ended. */
function session() {
  const speech = gateway.open(orderOf());
  const changed = new Condition();
  let [sentences, samples, over] = [0, 0, false];
  async function* segments() {
    for (let said = 0; ; said += 1) {
      await changed.until(() => sentences > said || over);
      if (sentences === said) return;
      yield segmentOf(SENTENCE);
    }
  }
  const heard = (async () => {
    for await (const event of speech.speak(segments(), never)) if (event.type === 'audio') samples += event.pcm.length;
    speech.close();
    return samples;
  })();
  return {
    async say(): Promise<void> {
      sentences += 1;
      changed.notify();
      await until(() => samples === sentences * SENTENCE_SAMPLES);
    },
    async end(): Promise<void> {
      over = true;
      changed.notify();
      expect(await heard).toBe(sentences * SENTENCE_SAMPLES);
    },
  };
}

async function listen(): Promise<void> {
  const one = session();
  await one.say();
  await one.end();
}
const crowd = (size: number) => Promise.all(Array.from({ length: size }, listen));
const devices = () => pool.workers.map(({ device }) => device);
/** Both processes of a GPU are ready, and none is left on the CPU. */
const onlyOnGpu = () => pool.counts.ready === 2 && devices().join() === 'webgpu,webgpu';

describe('while a GPU is looked at', () => {
  const card = () => ({ runMs: 5, most: 4, checkedBy: verdict });

  it('the CPU serves; what began there ends there, and what comes later has the GPU', async () => {
    open({ card: card() });
    await engines.ready();
    expect(pool.workers.map(({ state, trying }) => [state, trying])).toEqual([
      ['starting', 'webgpu'],
      ['ready', undefined],
    ]);
    const early = session();
    await early.say();
    const [gpu, cpu] = pool.workers.map(({ id }) => id);
    expect([...worked]).toEqual([cpu]);
    writeFileSync(verdict, 'passed');
    await until(() => pool.counts.ready === 3);
    expect(devices()).toEqual(['webgpu', 'cpu', 'webgpu']);
    // The session is the only stream at first, then one of several.
    await early.say();
    expect([...worked]).toEqual([cpu]);
    worked.clear();
    const late = session();
    await late.say();
    expect([...worked]).toEqual([gpu]);
    await crowd(4);
    expect([...worked]).not.toContain(cpu);
    worked.clear();
    await early.say();
    expect([...worked]).toEqual([cpu]);
    // It leaves with the last that began there.
    expect(pool.workers.length).toBe(3);
    await early.end();
    await until(() => pool.workers.length === 2);
    expect(devices()).toEqual(['webgpu', 'webgpu']);
    await late.say();
    await late.end();
  });

  it('a crowd has as many processes on the CPU as there would be without it, which go when it is ready', async () => {
    open({ card: card(), pace: 10 });
    await engines.ready();
    // The machine's cores decide how many: one of them at least.
    const { mostWorkers } = gateway.stats;
    await crowd(12);
    writeFileSync(verdict, 'passed');
    await until(onlyOnGpu);
    expect(mostWorkers).toBeGreaterThan(1);
    await listen();
  });

  it('and is not right, the CPU goes on with one process', async () => {
    open({ card: card() });
    await engines.ready();
    const early = session();
    await early.say();
    writeFileSync(verdict, 'it sounds wrong');
    await until(() => pool.workers[0]!.state === 'ready' && pool.workers.length === 1);
    expect(devices()).toEqual(['cpu']);
    await early.say();
    await early.end();
  });

  it('and its processes are lost, the CPU serves until they are back', async () => {
    open({ card: card(), crashOn: 'poison' }, { TTS_DEVICE: 'auto' });
    writeFileSync(verdict, 'passed');
    await until(onlyOnGpu);
    rmSync(verdict);
    // Nothing is lost of what a process is killed under: the segment runs again, which kills the
    // next one, until it is given up.
    const speech = gateway.open(orderOf());
    const text = 'A poison that is long enough to be heard before.';
    const events = speech.speak(segmentsOf(text), never)[Symbol.asyncIterator]();
    await events.next();
    const trying = () => pool.workers.map((worker) => worker.trying ?? 'none').join();
    await until(() => trying() === 'webgpu,webgpu,none' && pool.state === 'ready');
    expect(devices()).not.toContain('webgpu');
    await listen();
    speech.close();
    await events.return?.(undefined);
    writeFileSync(verdict, 'passed');
    await until(onlyOnGpu);
  });
});

describe('on a GPU', () => {
  const card = { runMs: 10, most: 2, capacity: 4 };

  it('two processes share it, listeners or none, and no third starts while work waits', async () => {
    open({ card }, { TTS_DEVICE: 'webgpu' });
    await until(onlyOnGpu);
    let most = 0;
    pool.onChange(() => {
      most = Math.max(most, pool.workers.length);
    });
    while (worked.size < 2) await crowd(16);
    expect([most, gateway.stats.mostWorkers, engines.autoscaler.spare]).toEqual([2, 2, 0]);
    // Idle workers that are not permanent would end after a second.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(onlyOnGpu()).toBe(true);
    await listen();
  });

  it('all processes run that were asked for', async () => {
    open({ card }, { TTS_WORKERS: '3' });
    await until(() => pool.counts.ready === 3);
    expect(devices()).toEqual(['webgpu', 'webgpu', 'webgpu']);
    expect(engines.autoscaler.spare).toBe(0);
  });

  it('nothing runs where the CPU was asked for, and all processes start at once', async () => {
    open({ card }, { TTS_WORKERS: '2', TTS_DEVICE: 'cpu' });
    await until(() => pool.workers.length > 0);
    expect(pool.workers.length).toBe(2);
    await until(() => pool.counts.ready === 2);
    expect(devices()).toEqual(['cpu', 'cpu']);
  });
});
