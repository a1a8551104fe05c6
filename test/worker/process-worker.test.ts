/** The child process around an engine: what its parent sees when all goes well and when it does not. */
import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { SineOptions } from '../../src/engine/sine.js';
import { createProcessWorker, type ProcessWorkerOptions } from '../../src/gateway/process-worker.js';
import type { Worker } from '../../src/gateway/worker.js';
import { silentLogger } from '../../src/log.js';
import { TtsError } from '../../src/protocol/errors.js';
import type { Segment, SegmentJob, SpeechEvent } from '../../src/protocol/job.js';

const segmentOf = (text: string): Segment => ({
  text,
  offset: 0,
  spans: [{ kind: 'text', text, start: 0, end: [...text].length }],
  pause: 'sentence',
});
let jobCount = 0;
const jobOf = (text: string, more: Partial<SegmentJob> = {}): SegmentJob => {
  jobCount += 1;
  return { id: `job-${jobCount}`, model: 'base-tts', voice: 'someone', seed: 0, segment: segmentOf(text), ...more };
};
const never = new AbortController().signal;

const workers: Worker[] = [];
function sineWorker(sine: SineOptions = {}, more: Partial<ProcessWorkerOptions> = {}): Worker {
  const options = { engine: 'sine', sine } as const;
  const worker = createProcessWorker({ id: 'w1', options, log: silentLogger(), backoffMs: 20, ...more });
  workers.push(worker);
  return worker;
}
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 4_000 && !condition(); i += 1) await sleep(5);
  expect(condition()).toBe(true);
}

async function collect(events: AsyncIterable<SpeechEvent>) {
  const pcm: number[] = [];
  let chunks = 0;
  let begin: Extract<SpeechEvent, { type: 'begin' }> | undefined;
  for await (const event of events) {
    if (event.type === 'begin') begin = event;
    else {
      chunks += 1;
      pcm.push(...event.pcm);
    }
  }
  return { begin: begin!, pcm, chunks };
}
const failureOf = async (events: AsyncIterable<SpeechEvent>): Promise<TtsError> => {
  try {
    await collect(events);
  } catch (error) {
    return error as TtsError;
  }
  throw new Error('It was expected to fail.');
};

describe('a worker that is a child process', () => {
  it('speaks a segment: times first, then audio whose length follows the text', async () => {
    const worker = sineWorker({ msPerChar: 50 });
    const { begin, pcm, chunks } = await collect(worker.run(jobOf('One two.'), never));
    expect(pcm.length).toBe(7 * 1_200);
    expect(chunks).toBe(4);
    expect(begin.timings.startSamples).toEqual([0, 1_200, 2_400, 3_600, 3_600, 4_800, 6_000, 7_200]);
    expect(begin.timings.durationSamples).toEqual([1_200, 1_200, 1_200, 0, 1_200, 1_200, 1_200, 1_200]);
    expect(worker.state).toBe('ready');
    expect(worker.description).toBe('sine');
  });

  it('gives the same bytes for the same job and other ones for another seed', async () => {
    const worker = sineWorker();
    const [first, again, other] = await Promise.all([
      collect(worker.run(jobOf('Hello there.'), never)),
      collect(worker.run(jobOf('Hello there.'), never)),
      collect(worker.run(jobOf('Hello there.', { seed: 7 }), never)),
    ]);
    expect(again.pcm).toEqual(first.pcm);
    expect(other.pcm).not.toEqual(first.pcm);
    expect(other.pcm.length).toBe(first.pcm.length);
  });

  it('starts only with the first job when it is told to wait for one', async () => {
    const worker = sineWorker({}, { start: 'demand' });
    expect(worker.state).toBe('starting');
    expect((await collect(worker.run(jobOf('Hi.'), never))).pcm.length).toBeGreaterThan(0);
    expect(worker.state).toBe('ready');
  });

  it('passes on what the engine said when one segment fails, and goes on with the next', async () => {
    const worker = sineWorker({ failOn: 'poison' });
    const error = await failureOf(worker.run(jobOf('This is poison.'), never));
    expect(error).toBeInstanceOf(TtsError);
    expect(error.code).toBe('synthesis_failed');
    expect((await collect(worker.run(jobOf('This is not.'), never))).pcm.length).toBeGreaterThan(0);
    expect(worker.restarts).toBe(0);
  });

  it('says so when the process dies in the middle of a sentence, and speaks the next request', async () => {
    const worker = sineWorker({ crashOn: 'poison' });
    const states: string[] = [];
    worker.onStateChange((state) => states.push(state));
    const error = await failureOf(worker.run(jobOf('This is poison.'), never));
    expect(error.code).toBe('no_worker_ready');
    expect(error.message).toContain('SIGKILL');
    await until(() => worker.state === 'ready');
    expect((await collect(worker.run(jobOf('This is not.'), never))).pcm.length).toBeGreaterThan(0);
    expect(worker.restarts).toBe(1);
    expect(states).toEqual(['ready', 'dead', 'starting', 'ready']);
  });

  it('fails every job that was in a process that died', async () => {
    const worker = sineWorker({ crashOn: 'poison', pace: 20 });
    const errors = await Promise.all([
      failureOf(worker.run(jobOf('A long innocent sentence that is still being spoken by then.'), never)),
      failureOf(worker.run(jobOf('Poison: poison.'), never)),
    ]);
    expect(errors.map((error) => error.code)).toEqual(['no_worker_ready', 'no_worker_ready']);
  });

  it('stops a job when its signal aborts, and takes the next one', async () => {
    const worker = sineWorker({ pace: 1 });
    const abort = new AbortController();
    const events = worker.run(jobOf('A long sentence that would take a few seconds to speak.'), abort.signal);
    const seen: string[] = [];
    const spoken = (async () => {
      for await (const event of events) {
        seen.push(event.type);
        if (seen.length === 3) abort.abort();
      }
    })();
    await expect(spoken).rejects.toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual(['begin', 'audio', 'audio']);
    expect((await collect(worker.run(jobOf('Hi.'), never))).pcm.length).toBeGreaterThan(0);
  });

  it('lets another job through while a consumer has stopped listening, and loses nothing of the first', async () => {
    const worker = sineWorker({ msPerChar: 1_000 });
    const events = worker.run(jobOf('x'.repeat(60)), never)[Symbol.asyncIterator]();
    await events.next();
    const taken = (await events.next()).value as Extract<SpeechEvent, { type: 'audio' }>;
    // Another job gets through meanwhile: the one that waits holds nothing up.
    expect((await collect(worker.run(jobOf('Hi'), never))).pcm.length).toBe(48_000);
    let rest = taken.pcm.length;
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (next.value.type === 'audio') rest += next.value.pcm.length;
    }
    expect(rest).toBe(60 * 24_000);
  });

  it('waits longer after every failed start and names the reason', async () => {
    const worker = sineWorker({ startError: 'There is no model here. Run: tts models pull' });
    const error = await failureOf(worker.run(jobOf('Hi.'), never));
    expect(error.code).toBe('model_missing');
    expect(error.message).toContain('tts models pull');
    expect(worker.lastError).toContain('tts models pull');
    await until(() => worker.restarts >= 2);
    expect(worker.state).not.toBe('ready');
  });

  it('replaces a process that has grown beyond its bound once it is idle', async () => {
    const worker = sineWorker({ ballastBytes: 200_000_000 }, { maxRssBytes: 150_000_000 });
    expect((await collect(worker.run(jobOf('Hi.'), never))).pcm.length).toBeGreaterThan(0);
    await until(() => worker.restarts === 1 && worker.state === 'ready');
    expect((await collect(worker.run(jobOf('Hi.'), never))).pcm.length).toBeGreaterThan(0);
  });

  it('kills a process that hangs', async () => {
    const worker = sineWorker({ hangOn: 'poison', hangMs: 30_000 }, { stallTimeoutMs: 300 });
    const error = await failureOf(worker.run(jobOf('This is poison.'), never));
    expect(error.code).toBe('no_worker_ready');
    await until(() => worker.state === 'ready');
  });

  it('ends what runs and refuses what comes when it is closed', async () => {
    const worker = sineWorker({ pace: 1 });
    const running = failureOf(worker.run(jobOf('A long sentence that would take a few seconds.'), never));
    await until(() => worker.state === 'ready');
    await worker.close();
    expect((await running).code).toBe('shutting_down');
    expect((await failureOf(worker.run(jobOf('Hi.'), never))).code).toBe('shutting_down');
  });

  it('dies with a parent that was killed, even while it hangs in native code', async () => {
    const script = path.resolve(import.meta.dirname, '../support/orphan-parent.mjs');
    const parent = fork(script, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const pid = await new Promise<number>((resolve) => parent.once('message', (message) => resolve(message as number)));
    const alive = () => {
      try {
        process.kill(pid, 0);
        // One that nobody buried yet is as dead as can be.
        return !existsSync('/proc/self/stat') || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      } catch {
        return false;
      }
    };
    expect(alive()).toBe(true);
    parent.kill('SIGKILL');
    for (let i = 0; i < 200 && alive(); i += 1) await sleep(50);
    expect(alive()).toBe(false);
  });
});
