/**
 * Graphs in threads of their own. The runtime's runs block whoever calls them, so work that goes on side by side in one process needs
 * threads: one for each front, and one that alone talks to the GPU (two at once crash its driver).
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { TypedTensor } from 'onnxruntime-node';
import type { Device } from '../../protocol/device.js';
import { type Due, insertByDue } from '../due-order.js';
import type { StepGrant } from '../engine.js';
import { maySpin } from '../measure/machine.js';

/** A tensor as it crosses threads. */
export type PackedTensor = {
  [T in 'float32' | 'int64' | 'int32']: {
    readonly type: T;
    readonly data: TypedTensor<T>['data'];
    readonly dims: readonly number[];
  };
}['float32' | 'int64' | 'int32'];
export type Packed = Readonly<Record<string, PackedTensor>>;

export type ThreadRequest =
  | {
      readonly type: 'open';
      readonly id: number;
      readonly graph: string;
      readonly file: string;
      /** Where graphs for the CPU are kept as the runtime prepared them. */
      readonly keptDir: string;
      readonly device: Exclude<Device, 'auto'>;
      readonly threads: number;
      /** Its threads wait for each other without sleep. */
      readonly spins: boolean;
      /** What a run makes stays on the device until the runs behind it are under way. */
      readonly queues: boolean;
    }
  | { readonly type: 'run'; readonly id: number; readonly graph: string; readonly feeds: readonly Packed[] };
export type ThreadReply =
  | { readonly id: number; readonly outputs: readonly Packed[]; readonly runMs: number }
  | { readonly id: number; readonly error: string };

/** From this size on, a buffer is handed from thread to thread faster than it is copied. */
const LARGE_BYTES = 65_536;

/** What of them is worth handing over; each is the whole of its buffer. */
export const largeBuffers = (tensors: Packed): ArrayBuffer[] =>
  Object.values(tensors)
    .filter(({ data }) => data.byteLength >= LARGE_BYTES && data.byteLength === data.buffer.byteLength)
    .map(({ data }) => data.buffer as ArrayBuffer);

export interface Ran {
  readonly outputs: Packed;
  readonly runMs: number;
}

/** Of several runs, in their order; the time is that of all of them. */
export interface RanEach {
  readonly outputs: readonly Packed[];
  readonly runMs: number;
}

/** The compiled entry of a graph's thread (`imports` in package.json). */
const ENTRY = createRequire(import.meta.url).resolve('#dist/engine/graphs/graph-thread.js');

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
    // Whoever waits for a run keeps the process; a thread alone does not.
    this.#worker.unref();
  }

  /** Runs and openings that were not answered yet. */
  get busy(): number {
    return this.#waiting.size;
  }

  /** One that `queues` is made for `runEach`. */
  async open(graph: string, file: string, { queues = false } = {}): Promise<void> {
    const [device, threads, keptDir, spins] = [this.#device, this.#threads, this.#keptDir, this.#spins];
    await this.#ask((id) => ({ type: 'open', id, graph, file, device, threads, keptDir, spins, queues }));
  }

  /** Feeds that are given away are not copied on their way; whoever gave them has them no more. */
  async run(graph: string, feeds: Packed, options: { givesFeeds?: boolean } = {}): Promise<Ran> {
    const { outputs, runMs } = await this.runEach(graph, [feeds], options);
    return { outputs: outputs[0]!, runMs };
  }

  /** One after the other; nothing is fetched from the device before it has all of them. */
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

/** Runs a thread has at most, one at work and one that lies ready; the others wait where the order can still change. */
const AT_ONCE = 2;

interface WaitingRun extends Due {
  readonly signal: AbortSignal;
  readonly begin: (thread: GraphThread) => void;
  readonly failed: (reason: unknown) => void;
}

/** Whoever waits for this is heard soon: the first sound of a stream, or one that is about to run dry. */
const SOON_MS = 1_000;

/**
 * Several threads with the same graphs: the run that is due soonest goes to the one that has the least to do. One that is due soon and
 * alone runs on several threads, and what is due later keeps out of its way meanwhile: the segments behind a first sound would
 * take cores and memory from it, and be made before it.
 */
export class GraphThreads {
  /** By when they are due. */
  readonly #waiting: WaitingRun[] = [];
  readonly #narrow: readonly GraphThread[];
  /** With threads enough for a run that is alone. */
  readonly #wide: GraphThread;

  constructor(count: number, wideThreads: number, keptDir: string) {
    this.#narrow = Array.from({ length: count }, () => new GraphThread('cpu', 1, keptDir));
    // It runs only while nobody else does: threads that sleep between operators would cost it what it gains.
    this.#wide = new GraphThread('cpu', wideThreads, keptDir, maySpin(wideThreads));
  }

  get count(): number {
    return this.#narrow.length;
  }

  async open(graph: string, file: string): Promise<void> {
    // The first writes what the others then only map.
    const [first, ...others] = [this.#wide, ...this.#narrow];
    await first!.open(graph, file);
    await Promise.all(others.map((thread) => thread.open(graph, file)));
  }

  /** One that is aborted while it waits is never run. */
  run(graph: string, feeds: Packed, { dueMs, signal }: Pick<StepGrant, 'dueMs' | 'signal'>): Promise<Ran> {
    return new Promise((done, failed) => {
      const begin = (thread: GraphThread) =>
        void thread
          .run(graph, feeds)
          .then(done, failed)
          .finally(() => this.#hand());
      insertByDue(this.#waiting, { dueMs, signal, begin, failed });
      this.#hand();
    });
  }

  /** Gives what waits to threads that have room. */
  #hand(): void {
    while (this.#waiting.length > 0) {
      let best = this.#narrow[0]!;
      let total = this.#wide.busy;
      for (const thread of this.#narrow) {
        total += thread.busy;
        if (thread.busy < best.busy) best = thread;
      }
      if (best.busy >= AT_ONCE) return;
      const soon = this.#waiting[0]!.dueMs < performance.now() + SOON_MS;
      if (this.#wide.busy > 0 && !soon) return;
      const { signal, begin, failed } = this.#waiting.shift()!;
      if (signal.aborted) failed(signal.reason);
      else begin(total === 0 && soon ? this.#wide : best);
    }
  }

  async close(): Promise<void> {
    for (const { failed } of this.#waiting.splice(0)) failed(new Error('the threads of a graph were closed'));
    await Promise.all([this.#wide, ...this.#narrow].map((thread) => thread.close()));
  }
}
