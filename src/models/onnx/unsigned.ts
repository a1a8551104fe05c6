/**
 * Products of 8-bit activations and signed weights, written with unsigned weights: weight and zero
 * point are 128 more, so every integer, and with it every bit of the result, stays the same. On x64
 * processors without VNNI, onnxruntime multiplies unsigned by signed bytes with an instruction that
 * adds two products in 16 bits, which saturate; unsigned by unsigned bytes are widened to 16 bits
 * first, and their products added in 32. That takes 1.1 to 1.3 times as long as the saturating form
 * (measured with VNNI masked), and 1.6 to 1.8 times as long as the signed form on a processor with
 * VNNI.
 */
import { DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { bytesOf } from './weights.js';

/** The operators, and the indices of their inputs that are a weight and its zero point. */
const OPERATORS: Readonly<Record<string, readonly (readonly [weight: number, zeroPoint: number])[]>> = {
  MatMulInteger: [[1, 3]],
  MatMulIntegerToFloat: [[1, 5]],
  DynamicQuantizeLSTM: [
    [1, 9],
    [2, 11],
  ],
};
/** Two products of an activation (at most 255) and such a weight fit into 16 bits: 32,640. */
const LARGEST_EXACT = 64;
const ZERO_POINT = 'unsigned_zero_point';

function isExact(tensor: Tensor): boolean {
  if (tensor.dataType !== DATA_TYPE.int8) return true;
  const values = bytesOf(tensor);
  for (let i = 0; i < values.length; i += 1) if (Math.abs(values[i]!) > LARGEST_EXACT) return false;
  return true;
}

export function withUnsignedWeights(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const weights = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  const made = new Map<string, Tensor>();

  function unsigned(tensor: Tensor): string {
    const name = `${tensor.name}_unsigned`;
    if (!made.has(name)) {
      const values = bytesOf(tensor);
      const rawData = new Uint8Array(values.length);
      for (let i = 0; i < values.length; i += 1) rawData[i] = values[i]! + 128;
      made.set(name, codec.tensor({ ...tensor, name, dataType: DATA_TYPE.uint8, rawData, int32Data: [] }));
    }
    return name;
  }

  /** An absent zero point is 0, which becomes 128. */
  function unsignedZero(name: string, node: Node): string {
    if (name !== '') {
      const zeroPoint = weights.get(name);
      if (zeroPoint === undefined) throw new Error(`${node.opType} ${node.name} has no constant zero point`);
      return unsigned(zeroPoint);
    }
    const rawData = Uint8Array.of(128);
    made.set(ZERO_POINT, codec.tensor({ name: ZERO_POINT, dims: [], dataType: DATA_TYPE.uint8, rawData }));
    return ZERO_POINT;
  }

  const node = graph.node.map((old): Node => {
    const pairs = OPERATORS[old.opType] ?? [];
    // The weights of an operator are all signed or all unsigned.
    const signed = pairs.map(([weight]) => weights.get(old.input[weight] ?? ''));
    if (signed.every((tensor) => tensor === undefined || isExact(tensor))) return old;
    const input = Array.from(
      { length: Math.max(old.input.length, pairs.at(-1)![1] + 1) },
      (_, i) => old.input[i] ?? '',
    );
    for (const [i, [weight, zeroPoint]] of pairs.entries()) {
      const tensor = signed[i];
      if (tensor === undefined) throw new Error(`${old.opType} ${old.name} has no constant weight`);
      input[weight] = unsigned(tensor);
      input[zeroPoint] = unsignedZero(input[zeroPoint]!, old);
    }
    return { ...old, input };
  });

  const used = new Set(node.flatMap(({ input }) => input));
  const initializer = [...graph.initializer, ...made.values()].filter(({ name }) => used.has(name));
  return { ...model, graph: { ...graph, node, initializer } };
}
