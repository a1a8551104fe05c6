/** What every worker must do, however it reaches its engine. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SineOptions } from '../../src/engine/sine.js';
import { type Worker, WorkerLost } from '../../src/gateway/workers/worker.js';
import { TtsError } from '../../src/protocol/errors.js';
import { collect, failureOf, grantAll, jobOf, until, whenReady } from '../support/books/jobs.js';

interface WorkerFixture {
  readonly worker: Worker;
  /** The engine is gone from one moment to the next, and comes back. */
  readonly kill: () => void;
  /** The engine takes and gives nothing any more. */
  readonly freeze: () => void;
}

export type OpenWorker = (sine: SineOptions, silenceMs?: number) => Promise<WorkerFixture>;

const never = new AbortController().signal;
/** Long enough for a busy machine, short enough to wait for. */
const SILENCE_MS = 3_000;

export function workerContract(name: string, open: OpenWorker): void {
  describe(`${name} as a worker`, () => {
    const opened: Worker[] = [];
    const start: OpenWorker = async (...options) => {
      const fixture = await open(...options);
      opened.push(fixture.worker);
      await whenReady(fixture.worker);
      // No other job competes for the step.
      fixture.worker.onChange(() => grantAll(fixture.worker));
      return fixture;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((worker) => worker.close()));
    });

    it('speaks a segment: times first, then audio whose length follows the text', async () => {
      const { worker } = await start({ msPerChar: 50 });
      const { begin, begins, pcm, chunks } = await collect(worker.run(jobOf('One two.'), never));
      expect(pcm.length).toBe(7 * 1_200);
      expect(begins).toBe(1);
      expect(chunks).toBe(4);
      expect(begin.timings.startSamples).toEqual([0, 1_200, 2_400, 3_600, 3_600, 4_800, 6_000, 7_200]);
      expect(begin.timings.durationSamples).toEqual([1_200, 1_200, 1_200, 0, 1_200, 1_200, 1_200, 1_200]);
      expect(worker.description).not.toBe('');
      expect(worker.version).not.toBe('');
    });

    it('gives the same bytes for the same job and other ones for another seed', async () => {
      const { worker } = await start({});
      const [first, again, other] = await Promise.all([
        collect(worker.run(jobOf('Hello there.'), never)),
        collect(worker.run(jobOf('Hello there.'), never)),
        collect(worker.run(jobOf('Hello there.', { seed: 7 }), never)),
      ]);
      expect(again.pcm).toEqual(first.pcm);
      expect(other.pcm).not.toEqual(first.pcm);
      expect(other.pcm.length).toBe(first.pcm.length);
    });

    it('takes a place at once, and gives it back when the job has ended, well or badly', async () => {
      const { worker } = await start({ failOn: 'poison' });
      expect(worker.idle).toBe(true);
      const spoken = collect(worker.run(jobOf('Hello.'), never));
      expect(worker.busy).toBe(1);
      expect(worker.idle).toBe(false);
      await spoken;
      expect(worker.busy).toBe(0);
      expect(worker.idle).toBe(true);
      const error = await failureOf(() => worker.run(jobOf('This is poison.'), never));
      expect(error).toBeInstanceOf(TtsError);
      expect(error).toMatchObject({ code: 'synthesis_failed' });
      expect(worker.busy).toBe(0);
      expect(worker.restarts).toBe(0);
    });

    it('refuses a job that cannot be sent, and keeps nothing of it', async () => {
      const { worker } = await start({});
      const segment = { text: 'x', offset: 0, spans: [{ kind: 'break', ms: Object as never, start: 0, end: 1 }] };
      const error = await failureOf(() => worker.run(jobOf({ ...segment, pause: 'none' } as never), never));
      expect(error).toMatchObject({ code: 'synthesis_failed' });
      expect(worker.busy).toBe(0);
    });

    it('counts no job whose consumer stopped taking, lets others through, and loses nothing of it', async () => {
      const { worker } = await start({ msPerChar: 1_000 });
      let freed = 0;
      worker.onChange(() => {
        freed += 1;
      });
      const parked = Array.from({ length: 3 }, () => worker.run(jobOf('x'.repeat(60)), never)[Symbol.asyncIterator]());
      await Promise.all(parked.map((events) => events.next()));
      await until(() => worker.busy === 0);
      expect(worker.idle).toBe(false);
      expect(freed).toBeGreaterThan(0);
      expect((await collect(worker.run(jobOf('Hi'), never))).pcm.length).toBe(48_000);
      let samples = 0;
      const [first] = parked;
      for (let next = await first!.next(); !next.done; next = await first!.next()) {
        if (next.value.type === 'audio') samples += next.value.pcm.length;
      }
      expect(samples).toBe(60 * 24_000);
    });

    it('stops a job when its signal aborts or its consumer leaves, and keeps its place until the engine has stopped', async () => {
      const { worker } = await start({ pace: 1 });
      const abort = new AbortController();
      const seen: string[] = [];
      const spoken = (async () => {
        for await (const event of worker.run(jobOf('A long sentence that takes a few seconds.'), abort.signal)) {
          if (event.type !== 'ran') seen.push(event.type);
          if (seen.length === 3) abort.abort();
        }
      })();
      await expect(spoken).rejects.toMatchObject({ name: 'AbortError' });
      expect(seen).toEqual(['begin', 'audio', 'audio']);
      expect(worker.busy).toBe(1);
      await until(() => worker.busy === 0);
      for await (const event of worker.run(jobOf('Another one that takes a few seconds.'), never)) {
        if (event.type === 'audio') break;
      }
      expect(worker.busy).toBe(1);
      await until(() => worker.busy === 0);
      expect((await collect(worker.run(jobOf('Hi.'), never))).pcm.length).toBeGreaterThan(0);
    });

    it('says that the worker was lost to every job that was in it, and takes the next when it is back', async () => {
      const { worker, kill } = await start({ pace: 5 });
      const jobs = ['A long sentence that is still being spoken by then.', 'And another one of about that length.'];
      const lost = Promise.all(jobs.map((text) => failureOf(() => worker.run(jobOf(text), never))));
      await until(() => worker.busy === 2);
      kill();
      for (const error of await lost) expect(error).toBeInstanceOf(WorkerLost);
      expect(worker.busy).toBe(0);
      // What it said last before it died may come later than word of its death.
      await until(() => worker.restarts === 1 && worker.state === 'ready');
      expect((await collect(worker.run(jobOf('Hi.'), never))).pcm.length).toBeGreaterThan(0);
    });

    it('gives up an engine that has work and falls silent, with all that was in it', async () => {
      const { worker, freeze } = await start({ pace: 5 }, SILENCE_MS);
      const abort = new AbortController();
      const running = Array.from({ length: 3 }, (_, i) =>
        failureOf(() => worker.run(jobOf('A long sentence that takes a while.'), i === 0 ? abort.signal : never)),
      );
      await until(() => worker.busy === 3);
      freeze();
      abort.abort();
      const [cancelled, ...lost] = await Promise.all(running);
      expect(cancelled).toMatchObject({ name: 'AbortError' });
      for (const error of lost) expect(error).toBeInstanceOf(WorkerLost);
      await whenReady(worker);
      expect(worker.busy).toBe(0);
      expect((await collect(worker.run(jobOf('Hi.'), never))).pcm.length).toBeGreaterThan(0);
    });

    it('gives up an engine that never acknowledges a cancellation, and offers no place for it until then', async () => {
      const { worker, freeze } = await start({ pace: 5 }, SILENCE_MS);
      const abort = new AbortController();
      const running = failureOf(() => worker.run(jobOf('A long sentence that takes a while.'), abort.signal));
      freeze();
      abort.abort();
      await running;
      expect(worker.busy).toBe(1);
      await until(() => worker.busy === 0);
      await until(() => worker.restarts === 1 && worker.state === 'ready');
    });

    it('lets an engine be that waits for nothing but its consumer', async () => {
      const { worker } = await start({ msPerChar: 1_000 }, SILENCE_MS);
      const events = worker.run(jobOf('x'.repeat(20)), never)[Symbol.asyncIterator]();
      await events.next();
      await until(() => worker.busy === 0);
      await new Promise((resolve) => setTimeout(resolve, SILENCE_MS * 1.5));
      let samples = 0;
      for (let next = await events.next(); !next.done; next = await events.next()) {
        if (next.value.type === 'audio') samples += next.value.pcm.length;
      }
      expect(samples).toBe(20 * 24_000);
      expect(worker.restarts).toBe(0);
    });

    it('gives up what runs and refuses what comes when it is closed', async () => {
      const { worker } = await start({ pace: 1 });
      const running = failureOf(() => worker.run(jobOf('A long sentence that would take a few seconds.'), never));
      await worker.close();
      expect(await running).toBeInstanceOf(WorkerLost);
      expect(await failureOf(() => worker.run(jobOf('Hi.'), never))).toBeInstanceOf(WorkerLost);
    });
  });
}
