/**
 * An 8-bit graph in floats: the same weights and scales, nothing rounded and nothing clipped on the
 * way.
 */
import { createCodec, DATA_TYPE, type Node } from '../../../src/models/onnx/schema.js';
import { dequantise, rawFloats } from '../../../src/models/onnx/weights.js';

const BYTES: readonly number[] = [DATA_TYPE.int8, DATA_TYPE.uint8];
/**
 * What an operator on bytes is made of in floats: the first step on its first two inputs named, the
 * second with the one left.
 */
const STEPS: Readonly<Record<string, readonly [first: string, by: number, second: string, then: number]>> = {
  QuantizeLinear: ['Div', 1, 'Add', 2],
  DequantizeLinear: ['Sub', 2, 'Mul', 1],
  MatMulInteger: ['Sub', 2, 'MatMul', 1],
};

export function unrounded(file: Uint8Array): Uint8Array {
  const codec = createCodec();
  const model = codec.decode(file);
  const one = codec.tensor({
    name: 'one',
    dims: [],
    dataType: DATA_TYPE.float,
    rawData: rawFloats(Float32Array.of(1)),
  });
  const initializer = model.graph.initializer.map((tensor) => {
    if (!BYTES.includes(tensor.dataType)) return tensor;
    const rawData = rawFloats(dequantise(tensor, one, undefined, 'last'));
    return codec.tensor({ name: tensor.name, dims: tensor.dims, dataType: DATA_TYPE.float, rawData });
  });
  const node = model.graph.node.flatMap((old): Node[] => {
    const steps = STEPS[old.opType];
    if (!steps) return [old];
    const [first, by, second, then] = steps;
    const between = `${old.output[0]}_between`;
    const plain = { ...old, attribute: [] };
    return [
      { ...plain, name: between, opType: first, input: [old.input[0]!, old.input[by]!], output: [between] },
      { ...plain, opType: second, input: [between, old.input[then]!] },
    ];
  });
  return codec.encode({ ...model, graph: { ...model.graph, node, initializer } });
}
