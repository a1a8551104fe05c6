/** A worker that is a child process: its starts, failures and replacements. */
import { fork, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { SineOptions } from '../../src/engine/sine.js';
import { createProcessWorker, type ProcessWorkerOptions } from '../../src/gateway/workers/process-worker.js';
import { type Worker, WorkerLost } from '../../src/gateway/workers/worker.js';
import { silentLogger } from '../../src/log.js';
import { collect, failureOf, jobOf, until, whenReady } from '../support/books/jobs.js';
import { pidLog } from '../support/processes/pid-log.js';

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

describe('a worker that is a child process', () => {
  it('says so when the process dies in the middle of a sentence, and speaks the next request', async () => {
    const worker = sineWorker({ crashOn: 'poison' });
    const states: string[] = [];
    worker.onChange(() => states.at(-1) !== worker.state && states.push(worker.state));
    await whenReady(worker);
    const error = await failureOf(() => worker.run(jobOf('This is poison.'), never));
    expect(error).toBeInstanceOf(WorkerLost);
    expect(error.message).toContain('SIGKILL');
    await until(() => worker.state === 'ready');
    expect((await collect(worker.run(jobOf('This is not.'), never))).pcm.length).toBeGreaterThan(0);
    expect(worker.restarts).toBe(1);
    expect(states).toEqual(['ready', 'dead', 'starting', 'ready']);
  });

  it('adds no listener for the end of this process: its owner closes it', async () => {
    const before = process.listenerCount('exit');
    const several = Array.from({ length: 3 }, () => sineWorker());
    await Promise.all(several.map(whenReady));
    expect(process.listenerCount('exit')).toBe(before);
  });

  it('waits longer after every failed start and names the reason', async () => {
    const worker = sineWorker({ startError: 'There is no model here. Run: tts models pull' });
    expect(await failureOf(() => worker.run(jobOf('Hi.'), never))).toBeInstanceOf(WorkerLost);
    await until(() => worker.lastError !== undefined);
    expect(worker.lastError?.message).toContain('tts models pull');
    await until(() => worker.restarts >= 2);
    expect(worker.state).not.toBe('ready');
  });

  it('replaces a process that has grown beyond its bound once it is idle', async () => {
    const worker = sineWorker({ ballastBytes: 200_000_000 }, { maxRssBytes: 150_000_000 });
    await whenReady(worker);
    expect((await collect(worker.run(jobOf('Hi.'), never))).pcm.length).toBeGreaterThan(0);
    await until(() => worker.restarts === 1 && worker.state === 'ready');
    expect((await collect(worker.run(jobOf('Hi.'), never))).pcm.length).toBeGreaterThan(0);
  });

  it('kills a process that hangs in native code', async () => {
    const worker = sineWorker({ hangOn: 'poison', hangMs: 60_000 }, { silenceMs: 2_000 });
    await whenReady(worker);
    const lost = await failureOf(() => worker.run(jobOf('This is poison.'), never));
    expect(lost).toBeInstanceOf(WorkerLost);
    expect(lost).toMatchObject({ blameless: process.platform === 'linux' ? false : expect.anything() });
    await whenReady(worker);
  });

  // Where /proc tells what a process does; elsewhere a silence is given three times as long.
  describe.runIf(process.platform === 'linux')('on a machine that tells what a process does', () => {
    it('keeps a process that runs silently for longer than the time-out', async () => {
      const worker = sineWorker({ spinOn: 'spin', hangMs: 4_000 }, { silenceMs: 1_000 });
      await whenReady(worker);
      expect((await collect(worker.run(jobOf('spin'), never))).pcm.length).toBeGreaterThan(0);
      expect(worker.restarts).toBe(0);
    });

    it('kills a process that runs on and on, by the processor time that it took', async () => {
      const worker = sineWorker({ spinOn: 'spin', hangMs: 120_000 }, { silenceMs: 400, spinMs: 1_500 });
      await whenReady(worker);
      const lost = await failureOf(() => worker.run(jobOf('spin'), never));
      expect(lost).toBeInstanceOf(WorkerLost);
      expect(lost.message).toContain('without any progress');
      await whenReady(worker);
    });

    it('replaces a process that was stopped', async () => {
      const { log, pid } = pidLog();
      const worker = sineWorker({ pace: 2 }, { silenceMs: 1_000, log });
      await whenReady(worker);
      const lost = failureOf(() => worker.run(jobOf('A sentence that takes a while.'), never));
      await until(() => worker.busy > 0);
      process.kill(pid(), 'SIGSTOP');
      expect((await lost).message).toContain('standing still');
      await until(() => worker.restarts === 1 && worker.state === 'ready');
    });

    it('lets a process start and speak that many others keep from the processor', async () => {
      const others = Array.from({ length: 8 }, () => spawn('sh', ['-c', 'while :; do :; done']));
      try {
        const worker = sineWorker(
          { startSpinMs: 200, spinOn: 'spin', hangMs: 1_500 },
          { startTimeoutMs: 700, silenceMs: 700 },
        );
        await whenReady(worker);
        expect((await collect(worker.run(jobOf('spin'), never))).pcm.length).toBeGreaterThan(0);
        expect(worker.restarts).toBe(0);
      } finally {
        for (const other of others) other.kill('SIGKILL');
      }
    });

    it('kills a process that does nothing instead of starting', async () => {
      const worker = sineWorker({ startMs: 60_000 }, { startTimeoutMs: 700 });
      await until(() => worker.restarts > 0);
      expect(worker.state).not.toBe('ready');
    });
  });

  it('takes a start that gives no process for a failed start, and kills no other', async () => {
    const script = path.resolve(import.meta.dirname, '../support/processes/open-files-limit.mjs');
    // A process group of its own: to kill group 0 would be to kill the shell and the script in it.
    const shell = spawn('sh', ['-c', `ulimit -n 256; node "${script}"; echo "exit code $?"`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = await text(shell.stdout);
    expect(said.trim().split('\n')).toEqual(['ready', 'no process: dead', 'ready again', 'spoke', 'exit code 0']);
  });

  it('dies with a parent that was killed, even while it hangs in native code', async () => {
    const script = path.resolve(import.meta.dirname, '../support/processes/orphan-parent.mjs');
    const parent = fork(script, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const pid = await new Promise<number>((resolve) => parent.once('message', (message) => resolve(message as number)));
    const alive = () => {
      try {
        process.kill(pid, 0);
        // A zombie is dead.
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
