import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { placesIn } from '../../../src/engine/graphs/aligned-weights.js';
import { openExact, PROBE } from '../../../src/engine/graphs/exact-products.js';
import { graphLoader } from '../../../src/engine/graphs/graph-loader.js';
import { cpuProvider } from '../../../src/engine/graphs/provider.js';
import { decibelsOfDifference } from '../../support/sound/clip-checks.js';

const FILE = path.resolve(import.meta.dirname, '../../../voices/base-tts-fast/generator-int8.onnx');
const OPEN_GRAPH = path.resolve(import.meta.dirname, '../../support/sound/open-graph.mjs');
const FRAMES = 60;
const provider = cpuProvider(1);

const wave = (size: number, step: number) => Float32Array.from({ length: size }, (_, i) => Math.sin(i * step));
const none = () => new Tensor('int64', BigInt64Array.of(0n), [1]);
async function samplesOf(session: InferenceSession): Promise<Float32Array> {
  const { waveform } = await session.run({
    s: new Tensor('float32', wave(128, 0.7), [1, 128]),
    mean: new Tensor('float32', wave(512, 0.3), [1, 512]),
    variance: new Tensor('float32', wave(512, 0.2).map(Math.abs), [1, 512]),
    x: new Tensor('float32', wave(512 * FRAMES, 0.11), [1, 512, FRAMES]),
    f0: new Tensor('float32', new Float32Array(FRAMES).fill(180), [1, 1, FRAMES]),
    phase: new Tensor('float32', wave(FRAMES, 0.05).map(Math.abs), [1, FRAMES]),
    offset: none(),
    ...(session.inputNames.includes('head') && { head: none(), tail: none() }),
  });
  await session.release();
  return waveform!.data as Float32Array;
}

describe('graphs as the runtime prepared them', () => {
  /** Of a test, and of all that use the vocoder, which takes a core seconds to prepare. */
  let dir: string;
  let shared: string;
  let fresh: Float32Array;
  beforeAll(async () => {
    shared = mkdtempSync(path.join(tmpdir(), 'tts-graphs-'));
    fresh = await samplesOf(await open());
  });
  afterAll(() => rmSync(shared, { recursive: true }));
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'tts-graphs-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));
  const open = () => graphLoader(shared, provider)(FILE);
  /** A graph that is prepared in no time, and a folder for it. */
  const small = () => {
    const [file, kept] = [path.join(dir, 'small.onnx'), path.join(dir, 'kept')];
    writeFileSync(file, PROBE);
    mkdirSync(kept);
    return { file, kept };
  };
  const SMALL_KEPT = expect.stringMatching(/^small-[0-9a-f]{16}$/);
  const keptGraph = () => path.join(shared, readdirSync(shared)[0]!, 'graph.onnx');

  it('are kept whole, with nothing beside them, and sound the same every time', async () => {
    const asWritten = await samplesOf(await openExact(FILE, provider.sessionOptions));
    expect(decibelsOfDifference(asWritten, fresh)).toBeGreaterThan(40);
    const kept = readdirSync(shared);
    expect(kept).toEqual([expect.stringMatching(/^generator-int8-[0-9a-f]{16}$/)]);
    expect(readdirSync(path.join(shared, kept[0]!)).sort()).toEqual(['graph.onnx', 'graph.weights']);
    const places = placesIn(readFileSync(keptGraph()));
    expect(places.length).toBeGreaterThan(100);
    // Kernels of some processors end the process that reads floats from elsewhere.
    expect(places.filter(({ offset }) => offset % 64 !== 0)).toEqual([]);
    const before = statSync(keptGraph()).ino;
    expect(await samplesOf(await open())).toEqual(fresh);
    expect(statSync(keptGraph()).ino, 'it was made once').toBe(before);
    // A size that differs from run to run has a name, which makes the graph quick to open.
    const graph = readFileSync(keptGraph(), 'latin1');
    expect(graph).toContain('size 83 97 116');
    expect(graph).toContain('MatMulIntegerToFloat');
    // Kernels with blocked channels, which x64 has.
    expect(graph.includes('ReorderInput')).toBe(process.arch === 'x64');
  });

  it('are made once by processes and threads that start together', async () => {
    const { file, kept } = small();
    const begun = new Set<string>();
    const watching = watch(kept, (_event, name) => {
      if (name?.startsWith('.making-')) begun.add(name);
    });
    const apart = spawn(process.execPath, [OPEN_GRAPH, file, kept]);
    const load = () => graphLoader(kept, provider)(file);
    const [sessions, [code]] = await Promise.all([Promise.all([load(), load()]), once(apart, 'exit')]);
    watching.close();
    expect(code).toBe(0);
    expect([...begun]).toHaveLength(1);
    expect(readdirSync(kept)).toEqual([SMALL_KEPT]);
    await Promise.all(sessions.map((session) => session.release()));
  });

  it.runIf(process.platform === 'linux')(
    'leave nothing behind in the process that they were prepared for',
    async () => {
      const mostKb = async () => Number((await promisify(execFile)(process.execPath, [OPEN_GRAPH, FILE, dir])).stdout);
      const preparing = await mostKb();
      expect(readdirSync(dir)).toHaveLength(1);
      const prepared = await mostKb();
      // 240 MB where the process prepares the graph itself.
      expect(preparing - prepared).toBeLessThan(30_000);
    },
  );

  it('are made by the next process where one was killed at it', async () => {
    const { file, kept } = small();
    const killed = spawn(process.execPath, [OPEN_GRAPH, file, kept]);
    const watching = watch(kept, (_event, name) => {
      if (name?.startsWith('.making-')) killed.kill('SIGKILL');
    });
    expect(await once(killed, 'exit')).toEqual([null, 'SIGKILL']);
    watching.close();
    expect(readdirSync(kept).filter((name) => name.endsWith('.lock'))).toHaveLength(1);
    await (await graphLoader(kept, provider)(file)).release();
    expect(readdirSync(kept).filter((name) => !name.startsWith('.making-'))).toEqual([SMALL_KEPT]);
  });

  it('are opened unprepared where the process that prepares them fails', async () => {
    const { file, kept } = small();
    const before = process.env.NODE_OPTIONS;
    process.env.NODE_OPTIONS = '--no-such-option';
    try {
      const session = await graphLoader(kept, provider)(file);
      expect(session.inputNames).toEqual(['a']);
      await session.release();
      expect(readdirSync(kept)).toEqual([]);
    } finally {
      if (before === undefined) delete process.env.NODE_OPTIONS;
      else process.env.NODE_OPTIONS = before;
    }
  });

  it('are mapped, so that their weights are shared with whoever else has them', async () => {
    const session = await open();
    const maps = process.platform === 'linux' ? readFileSync('/proc/self/maps', 'utf8') : 'graph.weights';
    expect(maps).toContain('graph.weights');
    await session.release();
  });

  it('are made again where the copy was damaged', async () => {
    const whole = readFileSync(keptGraph()).length;
    truncateSync(keptGraph(), whole >> 1);
    await (await open()).release();
    expect(readFileSync(keptGraph())).toHaveLength(whole);
  });

  it('have exact products on every processor, when they are made and when they were kept', async () => {
    const file = path.join(dir, 'largest.onnx');
    writeFileSync(file, PROBE);
    for (let time = 0; time < 2; time += 1) {
      const session = await graphLoader(path.join(dir, 'kept'), provider)(file);
      const { y } = await session.run({ a: new Tensor('uint8', new Uint8Array(4).fill(255), [1, 4]) });
      expect([...(y!.data as Int32Array)]).toEqual([4 * 255 * 127]);
      await session.release();
    }
    expect(readdirSync(path.join(dir, 'kept'))).toHaveLength(1);
  });

  it('are no condition: where nothing can be kept, the graph is the same', async () => {
    const session = await graphLoader(path.join(FILE, 'nowhere'), provider)(FILE);
    expect(session.inputNames).toContain('head');
    await session.release();
  });
});
