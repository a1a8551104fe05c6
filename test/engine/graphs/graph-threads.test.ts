/**
 * Graphs in threads: which run comes next where more wait than there are threads, and what is never
 * run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UNSCHEDULED } from '../../../src/engine/engine.js';
import { type GraphThread, GraphThreads } from '../../../src/engine/graphs/graph-threads.js';
import { createCodec, DATA_TYPE } from '../../../src/models/onnx/schema.js';

const dir = mkdtempSync(path.join(tmpdir(), 'tts-threads-'));
const threads = new GraphThreads(1, 1, path.join(dir, 'kept'));
beforeAll(async () => {
  const codec = createCodec();
  const value = (name: string) => codec.valueInfo(name, DATA_TYPE.float, [1]);
  const graph = {
    name: 'twice',
    node: [codec.node('Add', ['x', 'x'], ['y'])],
    initializer: [],
    input: [value('x')],
    output: [value('y')],
  };
  const file = path.join(dir, 'twice.onnx');
  // The operator set's version, as the one field of its message.
  const opset = Uint8Array.of(0x10, 17);
  writeFileSync(file, codec.encode({ irVersion: 8, opsetImport: [opset], producerName: 'test', graph }));
  await threads.open('twice', file);
});
afterAll(async () => {
  await threads.close();
  rmSync(dir, { recursive: true });
});

/** All at once, as turns come: what was run, in the order in which it was. */
async function runAll(waiting: Readonly<Record<string, { dueMs: number; signal?: AbortSignal }>>): Promise<string[]> {
  const ran: string[] = [];
  await Promise.allSettled(
    Object.entries(waiting).map(async ([name, { dueMs, signal = UNSCHEDULED.signal }], i) => {
      const x = { type: 'float32', data: Float32Array.of(i), dims: [1] } as const;
      const { outputs } = await threads.run('twice', { x }, { dueMs, signal });
      expect(outputs.y!.data).toEqual(Float32Array.of(2 * i));
      ran.push(name);
    }),
  );
  return ran;
}

// The first is alone and runs wide; the thread has one and one that lies ready.
const BUSY = { wide: { dueMs: 1 }, busy: { dueMs: 2 }, ready: { dueMs: 3 } };
/** Nobody is about to run dry. */
const laterMs = () => performance.now() + 60_000;

it('runs what is due soonest first, whenever it came', async () => {
  const ran = await runAll({
    ...BUSY,
    bulk: { dueMs: Number.MAX_SAFE_INTEGER },
    later: { dueMs: 900 },
    live: { dueMs: 100 },
    too: { dueMs: 100 },
  });
  expect(ran.filter((name) => !(name in BUSY))).toEqual(['live', 'too', 'later', 'bulk']);
  expect(ran).toHaveLength(7);
});

it('does not run what was cancelled while it waited', async () => {
  const abort = new AbortController();
  const running = runAll({ ...BUSY, gone: { dueMs: 10, signal: abort.signal }, stays: { dueMs: 20 } });
  abort.abort();
  expect((await running).sort()).toEqual(['busy', 'ready', 'stays', 'wide']);
});

it('keeps what is due later out of the way of a first sound that is alone', async () => {
  const dueMs = laterMs();
  const ran = await runAll({ first: { dueMs: 1 }, second: { dueMs }, third: { dueMs }, other: { dueMs: 2 } });
  // The thread is free, and taken by what cannot wait.
  expect(ran.slice(2)).toEqual(['second', 'third']);
  expect(ran.slice(0, 2).sort()).toEqual(['first', 'other']);
});

it('runs what is in no hurry side by side, alone or not', async () => {
  const dueMs = laterMs();
  expect(await runAll({ one: { dueMs }, two: { dueMs }, three: { dueMs } })).toEqual(['one', 'two', 'three']);
});

it('has one thread for all runs of a piece of work, and nothing that is due later begins between them', async () => {
  const ran: string[] = [];
  const once = (thread: GraphThread, name: string, value: number) =>
    thread.run('twice', { x: { type: 'float32', data: Float32Array.of(value), dims: [1] } }).then(({ outputs }) => {
      ran.push(name);
      return Number(outputs.y!.data[0]);
    });
  const { signal } = UNSCHEDULED;
  const first = threads.work(
    async (thread) => {
      const half = await once(thread, 'first half', 1);
      await new Promise(setImmediate);
      return once(thread, 'second half', half);
    },
    { dueMs: 1, signal },
  );
  const later = threads.work((thread) => once(thread, 'later', 1), { dueMs: laterMs(), signal });
  expect(await Promise.all([first, later])).toEqual([4, 2]);
  expect(ran).toEqual(['first half', 'second half', 'later']);
});
