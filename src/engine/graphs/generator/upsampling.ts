/**
 * Writes a transposed convolution whose kernel is two strides long as one product of rows. Each
 * row of the output, a stride long, is made of one frame by the first half of the kernel and of
 * the frame before it by the second half. The runtime's operator adds up its columns on one thread.
 */
import { graphBuilder } from '../../../models/onnx/build.js';
import type { Model, Node, OnnxCodec, Tensor } from '../../../models/onnx/schema.js';
import { TURNED } from '../../../models/onnx/turned.js';
import { floatsOf } from '../../../models/onnx/weights.js';

export function withUpsamplingProducts(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const constants = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  const constantsMade = graphBuilder(codec);
  const node = graph.node.flatMap((old): readonly Node[] => {
    const [lines = '', weightName = '', biasName = ''] = old.input;
    const [weight, bias] = [constants.get(weightName), constants.get(biasName)];
    const [stride = 1] = codec.intsOf(old, 'strides') ?? [];
    const [cutBefore = 0, cutBehind = 0] = codec.intsOf(old, 'pads') ?? [];
    if (old.opType !== 'ConvTranspose' || weight?.dims[2] !== 2 * stride || bias === undefined) return [old];
    const [inputs, outputs] = weight.dims as [number, number];
    const name = old.output[0]!;
    const { op, node: made } = graphBuilder(codec);
    const { ints, floats } = constantsMade;
    const rows = op('Transpose', [lines], `${name} rows`, TURNED);
    const own = op('Pad', [rows, ints('row behind', [0, 0, 0, 0, 1, 0])], `${name} own rows`);
    const before = op('Pad', [rows, ints('row in front', [0, 1, 0, 0, 0, 0])], `${name} rows before`);
    const both = op('Concat', [own, before], `${name} pairs of rows`, { axis: 2 });
    const matrix = floats(`${name} matrix`, [2 * inputs, stride * outputs], matrixOf(weight, stride));
    const product = op('MatMul', [both, matrix], `${name} product`);
    const ofOutputs = floatsOf(bias);
    const biases = Float32Array.from({ length: stride * outputs }, (_, i) => ofOutputs[i % outputs]!);
    const sum = op('Add', [product, floats(`${name} biases`, [biases.length], biases)], `${name} strides`);
    const all = op('Reshape', [sum, ints(`rows of ${outputs}`, [1, -1, outputs])], `${name} all rows`);
    const ends = [cutBefore, -cutBehind, 1].map((at) => ints(`row ${at}`, [at]));
    op('Transpose', [op('Slice', [all, ...ends], `${name} kept rows`)], name, TURNED);
    return made;
  });
  return { ...model, graph: { ...graph, node, initializer: [...graph.initializer, ...constantsMade.initializer] } };
}

/**
 * A kernel [inputs, outputs, taps] as a matrix [2 × inputs, stride × outputs]: the half for a
 * frame itself, then that for the frame before.
 */
function matrixOf(weight: Tensor, stride: number): Float32Array {
  const [inputs, outputs, taps] = weight.dims as [number, number, number];
  const values = floatsOf(weight);
  const matrix = new Float32Array(values.length);
  for (let half = 0; half < 2; half += 1) {
    for (let input = 0; input < inputs; input += 1) {
      const row = (half * inputs + input) * stride * outputs;
      for (let tap = 0; tap < stride; tap += 1) {
        for (let output = 0; output < outputs; output += 1) {
          matrix[row + tap * outputs + output] = values[(input * outputs + output) * taps + half * stride + tap]!;
        }
      }
    }
  }
  return matrix;
}
