/**
 * Writes each layer norm of our own graphs as the steps it stands for. The runtime's kernel sums a
 * row one value after the other; its reductions on arm64, and its products with a column on x64,
 * sum several at once. A norm of 384 channels takes a third of the time (Neoverse-N1), and its
 * weight joins the factor that the style gives to it. Sums are made in another order, which differs
 * in the last bits.
 */
import { type GraphBuilder, graphBuilder } from '../../models/onnx/build.js';
import { DATA_TYPE, type Graph, type Model, type Node, type OnnxCodec, type Tensor } from '../../models/onnx/schema.js';
import { floatsOf } from '../../models/onnx/weights.js';

/** A norm without a shift of its own, and the product with its factor from the style. */
interface Norm {
  readonly node: Node;
  readonly product: Node;
  readonly epsilon: number;
  readonly channels: number;
}

/** Undefined where the graph has no such norm. */
export function withOpenedNorms(model: Model, codec: OnnxCodec): Model | undefined {
  const norms = normsOf(model.graph, codec);
  return norms.length > 0 ? { ...model, graph: withSteps(model.graph, norms, codec) } : undefined;
}

function normsOf({ node, initializer }: Graph, codec: OnnxCodec): Norm[] {
  const constants = new Map(initializer.map((tensor) => [tensor.name, tensor]));
  const isNothing = (tensor: Tensor | undefined) =>
    tensor?.dataType === DATA_TYPE.float && floatsOf(tensor).every((value) => value === 0);
  return node.flatMap((each) => {
    if (each.opType !== 'LayerNormalization') return [];
    const [, weight = '', shift = ''] = each.input;
    const channels = constants.get(weight)?.dims.at(-1);
    const epsilon = codec.floatOf(each, 'epsilon');
    const readers = node.filter(({ input }) => input.includes(each.output[0]!));
    const [product] = readers;
    const isOurs = readers.length === 1 && product!.opType === 'Mul' && isNothing(constants.get(shift));
    return isOurs && channels !== undefined && epsilon !== undefined
      ? [{ node: each, product: product!, epsilon, channels }]
      : [];
  });
}

function withSteps(graph: Graph, norms: readonly Norm[], codec: OnnxCodec): Graph {
  const instead = new Map<Node, readonly Node[]>();
  const constants = graphBuilder(codec);
  for (const { node, product, epsilon, channels } of norms) {
    const [values = '', weight = ''] = node.input;
    const name = node.output[0]!;
    const build = graphBuilder(codec);
    const { op } = build;
    const mean = meanOf(build, constants, values, channels, `${name} mean`);
    const centred = op('Sub', [values, mean], `${name} centred`);
    const variance = varianceOf(build, constants, centred, channels, name);
    const least = constants.floats(`norm ${epsilon}`, [1], Float32Array.of(epsilon));
    const spread = op('Sqrt', [op('Add', [variance, least], `${name} positive`)], `${name} spread`);
    op('Div', [centred, spread], name);
    instead.set(node, build.node);
    const factor = product.input.find((input) => input !== name)!;
    instead.set(product, [
      codec.node('Mul', [factor, weight], [`${name} factor`]),
      codec.node('Mul', [name, `${name} factor`], product.output),
    ]);
  }
  return {
    ...graph,
    initializer: [...graph.initializer, ...constants.initializer],
    node: graph.node.flatMap((each) => instead.get(each) ?? [each]),
  };
}

const byProducts = process.arch === 'x64';

/** A column whose product with a row is the mean of the row. */
const meanColumn = ({ floats }: GraphBuilder, channels: number): string =>
  floats(`mean of ${channels}`, [channels, 1], new Float32Array(channels).fill(1 / channels));

function meanOf({ op }: GraphBuilder, constants: GraphBuilder, values: string, channels: number, to: string): string {
  if (byProducts) return op('MatMul', [values, meanColumn(constants, channels)], to);
  return op('ReduceMean', [values, constants.ints('axis of channels', [-1])], to);
}

/** Of rows whose mean is 0. */
function varianceOf(
  { op }: GraphBuilder,
  constants: GraphBuilder,
  centred: string,
  channels: number,
  name: string,
): string {
  if (byProducts) {
    const squares = op('Mul', [centred, centred], `${name} squares`);
    return op('MatMul', [squares, meanColumn(constants, channels)], `${name} variance`);
  }
  const sum = op('ReduceSumSquare', [centred, constants.ints('axis of channels', [-1])], `${name} squares`);
  const part = constants.floats(`norm ${1 / channels}`, [1], Float32Array.of(1 / channels));
  return op('Mul', [sum, part], `${name} variance`);
}
