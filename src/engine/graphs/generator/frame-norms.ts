/**
 * Writes each norm over an utterance's frames, and the style's factor behind it, with fewer passes
 * over memory: both means are products with a row of ones, which the runtime adds up several at
 * once, and the division by the spread joins the factor.
 */
import { type GraphBuilder, graphBuilder } from '../../../models/onnx/build.js';
import { prune } from '../../../models/onnx/cut.js';
import { DATA_TYPE, type Graph, type Model, type Node, type OnnxCodec } from '../../../models/onnx/schema.js';
import { floatsOf } from '../../../models/onnx/weights.js';
import { FRAMES_AXIS } from './frames-first.js';

/** Centred values ÷ their spread; each of its readers multiplies it by a factor of the style. */
interface Norm {
  readonly centred: string;
  readonly spread: string;
  readonly normed: string;
  readonly factors: readonly Node[];
}

/** For a graph whose frames come first (`frames-first.ts`). */
export function withFrameNorms(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const constants = graphBuilder(codec);
  const instead = new Map<Node, readonly Node[]>();
  for (const mean of graph.node) {
    if (mean.opType === 'ReduceMean' && mean.input[1] === FRAMES_AXIS) {
      instead.set(mean, meanByProduct(mean, constants, codec));
    }
  }
  for (const { centred, spread, normed, factors } of normsOf(graph)) {
    for (const product of factors) {
      const factor = product.input.find((input) => input !== normed)!;
      const { op, node } = graphBuilder(codec);
      op('Mul', [centred, op('Div', [factor, spread], `${factor} over spread of ${normed}`)], product.output[0]!);
      instead.set(product, node);
    }
  }
  for (const square of squaresOf(graph)) {
    const [value = ''] = square.input;
    instead.set(square, [codec.node('Mul', [value, value], square.output)]);
  }
  const node = graph.node.flatMap((each) => instead.get(each) ?? [each]);
  return prune({ ...model, graph: { ...graph, node, initializer: [...graph.initializer, ...constants.initializer] } });
}

/** [1, frames, channels] → [1, 1, channels] */
function meanByProduct({ input, output }: Node, constants: GraphBuilder, codec: OnnxCodec): readonly Node[] {
  const [values = ''] = input;
  const name = output[0]!;
  const { op, node } = graphBuilder(codec);
  const frames = op('Shape', [values], `${name} frames`, { start: 1, end: 2 });
  const size = op('Concat', [constants.ints('one row', [1, 1]), frames], `${name} size`, { axis: 0 });
  const one = constants.floats('one', [1, 1, 1], Float32Array.of(1));
  const sum = op('MatMul', [op('Expand', [one, size], `${name} ones`), values], `${name} sum`);
  op('Div', [sum, op('Cast', [frames], `${name} count`, { to: DATA_TYPE.float })], name);
  return node;
}

function normsOf({ node }: Graph): Norm[] {
  const makers = new Map(node.flatMap((each) => each.output.map((name) => [name, each] as const)));
  return node.flatMap(({ opType, input: [centred = '', spread = ''], output: [normed = ''] }) => {
    const isNorm = makers.get(centred)?.opType === 'Sub' && makers.get(spread)?.opType === 'Sqrt';
    if (opType !== 'Div' || !isNorm) return [];
    const factors = node.filter(({ input }) => input.includes(normed));
    return factors.every((each) => each.opType === 'Mul') ? [{ centred, spread, normed, factors }] : [];
  });
}

function squaresOf({ node, initializer }: Graph): Node[] {
  const constants = new Map(initializer.map((tensor) => [tensor.name, tensor]));
  return node.filter(({ opType, input: [, exponent = ''] }) => {
    const constant = opType === 'Pow' ? constants.get(exponent) : undefined;
    return constant?.dataType === DATA_TYPE.float && floatsOf(constant).every((value) => value === 2);
  });
}
