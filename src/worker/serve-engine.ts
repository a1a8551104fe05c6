/** Serves an engine over a message channel, whatever that is: jobs in, speech out, in turns and as far as there is credit. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Condition } from '../condition.js';
import { type Due, insertByDue } from '../engine/due-order.js';
import type { Engine, StepGrant, StepRunner } from '../engine/engine.js';
import { samplesToMs } from '../protocol/audio.js';
import { isAbort, TtsError } from '../protocol/errors.js';
import type { SegmentJob } from '../protocol/job.js';
import { beginSpan, NO_SPAN } from '../trace.js';
import type { JobReply, JobRequest } from './protocol.js';

interface Running {
  readonly abort: AbortController;
  /** It was given credit or a turn. */
  readonly changed: Condition;
  /** Samples that may still be sent. */
  creditSamples: number;
  /** When each turn that it was given and has not begun is due, on the clock of `performance.now`. */
  readonly turns: number[];
  /** When whoever began to hear it as it was sent will have heard all of it, on the same clock. */
  heardOutMs: number;
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
  let busy = false;
  /** When the last run ended. */
  let freeMs = 0;
  /** Turns that wait for the one that runs, by when they are due. */
  const waiting: (Due & { readonly begin: () => void })[] = [];

  /** Resolves when nothing else runs, with when its own time begins: at the end of the run that it waited for. */
  async function untilFree(dueMs: number): Promise<number> {
    const followed = busy;
    if (followed) await new Promise<void>((begin) => insertByDue(waiting, { dueMs, begin }));
    busy = true;
    return followed ? freeMs : performance.now();
  }

  function free(): void {
    freeMs = performance.now();
    const next = waiting.shift();
    if (next === undefined) busy = false;
    else next.begin();
  }

  const turnOf = (id: string, state: Running): StepRunner => ({
    async run(work) {
      const { signal } = state.abort;
      if (state.turns.length === 0) send({ type: 'waits', id });
      await state.changed.until(() => state.turns.length > 0, signal);
      const dueMs = state.turns.shift()!;
      // One that takes many at once has its own lanes, which keep the same order.
      const startMs = engine.capacity === undefined ? await untilFree(dueMs) : performance.now();
      // A native run is deaf: let messages in first, a cancellation may be among them.
      await nextTurn();
      // The turn was given before what was sent last was there, which a lone listener hears at once; in company it may be kept for more.
      const lone = wide && engine.capacity === undefined;
      let spentMs: number | undefined;
      let earlyMs = 0;
      const grant: StepGrant = {
        multiThreaded: wide,
        signal,
        dueMs: lone ? Math.max(dueMs, state.heardOutMs) : dueMs,
        spent(ms) {
          spentMs = ms;
        },
        early(ms) {
          earlyMs = ms;
        },
      };
      try {
        signal.throwIfAborted();
        return await work(grant);
      } finally {
        send({ type: 'ran', id, runMs: spentMs ?? performance.now() - startMs, earlyMs });
        if (engine.capacity === undefined) free();
      }
    },
  });

  async function speak(job: SegmentJob, state: Running): Promise<void> {
    const { id } = job;
    const { signal } = state.abort;
    let final: JobReply = { type: 'end', id };
    const span = job.traceparent === undefined ? NO_SPAN : beginSpan(job.traceparent, spanOf(job));
    try {
      for await (const event of engine.speak(job, turnOf(id, state), signal)) {
        signal.throwIfAborted();
        send({ ...event, id });
        if (event.type !== 'audio') continue;
        if (state.heardOutMs === 0) span.event('first audio');
        state.heardOutMs = Math.max(state.heardOutMs, performance.now()) + samplesToMs(event.pcm.length);
        state.creditSamples -= event.pcm.length;
        await state.changed.until(() => state.creditSamples > 0, signal);
      }
    } catch (error) {
      const code = isAbort(error) ? 'aborted' : error instanceof TtsError ? error.code : 'synthesis_failed';
      final = { type: 'error', id, code, message: error instanceof Error ? error.message : String(error) };
    }
    span.end(final.type === 'error' && final.code !== 'aborted' ? final.code : undefined);
    running.delete(id);
    send(final);
  }

  return {
    receive(message) {
      if (message.type === 'job') {
        const { job, creditSamples } = message;
        const state = {
          abort: new AbortController(),
          changed: new Condition(),
          creditSamples,
          turns: [dueAtMs(job.dueInMs)],
          heardOutMs: 0,
        };
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
      else state.turns.push(dueAtMs(message.dueInMs));
      state.changed.notify();
    },
    async close() {
      for (const state of running.values()) state.abort.abort();
      await Promise.all(tasks);
      await engine.close();
    },
  };
}

const spanOf = ({ model, segment }: SegmentJob) => ({
  name: 'engine',
  attributes: { 'tts.model': model, 'tts.characters': segment.text.length },
});

/** Whoever is in no hurry waits for whoever is. */
const dueAtMs = (dueInMs = Number.MAX_SAFE_INTEGER): number => performance.now() + dueInMs;
