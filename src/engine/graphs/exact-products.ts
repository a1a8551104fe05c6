/**
 * Opens graphs so that their 8-bit products are exact on this machine. On x64 processors without
 * VNNI the runtime adds unsigned by signed products in 16 bits, which saturate: words are lost and
 * pitch is off. The runtime's own option against it (session.x64quantprecision) fails where two
 * operators share a constant, as ours do, and slows processors with VNNI down as well (1.30).
 */
import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';

/** A graph of one MatMulInteger: `y` = `a` (1 × 4, uint8) × a column of four times 127 (int8). */
export const PROBE = Buffer.from(
  'CAg6aQopCgFhCgFiEgF5Gg9NYXRNdWxJbnRlZ2VyIHkiDU1hdE11bEludGVnZXISAWcqDwoCBAEQA0IBYkoEf39/f1oTCgFhEg4KDAgCEggKAggB' +
    'CgIIBGITCgF5Eg4KDAgGEggKAggBCgIIAUICEBE=',
  'base64',
);
const LARGEST = Uint8Array.of(255, 255, 255, 255);
const EXACT = 4 * 255 * 127;

/** The runtime's sum of the largest products: `EXACT`, or less where they saturate. */
async function largestProducts(): Promise<number> {
  const session = await InferenceSession.create(PROBE, {
    executionProviders: ['cpu'],
    intraOpNumThreads: 1,
    graphOptimizationLevel: 'disabled',
    enableCpuMemArena: false,
    logSeverityLevel: 3,
  });
  try {
    const { y } = await session.run({ a: new Tensor('uint8', LARGEST, [1, LARGEST.length]) });
    return (y!.data as Int32Array)[0]!;
  } finally {
    await session.release();
  }
}

let answer: Promise<boolean> | undefined;

/** Measured once in a process, in about 2 ms; other architectures have no such processors. */
export function productsSaturate(): Promise<boolean> {
  answer ??= process.arch === 'x64' ? largestProducts().then((sum) => sum !== EXACT) : Promise.resolve(false);
  return answer;
}

/** The bytes of a graph with the same integers in it, made by products that do not saturate. */
export async function exactGraph(graph: Uint8Array): Promise<Uint8Array> {
  const [{ createCodec }, { withUnsignedWeights }] = await Promise.all([
    import('../../models/onnx/schema.js'),
    import('../../models/onnx/unsigned.js'),
  ]);
  const codec = createCodec();
  return codec.encode(withUnsignedWeights(codec.decode(graph), codec));
}

/** A session of a file, or of a graph's bytes, whose products are exact on this machine. */
export async function openExact(
  graph: string | Uint8Array,
  options: InferenceSession.SessionOptions,
): Promise<InferenceSession> {
  if (await productsSaturate()) {
    const bytes = typeof graph === 'string' ? await readFile(graph) : graph;
    return InferenceSession.create(await exactGraph(bytes), options);
  }
  return typeof graph === 'string' ? InferenceSession.create(graph, options) : InferenceSession.create(graph, options);
}
