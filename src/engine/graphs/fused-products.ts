/**
 * Writes the products of our own graphs as the runtime's MatMulIntegerToFloat: a MatMulInteger, the
 * Cast of its sums and the Mul by the scale of its weights in one pass over memory. The runtime
 * fuses them itself only where inputs are quantised at run time; ours have constant scales.
 * Samples are the same to the bit. A bias stays an Add of its own: fused, it is rounded otherwise.
 */
import { DATA_TYPE, type Graph, type Model, type Node, type OnnxCodec, type Tensor } from '../../models/onnx/schema.js';
import { rawFloats } from '../../models/onnx/weights.js';

const DOMAIN = 'com.microsoft';
/** OperatorSetIdProto: `domain` (field 1) and `version` (field 2). */
const OPERATOR_SET = Buffer.from([0x0a, DOMAIN.length, ...Buffer.from(DOMAIN), 0x10, 1]);
const ONE = 'scale of one';

interface Product {
  readonly product: Node;
  readonly cast: Node;
  readonly scaling: Node;
  readonly scale: Tensor;
}

/** Undefined where the graph has no such product. */
export function withFusedProducts(model: Model, codec: OnnxCodec): Model | undefined {
  const products = productsOf(model.graph);
  if (products.length === 0) return undefined;
  const graph = withFused(model.graph, products, codec);
  return { ...model, graph, opsetImport: [...model.opsetImport, OPERATOR_SET] };
}

function productsOf({ node, initializer }: Graph): Product[] {
  const constants = new Map(initializer.map((tensor) => [tensor.name, tensor]));
  const readers = new Map<string, Node[]>();
  for (const each of node) {
    for (const name of each.input) readers.set(name, [...(readers.get(name) ?? []), each]);
  }
  const onlyReader = (name: string, opType: string) => {
    const all = readers.get(name) ?? [];
    return all.length === 1 && all[0]!.opType === opType ? all[0] : undefined;
  };
  return node.flatMap((product) => {
    const columns = constants.get(product.input[1] ?? '')?.dims.at(-1);
    const cast = product.opType === 'MatMulInteger' ? onlyReader(product.output[0]!, 'Cast') : undefined;
    const scaling = cast && onlyReader(cast.output[0]!, 'Mul');
    const scale = constants.get(scaling?.input.find((name) => name !== cast!.output[0]) ?? '');
    if (cast === undefined || scaling === undefined || scale === undefined) return [];
    const sizes = sizeOf(scale);
    return scale.dataType === DATA_TYPE.float && (sizes === 1 || sizes === columns)
      ? [{ product, cast, scaling, scale }]
      : [];
  });
}

const sizeOf = ({ dims }: Tensor): number => dims.reduce((product, each) => product * each, 1);

function withFused(graph: Graph, products: readonly Product[], codec: OnnxCodec): Graph {
  const initializer = [
    ...graph.initializer,
    codec.tensor({ name: ONE, dims: [], dataType: DATA_TYPE.float, rawData: rawFloats(Float32Array.of(1)) }),
  ];
  const fused = new Map<Node, Node>();
  const gone = new Set<Node>();
  for (const { product, cast, scaling, scale } of products) {
    const name = `${product.output[0]} scale`;
    const size = sizeOf(scale);
    initializer.push({ ...scale, name, dims: size === 1 ? [] : [size] });
    const [a, b, ...zeroPoints] = product.input;
    const node = codec.node('MatMulIntegerToFloat', [a!, b!, ONE, name, ...zeroPoints], scaling.output);
    fused.set(scaling, { ...node, domain: DOMAIN });
    gone.add(product).add(cast);
  }
  return { ...graph, initializer, node: graph.node.filter((each) => !gone.has(each)).map((n) => fused.get(n) ?? n) };
}
