/**
 * Writes each layer norm of our own graphs as the steps it stands for. The runtime's kernel sums a
 * row one value after the other, its reductions sum several at once: a norm of 384 channels takes a
 * third of the time (Neoverse-N1), and a norm's weight joins the factor that the style gives to it.
 * Sums are made in another order, which differs in the last bits.
 */
import { graphBuilder } from '../../models/onnx/build.js';
import type { Graph, Model, Node, OnnxCodec, Tensor } from '../../models/onnx/schema.js';
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
    tensor !== undefined && floatsOf(tensor).every((value) => value === 0);
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
  const number = (value: number): string => constants.floats(`norm ${value}`, [1], Float32Array.of(value));
  const channelAxis = constants.ints('axis of channels', [-1]);
  for (const { node, product, epsilon, channels } of norms) {
    const [values = '', weight = ''] = node.input;
    const name = node.output[0]!;
    const { op, node: steps } = graphBuilder(codec);
    const mean = op('ReduceMean', [values, channelAxis], `${name} mean`);
    const centred = op('Sub', [values, mean], `${name} centred`);
    const squares = op('ReduceSumSquare', [centred, channelAxis], `${name} squares`);
    const variance = op('Mul', [squares, number(1 / channels)], `${name} variance`);
    const spread = op('Sqrt', [op('Add', [variance, number(epsilon)], `${name} positive`)], `${name} spread`);
    op('Div', [centred, spread], name);
    instead.set(node, steps);
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
