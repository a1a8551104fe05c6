/**
 * Writes the convolutions of our own graphs, which see a few frames of one channel each, as those
 * of a picture one row high. For these the runtime has kernels on x64 that take a block of channels
 * at once, straight from rows of channels: a convolution and the transposes around it take a third
 * of the time. On arm64 it has none (1.30).
 */
import { graphBuilder } from '../../models/onnx/build.js';
import { prune } from '../../models/onnx/cut.js';
import type { Graph, Model, Node, OnnxCodec, Tensor } from '../../models/onnx/schema.js';
import { isTurn } from '../../models/onnx/turned.js';

/** Of rows of channels: to a line of frames for each channel, and back. */
interface Convolution {
  readonly toLines: Node;
  readonly node: Node;
  readonly toRows: Node;
  /** [channels, 1, taps] */
  readonly taps: Tensor;
}

/** Undefined where the graph has no such convolution. */
export function withBlockedConvolutions(model: Model, codec: OnnxCodec): Model | undefined {
  const found = convolutionsOf(model.graph, codec);
  return found.length > 0 ? prune({ ...model, graph: withPictures(model.graph, found, codec) }) : undefined;
}

function convolutionsOf({ node, initializer }: Graph, codec: OnnxCodec): Convolution[] {
  const constants = new Map(initializer.map((tensor) => [tensor.name, tensor]));
  return node.flatMap((each) => {
    const [input = '', weight = ''] = each.input;
    const taps = constants.get(weight);
    if (each.opType !== 'Conv' || taps?.dims.length !== 3 || taps.dims[1] !== 1) return [];
    const toLines = node.find(({ output }) => output[0] === input);
    const [toRows, ...others] = node.filter((reader) => reader.input.includes(each.output[0]!));
    return isTurn(toLines, codec) && isTurn(toRows, codec) && others.length === 0
      ? [{ toLines, node: each, toRows, taps }]
      : [];
  });
}

function withPictures(graph: Graph, found: readonly Convolution[], codec: OnnxCodec): Graph {
  const constants = graphBuilder(codec);
  const kernels: Tensor[] = [];
  const instead = new Map<Node, readonly Node[]>();
  for (const { toLines, node: old, toRows, taps } of found) {
    const { op, node } = graphBuilder(codec);
    const name = old.output[0]!;
    const [channels = 0, , size = 0] = taps.dims;
    const [before = 0, behind = 0] = codec.intsOf(old, 'pads') ?? [];
    const kernel = codec.tensor({ ...taps, name: `${taps.name} of a picture`, dims: [channels, 1, 1, size] });
    kernels.push(kernel);
    const height = constants.ints('axis of height', [1]);
    const picture = op('Unsqueeze', [toLines.input[0]!, height], `${name} picture`);
    const channelsFirst = op('Transpose', [picture], `${name} channels first`, { perm: [0, 3, 1, 2] });
    op('Conv', [channelsFirst, kernel.name, ...old.input.slice(2)], name, {
      group: channels,
      kernel_shape: [1, size],
      pads: [0, before, 0, behind],
    });
    const channelsLast = op('Transpose', [name], `${name} channels last`, { perm: [0, 2, 3, 1] });
    op('Squeeze', [channelsLast, height], toRows.output[0]!);
    instead.set(old, []).set(toRows, node);
  }
  return {
    ...graph,
    initializer: [...graph.initializer, ...kernels, ...constants.initializer],
    node: graph.node.flatMap((each) => instead.get(each) ?? [each]),
  };
}
