/** Serves an engine over a message channel: jobs in, speech out, never far ahead of the one who listens. */
import type { Engine } from '../engine/engine.js';
import { isAbort, TtsError } from '../protocol/errors.js';
import type { SegmentJob } from '../protocol/job.js';
import { AHEAD_SAMPLES, type FromWorker, type ToWorker } from './protocol.js';

interface Running {
  readonly abort: AbortController;
  /** Samples sent and not yet taken. */
  ahead: number;
  /** Wakes the job when its consumer has caught up. */
  wake: (() => void) | undefined;
}

export interface EngineServer {
  receive(message: ToWorker): void;
  /** Cancels everything and waits for it. */
  close(): Promise<void>;
}

interface EngineServerOptions {
  readonly engine: Engine;
  readonly send: (message: FromWorker) => void;
  readonly rssBytes: () => number;
}

export function serveEngine({ engine, send, rssBytes }: EngineServerOptions): EngineServer {
  const running = new Map<string, Running>();
  const tasks = new Set<Promise<void>>();

  async function speak(job: SegmentJob, state: Running): Promise<void> {
    const { signal } = state.abort;
    try {
      for await (const event of engine.speak(job, signal)) {
        if (event.type === 'begin') {
          send({ type: 'begin', id: job.id, timings: event.timings });
          continue;
        }
        state.ahead += event.pcm.length;
        send({ type: 'audio', id: job.id, pcm: event.pcm });
        while (state.ahead >= AHEAD_SAMPLES && !signal.aborted) {
          await new Promise<void>((resolve) => {
            state.wake = resolve;
          });
        }
        signal.throwIfAborted();
      }
      send({ type: 'end', id: job.id, rssBytes: rssBytes() });
    } catch (error) {
      const code = isAbort(error) ? 'aborted' : error instanceof TtsError ? error.code : 'synthesis_failed';
      send({ type: 'error', id: job.id, code, message: error instanceof Error ? error.message : String(error) });
    } finally {
      running.delete(job.id);
    }
  }

  return {
    receive(message) {
      if (message.type === 'job') {
        const state: Running = { abort: new AbortController(), ahead: 0, wake: undefined };
        running.set(message.job.id, state);
        const task = speak(message.job, state).finally(() => tasks.delete(task));
        tasks.add(task);
      } else if (message.type === 'cancel') {
        const state = running.get(message.id);
        state?.abort.abort();
        state?.wake?.();
      } else if (message.type === 'taken') {
        const state = running.get(message.id);
        if (!state) return;
        state.ahead -= message.samples;
        if (state.ahead < AHEAD_SAMPLES) state.wake?.();
      }
    },
    async close() {
      for (const state of running.values()) {
        state.abort.abort();
        state.wake?.();
      }
      await Promise.all(tasks);
      await engine.close();
    },
  };
}
