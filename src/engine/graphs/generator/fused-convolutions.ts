/**
 * Writes a convolution's product, the bias that is added to its sums, their Cast and the Mul by
 * both scales as the runtime's MatMulIntegerToFloat. The published graph quantises each bias anew
 * for every input, rounded down to whole sums; here it stays the float it is.
 */
import { prune } from '../../../models/onnx/cut.js';
import type { Graph, Model, Node, OnnxCodec, Tensor } from '../../../models/onnx/schema.js';
import { MICROSOFT, withMicrosoft } from '../fused-products.js';

interface Convolution {
  readonly product: Node;
  /** From rows of channels to lines of frames. */
  readonly turn: Node;
  /** Makes the convolution's output. */
  readonly scaling: Node;
  /** The names of the scales of its input and of its weights, and of its bias. */
  readonly scales: readonly [string, string];
  readonly bias: string;
}

export function withFusedConvolutions(model: Model, codec: OnnxCodec): Model {
  const instead = new Map<Node, readonly Node[]>();
  for (const { product, turn, scaling, scales, bias } of convolutionsOf(model.graph)) {
    const [rows, weight, zeroOfRows = '', zeroOfWeight = ''] = product.input;
    const name = scaling.output[0]!;
    const input = [rows!, weight!, ...scales, zeroOfRows, zeroOfWeight, bias];
    const fused = { ...codec.node('MatMulIntegerToFloat', input, [`${name} rows`]), domain: MICROSOFT };
    instead.set(scaling, [fused, { ...turn, input: [`${name} rows`], output: [name] }]);
  }
  const node = model.graph.node.flatMap((each) => instead.get(each) ?? [each]);
  return prune(withMicrosoft({ ...model, graph: { ...model.graph, node } }));
}

function convolutionsOf({ node, initializer }: Graph): Convolution[] {
  const constants = new Map<string, Tensor>(initializer.map((tensor) => [tensor.name, tensor]));
  const makers = new Map(node.flatMap((each) => each.output.map((name) => [name, each] as const)));
  /** What made one of a node's inputs, where that is an operator of this type. */
  const makerOf = (of: Node | undefined, opType: string): Node | undefined =>
    of?.input.map((name) => makers.get(name)).find((maker) => maker?.opType === opType);
  return node.flatMap((scaling) => {
    const added = makerOf(scaling.opType === 'Mul' ? makerOf(scaling, 'Cast') : undefined, 'Add');
    const turn = makerOf(added, 'Transpose');
    const product = makerOf(turn, 'MatMulInteger');
    const quantised = makerOf(makerOf(makerOf(makerOf(added, 'Reshape'), 'Cast'), 'Floor'), 'Div');
    const bias = quantised?.input[0];
    const scale = makerOf(scaling, 'Mul');
    const ofWeights = scale?.input.find((name) => constants.has(name));
    const ofInput = scale?.input.find((name) => name !== ofWeights);
    if (turn === undefined || product === undefined || !constants.has(bias ?? '')) return [];
    if (ofWeights === undefined || ofInput === undefined) return [];
    return [{ product, turn, scaling, scales: [ofInput, ofWeights] as const, bias: bias! }];
  });
}
