/**
 * 8-bit products with unsigned weights against the same with signed ones: by hand on small graphs,
 * and on all that are spoken with.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { exactGraph, PROBE, productsSaturate } from '../../src/engine/graphs/exact-products.js';
import { PACKAGE_VOICES_DIR } from '../../src/models/manifest.js';
import { createCodec, DATA_TYPE, type Model, type Tensor as Weight } from '../../src/models/onnx/schema.js';
import { withUnsignedWeights } from '../../src/models/onnx/unsigned.js';
import { bytesOf } from '../../src/models/onnx/weights.js';
import { ensureModel } from '../../src/models/packs.js';
import { modelDirForTests } from '../../testkit/speech.js';

const OPTIONS: InferenceSession.SessionOptions = { intraOpNumThreads: 1, logSeverityLevel: 3 };
const [ROWS, INNER, COLUMNS] = [3, 70, 33];
const codec = createCodec();

/** Numbers of 0 to 255, the outermost among them more often than chance would have it. */
function randomBytes(count: number, seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const kind = state >>> 30;
    return kind === 0 ? 255 : kind === 1 ? 127 : (state >>> 16) & 0xff;
  });
}

const int8 = (name: string, dims: number[], rawData: Uint8Array): Weight =>
  codec.tensor({ name, dims, dataType: DATA_TYPE.int8, rawData });

/** `y` = (`a` − its zero point) × (`b` − its zero points). */
function product(b: Weight, zeroPoint?: Weight): Model {
  const zeroA = codec.tensor({ name: 'zero_a', dims: [], dataType: DATA_TYPE.uint8, rawData: Uint8Array.of(117) });
  const input = ['a', b.name, 'zero_a', ...(zeroPoint ? [zeroPoint.name] : [])];
  return {
    irVersion: 8,
    producerName: '',
    opsetImport: [Uint8Array.of(0x10, 17)],
    graph: {
      name: 'product',
      node: [codec.node('MatMulInteger', input, ['y'])],
      initializer: [b, zeroA, ...(zeroPoint ? [zeroPoint] : [])],
      input: [codec.valueInfo('a', DATA_TYPE.uint8, ['rows', INNER])],
      output: [codec.valueInfo('y', DATA_TYPE.int32, ['rows', COLUMNS])],
    },
  };
}

async function run(graph: Uint8Array, feeds: Record<string, Tensor>): Promise<InferenceSession.OnnxValueMapType> {
  const session = await InferenceSession.create(graph, OPTIONS);
  const values = await session.run(feeds);
  await session.release();
  return values;
}

/**
 * Signed weights of a graph's integer products of which two could add up to more than 16 bits hold.
 */
function mayOverflow(graph: Uint8Array): string[] {
  const { node, initializer } = codec.decode(graph).graph;
  const large = initializer.filter((tensor) => {
    if (tensor.dataType !== DATA_TYPE.int8) return false;
    const values = bytesOf(tensor);
    for (let i = 0; i < values.length; i += 1) if (Math.abs(values[i]!) > 64) return true;
    return false;
  });
  const weights = node.flatMap(({ opType, input }) =>
    opType === 'MatMulInteger' ? [input[1]] : opType === 'DynamicQuantizeLSTM' ? [input[1], input[2]] : [],
  );
  return large.map(({ name }) => name).filter((name) => weights.includes(name));
}

describe('a product with unsigned weights', () => {
  const a = randomBytes(ROWS * INNER, 1);
  const raw = randomBytes(INNER * COLUMNS, 2);
  const weight = int8('b', [INNER, COLUMNS], raw);
  const zeros = randomBytes(COLUMNS, 3);

  it.each([
    ['no zero point', undefined],
    ['one zero point', int8('zero_b', [], Uint8Array.of(0xf3))],
    ['a zero point for each column', int8('zero_b', [COLUMNS], zeros)],
  ])('has the integers that the signed one stands for: %s', async (_, zeroPoint) => {
    const zeroOf = zeroPoint ? bytesOf(zeroPoint) : new Int8Array(1);
    const signed = bytesOf(weight);
    const right = Int32Array.from({ length: ROWS * COLUMNS }, (_, at) => {
      const [row, column] = [Math.floor(at / COLUMNS), at % COLUMNS];
      const zero = zeroOf[zeroOf.length === 1 ? 0 : column]!;
      let sum = 0;
      for (let k = 0; k < INNER; k++) sum += (a[row * INNER + k]! - 117) * (signed[k * COLUMNS + column]! - zero);
      return sum;
    });
    const model = product(weight, zeroPoint);
    const unsigned = withUnsignedWeights(model, codec);
    expect(unsigned.graph.initializer.filter(({ dataType }) => dataType === DATA_TYPE.int8)).toEqual([]);
    const feeds = { a: new Tensor('uint8', a, [ROWS, INNER]) };
    expect((await run(codec.encode(unsigned), feeds)).y!.data).toEqual(right);
    const asItWas = (await run(codec.encode(model), feeds)).y!.data as Int32Array;
    if (await productsSaturate()) expect(asItWas).not.toEqual(right);
    else expect(asItWas).toEqual(right);
  });

  it('is left signed where its weights are too small to saturate', () => {
    const small = product(int8('b', [INNER, COLUMNS], new Uint8Array(INNER * COLUMNS).fill(64)));
    expect(withUnsignedWeights(small, codec).graph).toEqual(small.graph);
  });

  it('refuses a zero point that is not a constant', () => {
    const model = product(weight, int8('zero_b', [], Uint8Array.of(3)));
    const { graph } = model;
    const initializer = graph.initializer.filter(({ name }) => name !== 'zero_b');
    expect(() => withUnsignedWeights({ ...model, graph: { ...graph, initializer } }, codec)).toThrow('zero point');
  });
});

describe('the graphs that are spoken with', () => {
  const own = (name: string) => readFile(path.join(PACKAGE_VOICES_DIR, 'base-tts-fast', name));
  const kokoro = async () => ensureModel('base-tts', { modelDir: await modelDirForTests(), offline: true });

  it('have no products left that saturate, and had some', async () => {
    const files = await kokoro();
    const graphs = [
      await own('front-int8.onnx'),
      await own('generator-int8.onnx'),
      await readFile(files.acousticModel),
      await readFile(files.generatorQuantised),
    ];
    for (const graph of graphs) {
      if (process.arch === 'x64') expect(mayOverflow(graph).length).toBeGreaterThan(20);
      expect(mayOverflow(await exactGraph(graph))).toEqual([]);
    }
  }, 240_000);

  const IDS = [0, 50, 156, 43, 102, 4, 50, 83, 54, 156, 57, 135, 4, 0];
  const feeds = {
    input_ids: new Tensor('int64', BigInt64Array.from(IDS, BigInt), [1, IDS.length]),
    style: new Tensor(
      'float32',
      Float32Array.from({ length: 256 }, (_, i) => 0.2 * Math.sin(i * 0.7)),
      [1, 256],
    ),
    speed: new Tensor('float32', [1], [1]),
  };
  it.each([
    ["base-tts-fast's", () => own('front-int8.onnx')],
    ["Kokoro's, with its LSTMs", async () => readFile((await kokoro()).acousticModel)],
  ])(
    'give the same to the bit where products were exact before: the front of %s',
    async (_, read) => {
      const graph = await read();
      const [before, after] = [await run(graph, feeds), await run(await exactGraph(graph), feeds)];
      const saturates = await productsSaturate();
      for (const name of ['x', 'f0', 's', 'durations']) {
        expect(after[name]!.data.length).toBeGreaterThan(0);
        if (!saturates) expect(after[name]!.data, name).toEqual(before[name]!.data);
      }
    },
    240_000,
  );
});

describe('the probe', () => {
  it('is the graph it says it is', () => {
    const b = int8('b', [4, 1], new Uint8Array(4).fill(127));
    const model: Model = {
      irVersion: 8,
      producerName: '',
      opsetImport: [Uint8Array.of(0x10, 17)],
      graph: {
        name: 'g',
        node: [codec.node('MatMulInteger', ['a', 'b'], ['y'])],
        initializer: [b],
        input: [codec.valueInfo('a', DATA_TYPE.uint8, [1, 4])],
        output: [codec.valueInfo('y', DATA_TYPE.int32, [1, 1])],
      },
    };
    expect(PROBE).toEqual(Buffer.from(codec.encode(model)));
  });

  it('answers as the processor is', async () => {
    const saturates = await productsSaturate();
    if (process.arch !== 'x64') expect(saturates).toBe(false);
    const a = new Uint8Array(ROWS * INNER).fill(255);
    const b = int8('b', [INNER, COLUMNS], new Uint8Array(INNER * COLUMNS).fill(127));
    const { y } = await run(codec.encode(product(b)), { a: new Tensor('uint8', a, [ROWS, INNER]) });
    const right = (255 - 117) * 127 * INNER;
    expect([...(y!.data as Int32Array)].every((sum) => sum === right)).toBe(!saturates);
  });
});
