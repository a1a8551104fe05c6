/** A worker without a process: an engine called directly, that a test can kill, revive and look into. */
import type { Engine } from '../../src/engine/engine.js';
import type { Worker, WorkerState } from '../../src/gateway/worker.js';
import { TtsError } from '../../src/protocol/errors.js';
import type { SegmentJob, SpeechEvent } from '../../src/protocol/job.js';

export interface EngineWorker extends Worker {
  /** Every job it was given, in order. */
  readonly jobs: readonly SegmentJob[];
  /** Jobs whose caller stopped them. */
  readonly cancelled: readonly string[];
  readonly running: number;
  /** The state it reports; `dead` breaks what runs. */
  setState(state: WorkerState): void;
}

export interface EngineWorkerOptions {
  readonly id?: string;
  readonly capacity?: number;
  readonly state?: WorkerState;
}

export function createEngineWorker(engine: Engine, options: EngineWorkerOptions = {}): EngineWorker {
  const { id = 'test', capacity = 1 } = options;
  let state: WorkerState = options.state ?? 'ready';
  let restarts = 0;
  let deaths = new AbortController();
  const listeners = new Set<(state: WorkerState) => void>();
  const jobs: SegmentJob[] = [];
  const cancelled: string[] = [];
  let running = 0;

  function setState(next: WorkerState): void {
    if (state === 'dead' && next === 'ready') restarts++;
    state = next;
    if (next === 'dead') {
      deaths.abort();
      deaths = new AbortController();
    }
    for (const listener of [...listeners]) listener(next);
  }

  async function* run(job: SegmentJob, signal: AbortSignal): AsyncGenerator<SpeechEvent> {
    jobs.push(job);
    running++;
    const death = deaths.signal;
    const either = AbortSignal.any([signal, death]);
    try {
      for await (const event of engine.speak(job, either)) {
        either.throwIfAborted();
        yield event;
      }
    } catch (error) {
      if (death.aborted) throw new TtsError('no_worker_ready', 'The engine process died.');
      throw error;
    } finally {
      if (signal.aborted) cancelled.push(job.id);
      running--;
    }
  }

  return {
    id,
    capacity,
    jobs,
    cancelled,
    description: 'in process',
    lastError: undefined,
    get state() {
      return state;
    },
    get restarts() {
      return restarts;
    },
    get running() {
      return running;
    },
    run,
    setState,
    onStateChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      setState('closed');
      await engine.close();
    },
  };
}
