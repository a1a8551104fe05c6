/**
 * Writes the products of our own graphs as the runtime's MatMulIntegerToFloat: a MatMulInteger, the
 * Cast of its sums, the Mul by the scale of its weights and the Add of its bias in one pass over
 * memory. The runtime fuses them itself only where inputs are quantised at run time; ours have
 * constant scales. Scale and bias are one instruction, which rounds once instead of twice. A window
 * of the vocoder takes a tenth less (Xeon, one thread).
 */
import { DATA_TYPE, type Graph, type Model, type Node, type OnnxCodec, type Tensor } from '../../models/onnx/schema.js';
import { rawFloats } from '../../models/onnx/weights.js';

export const MICROSOFT = 'com.microsoft';
/** OperatorSetIdProto: `domain` (field 1) and `version` (field 2). */
const OPERATOR_SET = Buffer.from([0x0a, MICROSOFT.length, ...Buffer.from(MICROSOFT), 0x10, 1]);
const ONE = 'scale of one';

interface Product {
  readonly product: Node;
  readonly cast: Node;
  readonly scaling: Node;
  readonly scale: Tensor;
  readonly bias: Bias | undefined;
}

/** A constant that `add` adds to a product, or to `sum`, a sum of two products. */
interface Bias {
  readonly name: string;
  readonly add: Node;
  readonly sum: Node | undefined;
}

/** Undefined where the graph has no such product. */
export function withFusedProducts(model: Model, codec: OnnxCodec): Model | undefined {
  const products = productsOf(model.graph);
  if (products.length === 0) return undefined;
  return withMicrosoft({ ...model, graph: withFused(model.graph, products, codec) });
}

/** A model that may use the runtime's own operators. */
export const withMicrosoft = (model: Model): Model => ({
  ...model,
  opsetImport: [...model.opsetImport, OPERATOR_SET],
});

function productsOf({ node, initializer }: Graph): Product[] {
  const constants = new Map(initializer.map((tensor) => [tensor.name, tensor]));
  const readers = new Map<string, Node[]>();
  for (const each of node) {
    for (const name of each.input) readers.set(name, [...(readers.get(name) ?? []), each]);
  }
  const onlyReader = ({ output: [name = ''] }: Node, opType: string): Node | undefined => {
    const [first, ...others] = readers.get(name) ?? [];
    return first?.opType === opType && others.length === 0 ? first : undefined;
  };
  const otherInput = ({ input }: Node, { output }: Node): string => input.find((name) => name !== output[0]) ?? '';

  function biasOf(scaling: Node, columns: number | undefined): Bias | undefined {
    const biasAt = (of: Node, sum?: Node): Bias | undefined => {
      const add = onlyReader(of, 'Add');
      const name = add === undefined ? '' : otherInput(add, of);
      const dims = constants.get(name)?.dims;
      return add !== undefined && dims?.length === 1 && dims[0] === columns ? { name, add, sum } : undefined;
    };
    const added = onlyReader(scaling, 'Add');
    // Of two products the second takes the bias.
    const isSecond = added?.input[1] === scaling.output[0];
    return biasAt(scaling) ?? (added !== undefined && isSecond ? biasAt(added, added) : undefined);
  }

  return node.flatMap((product) => {
    const columns = constants.get(product.input[1] ?? '')?.dims.at(-1);
    const cast = product.opType === 'MatMulInteger' ? onlyReader(product, 'Cast') : undefined;
    const scaling = cast && onlyReader(cast, 'Mul');
    const scale = scaling && constants.get(otherInput(scaling, cast));
    if (scale === undefined) return [];
    const sizes = sizeOf(scale);
    const isFused = scale.dataType === DATA_TYPE.float && (sizes === 1 || sizes === columns);
    return isFused ? [{ product, cast: cast!, scaling: scaling!, scale, bias: biasOf(scaling!, columns) }] : [];
  });
}

const sizeOf = ({ dims }: Tensor): number => dims.reduce((product, each) => product * each, 1);

function withFused(graph: Graph, products: readonly Product[], codec: OnnxCodec): Graph {
  const initializer = [
    ...graph.initializer,
    codec.tensor({ name: ONE, dims: [], dataType: DATA_TYPE.float, rawData: rawFloats(Float32Array.of(1)) }),
  ];
  const instead = new Map<Node, Node>();
  const gone = new Set<Node>();
  for (const { product, cast, scaling, scale, bias } of products) {
    const name = `${product.output[0]} scale`;
    const size = sizeOf(scale);
    initializer.push({ ...scale, name, dims: size === 1 ? [] : [size] });
    const [a, b, zeroOfA = '', zeroOfB = ''] = product.input;
    const input = [a!, b!, ONE, name, zeroOfA, zeroOfB, ...(bias ? [bias.name] : [])];
    const last = bias === undefined || bias.sum !== undefined ? scaling : bias.add;
    instead.set(scaling, { ...codec.node('MatMulIntegerToFloat', input, last.output), domain: MICROSOFT });
    gone.add(product).add(cast);
    if (bias?.sum !== undefined) instead.set(bias.sum, { ...bias.sum, output: bias.add.output });
    if (bias !== undefined) gone.add(bias.add);
  }
  const node = graph.node.filter((each) => !gone.has(each)).map((each) => instead.get(each) ?? each);
  return { ...graph, initializer, node };
}
