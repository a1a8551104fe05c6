/** Serves an engine over a message channel, whatever that is: jobs in, speech out, as far as the listener gave credit. */
import { Condition } from '../condition.js';
import type { Engine } from '../engine/engine.js';
import { isAbort, TtsError } from '../protocol/errors.js';
import type { SegmentJob } from '../protocol/job.js';
import type { JobReply, JobRequest } from './protocol.js';

interface Running {
  readonly abort: AbortController;
  readonly credited: Condition;
  /** Samples that may still be sent. */
  creditSamples: number;
}

export interface EngineServer {
  receive(message: JobRequest): void;
  /** Cancels everything and waits for it. */
  close(): Promise<void>;
}

export function serveEngine(engine: Engine, send: (reply: JobReply) => void): EngineServer {
  const running = new Map<string, Running>();
  const tasks = new Set<Promise<void>>();

  async function speak(job: SegmentJob, state: Running): Promise<void> {
    const { id } = job;
    const { signal } = state.abort;
    let last: JobReply = { type: 'end', id };
    try {
      for await (const event of engine.speak(job, signal)) {
        signal.throwIfAborted();
        send({ ...event, id });
        if (event.type !== 'audio') continue;
        state.creditSamples -= event.pcm.length;
        await state.credited.until(() => state.creditSamples > 0, signal);
      }
    } catch (error) {
      const code = isAbort(error) ? 'aborted' : error instanceof TtsError ? error.code : 'synthesis_failed';
      last = { type: 'error', id, code, message: error instanceof Error ? error.message : String(error) };
    }
    running.delete(id);
    send(last);
  }

  return {
    receive(message) {
      if (message.type === 'job') {
        const { job, creditSamples } = message;
        const state = { abort: new AbortController(), credited: new Condition(), creditSamples };
        running.set(job.id, state);
        const task = speak(job, state).finally(() => tasks.delete(task));
        tasks.add(task);
        return;
      }
      const state = running.get(message.id);
      if (state === undefined) return;
      if (message.type === 'cancel') {
        state.abort.abort();
      } else {
        state.creditSamples += message.samples;
        state.credited.notify();
      }
    },
    async close() {
      for (const state of running.values()) state.abort.abort();
      await Promise.all(tasks);
      await engine.close();
    },
  };
}
