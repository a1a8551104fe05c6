/** A builder for graphs: nodes in order, and constants by name. */
import { DATA_TYPE, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { rawFloats } from './weights.js';

type Attributes = Parameters<OnnxCodec['node']>[3];

export interface GraphBuilder {
  readonly node: readonly Node[];
  readonly initializer: readonly Tensor[];
  /** Adds a node and returns the name of its output. */
  op(opType: string, input: readonly string[], output: string, attributes?: Attributes): string;
  floats(name: string, dims: readonly number[], values: Float32Array): string;
  ints(name: string, values: readonly number[]): string;
  /** A number without dimensions. */
  int(name: string, value: number): string;
  /** Elements `from` to `to` along an axis. */
  slice(tensor: string, output: string, from: number, to: number, axis: number): string;
  /** Splits the first axis into parts of these sizes. */
  split(tensor: string, outputs: readonly string[], sizes: readonly number[]): void;
}

export function graphBuilder(codec: OnnxCodec): GraphBuilder {
  const node: Node[] = [];
  const initializer = new Map<string, Tensor>();
  function constant(name: string, dims: readonly number[], dataType: number, rawData: Uint8Array): string {
    if (!initializer.has(name)) initializer.set(name, codec.tensor({ name, dims: [...dims], dataType, rawData }));
    return name;
  }
  const rawInts = (values: readonly number[]): Uint8Array => {
    const raw = new Uint8Array(values.length * 8);
    const view = new DataView(raw.buffer);
    for (const [i, value] of values.entries()) view.setBigInt64(i * 8, BigInt(value), true);
    return raw;
  };
  const ints: GraphBuilder['ints'] = (name, values) =>
    constant(name, [values.length], DATA_TYPE.int64, rawInts(values));
  const op: GraphBuilder['op'] = (opType, input, output, attributes) => {
    node.push(codec.node(opType, input, [output], attributes));
    return output;
  };
  return {
    node,
    get initializer() {
      return [...initializer.values()];
    },
    op,
    floats: (name, dims, values) => constant(name, dims, DATA_TYPE.float, rawFloats(values)),
    ints,
    int: (name, value) => constant(name, [], DATA_TYPE.int64, rawInts([value])),
    slice: (tensor, output, from, to, axis) =>
      op('Slice', [tensor, ints(`at_${from}`, [from]), ints(`at_${to}`, [to]), ints(`at_${axis}`, [axis])], output),
    split(tensor, outputs, sizes) {
      node.push(codec.node('Split', [tensor, ints(`${tensor}_sizes`, sizes)], outputs, { axis: 0 }));
    },
  };
}
