/**
 * Graphs in threads of their own. A run of the runtime blocks the thread that calls it, so parallel
 * runs in one process need threads: one for each acoustic model that runs at once, and a single one
 * for the GPU, because two at once crash its driver.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { AcousticPart } from '../../models/onnx/acoustic-parts.js';
import type { Device } from '../../protocol/device.js';
import { type Due, insertByDue, isSoon } from '../due-order.js';
import type { StepGrant } from '../engine.js';
import { maySpin } from '../measure/machine.js';
import { largeBuffers, type Packed } from './packed.js';

export type ThreadRequest =
  | {
      readonly type: 'open';
      readonly id: number;
      readonly graph: string;
      readonly file: string;
      /** Of an acoustic model, which is opened in two. */
      readonly part: AcousticPart | undefined;
      /** Where prepared graphs for the CPU are kept. */
      readonly keptDir: string;
      readonly device: Exclude<Device, 'auto'>;
      readonly threads: number;
      /** The runtime's threads wait for each other without sleep. */
      readonly spins: boolean;
      /** Outputs stay on the device until the runs behind them are under way. */
      readonly queues: boolean;
    }
  | { readonly type: 'run'; readonly id: number; readonly graph: string; readonly feeds: readonly Packed[] };
export type ThreadReply =
  | { readonly id: number; readonly outputs: readonly Packed[]; readonly beganMs: number; readonly runMs: number }
  | { readonly id: number; readonly error: string };

interface Timed {
  /** When the thread began, in milliseconds since 1970, and what it took. */
  readonly beganMs: number;
  readonly runMs: number;
}

export interface Ran extends Timed {
  readonly outputs: Packed;
}

/** Outputs of several runs in their order, and the time of all of them. */
export interface RanEach extends Timed {
  readonly outputs: readonly Packed[];
}

/** The compiled entry of a graph's thread (`imports` in package.json). */
const ENTRY = createRequire(import.meta.url).resolve('#dist/bundle/graph-thread.js');

export class GraphThread {
  readonly #worker = new Worker(ENTRY);
  readonly #waiting = new Map<number, { done: (ran: RanEach) => void; failed: (error: Error) => void }>();
  readonly #device: Exclude<Device, 'auto'>;
  readonly #threads: number;
  readonly #keptDir: string;
  readonly #spins: boolean;
  #requests = 0;

  constructor(device: Exclude<Device, 'auto'>, threads: number, keptDir: string, spins = false) {
    this.#spins = spins;
    this.#device = device;
    this.#threads = threads;
    this.#keptDir = keptDir;
    this.#worker.on('message', (reply: ThreadReply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(new Error('the thread of a graph has ended')));
    // Only a run that is waited for keeps the process alive.
    this.#worker.unref();
  }

  /** `queues` opens the graph for `runEach`. */
  async open(
    graph: string,
    file: string,
    { queues = false, part }: { queues?: boolean; part?: AcousticPart | undefined } = {},
  ): Promise<void> {
    const [device, threads, keptDir, spins] = [this.#device, this.#threads, this.#keptDir, this.#spins];
    await this.#ask((id) => ({ type: 'open', id, graph, file, part, device, threads, keptDir, spins, queues }));
  }

  /** `givesFeeds` transfers large feeds instead of copying them; the caller loses them. */
  async run(graph: string, feeds: Packed, options: { givesFeeds?: boolean } = {}): Promise<Ran> {
    const { outputs, ...timed } = await this.runEach(graph, [feeds], options);
    return { outputs: outputs[0]!, ...timed };
  }

  /** Runs one after the other; nothing is fetched from the device before it has all of them. */
  runEach(graph: string, feeds: readonly Packed[], { givesFeeds = false } = {}): Promise<RanEach> {
    return this.#ask((id) => ({ type: 'run', id, graph, feeds }), givesFeeds ? feeds.flatMap(largeBuffers) : []);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(request: (id: number) => ThreadRequest, given: readonly ArrayBuffer[] = []): Promise<RanEach> {
    const id = ++this.#requests;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done, failed });
      this.#worker.ref();
      this.#worker.postMessage(request(id), given);
    });
  }

  #receive(reply: ThreadReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('error' in reply) waiting?.failed(new Error(reply.error));
    else waiting?.done(reply);
  }

  #lose(error: Error): void {
    for (const { failed } of this.#waiting.values()) failed(error);
    this.#waiting.clear();
  }
}

/** Most work handed to a thread: one that runs, one that lies ready. Others wait in due order. */
const WORK_PER_THREAD = 2;

interface WaitingWork extends Due {
  readonly signal: AbortSignal;
  readonly begin: (thread: GraphThread) => void;
  readonly failed: (reason: unknown) => void;
}

/**
 * Several threads with the same graphs. The run that is due soonest goes to the thread with the
 * least to do. A run that is due soon on an idle machine is multi-threaded, and runs that are due
 * later wait for its end: the segments behind a first sound would take cores and memory from it.
 */
export class GraphThreads {
  /** In the order of `insertByDue`. */
  readonly #waiting: WaitingWork[] = [];
  /** Work that each thread has. */
  readonly #has = new Map<GraphThread, number>();
  readonly #singleThreaded: readonly GraphThread[];
  readonly #multiThreaded: GraphThread;

  constructor(count: number, threadsWhenIdle: number, keptDir: string) {
    this.#singleThreaded = Array.from({ length: count }, () => new GraphThread('cpu', 1, keptDir));
    // It runs only while no other does. Threads that sleep between operators would cost its gain.
    this.#multiThreaded = new GraphThread('cpu', threadsWhenIdle, keptDir, maySpin(threadsWhenIdle));
  }

  get count(): number {
    return this.#singleThreaded.length;
  }

  async open(graph: string, file: string, part?: AcousticPart): Promise<void> {
    // The first one writes the kept graph, which the others map.
    const [first, ...others] = [this.#multiThreaded, ...this.#singleThreaded];
    await first!.open(graph, file, { part });
    await Promise.all(others.map((thread) => thread.open(graph, file, { part })));
  }

  run(graph: string, feeds: Packed, due: Pick<StepGrant, 'dueMs' | 'signal'>): Promise<Ran> {
    return this.work((thread) => thread.run(graph, feeds), due);
  }

  /** Several runs on one thread. Work that is aborted while it waits is left out. */
  work<T>(
    runs: (thread: GraphThread) => Promise<T>,
    { dueMs, signal }: Pick<StepGrant, 'dueMs' | 'signal'>,
  ): Promise<T> {
    return new Promise((done, failed) => {
      const begin = (thread: GraphThread) => {
        this.#has.set(thread, this.#busy(thread) + 1);
        void runs(thread)
          .then(done, failed)
          .finally(() => {
            this.#has.set(thread, this.#busy(thread) - 1);
            this.#hand();
          });
      };
      insertByDue(this.#waiting, { dueMs, signal, begin, failed });
      this.#hand();
    });
  }

  #busy(thread: GraphThread): number {
    return this.#has.get(thread) ?? 0;
  }

  /** Gives waiting work to threads that have room. */
  #hand(): void {
    while (this.#waiting.length > 0) {
      let best = this.#singleThreaded[0]!;
      let total = this.#busy(this.#multiThreaded);
      for (const thread of this.#singleThreaded) {
        total += this.#busy(thread);
        if (this.#busy(thread) < this.#busy(best)) best = thread;
      }
      if (this.#busy(best) >= WORK_PER_THREAD) return;
      const soon = isSoon(this.#waiting[0]!, performance.now());
      if (this.#busy(this.#multiThreaded) > 0 && !soon) return;
      const { signal, begin, failed } = this.#waiting.shift()!;
      if (signal.aborted) failed(signal.reason);
      else begin(total === 0 && soon ? this.#multiThreaded : best);
    }
  }

  async close(): Promise<void> {
    for (const { failed } of this.#waiting.splice(0)) failed(new Error('the threads of a graph were closed'));
    await Promise.all([this.#multiThreaded, ...this.#singleThreaded].map((thread) => thread.close()));
  }
}
