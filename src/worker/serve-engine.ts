/** Serves an engine over a message channel, whatever that is: jobs in, speech out, in turns and as far as there is credit. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Condition } from '../condition.js';
import type { Engine, Turn } from '../engine/engine.js';
import { isAbort, TtsError } from '../protocol/errors.js';
import type { SegmentJob } from '../protocol/job.js';
import type { JobReply, JobRequest } from './protocol.js';

interface Running {
  readonly abort: AbortController;
  /** It was given credit or a turn. */
  readonly changed: Condition;
  /** Samples that may still be sent. */
  creditSamples: number;
  turns: number;
}

export interface EngineServer {
  receive(message: JobRequest): void;
  /** Cancels everything and waits for it. */
  close(): Promise<void>;
}

export function serveEngine(engine: Engine, send: (reply: JobReply) => void): EngineServer {
  const running = new Map<string, Running>();
  const tasks = new Set<Promise<void>>();
  let wide = false;
  /** The run before the next. */
  let last: Promise<void> = Promise.resolve();

  const turnOf = (id: string, state: Running): Turn => ({
    async run(work) {
      const { signal } = state.abort;
      if (state.turns === 0) send({ type: 'waits', id });
      await state.changed.until(() => state.turns > 0, signal);
      state.turns -= 1;
      const before = last;
      let done: () => void = () => undefined;
      last = new Promise((resolve) => {
        done = resolve;
      });
      await before;
      // A native run is deaf: let messages in first, a cancellation may be among them.
      await nextTurn();
      const startMs = performance.now();
      try {
        signal.throwIfAborted();
        return await work(wide);
      } finally {
        send({ type: 'ran', id, runMs: performance.now() - startMs });
        done();
      }
    },
  });

  async function speak(job: SegmentJob, state: Running): Promise<void> {
    const { id } = job;
    const { signal } = state.abort;
    let final: JobReply = { type: 'end', id };
    try {
      for await (const event of engine.speak(job, turnOf(id, state), signal)) {
        signal.throwIfAborted();
        send({ ...event, id });
        if (event.type !== 'audio') continue;
        state.creditSamples -= event.pcm.length;
        await state.changed.until(() => state.creditSamples > 0, signal);
      }
    } catch (error) {
      const code = isAbort(error) ? 'aborted' : error instanceof TtsError ? error.code : 'synthesis_failed';
      final = { type: 'error', id, code, message: error instanceof Error ? error.message : String(error) };
    }
    running.delete(id);
    send(final);
  }

  return {
    receive(message) {
      if (message.type === 'job') {
        const { job, creditSamples } = message;
        const state = { abort: new AbortController(), changed: new Condition(), creditSamples, turns: 1 };
        running.set(job.id, state);
        const task = speak(job, state).finally(() => tasks.delete(task));
        tasks.add(task);
        return;
      }
      if (message.type === 'wide') {
        wide = message.wide;
        return;
      }
      const state = running.get(message.id);
      if (state === undefined) return;
      if (message.type === 'cancel') {
        state.abort.abort();
        return;
      }
      if (message.type === 'credit') state.creditSamples += message.samples;
      else state.turns += 1;
      state.changed.notify();
    },
    async close() {
      for (const state of running.values()) state.abort.abort();
      await Promise.all(tasks);
      await engine.close();
    },
  };
}
