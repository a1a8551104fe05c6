/**
 * Folds dynamic quantisation back to floats: each 8-bit operator and the nodes around it that scale
 * become one float operator. Integer operators run on CPUs only, and are not faster on every CPU.
 */
import { prune } from './cut.js';
import { DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { dequantise, floatsOf, rawFloats, type ScaleAxis } from './weights.js';

interface Folding {
  readonly makers: ReadonlyMap<string, Node>;
  readonly readers: ReadonlyMap<string, readonly Node[]>;
  readonly weights: ReadonlyMap<string, Tensor>;
  /** Adds a float tensor under `name`, once. */
  float(name: string, dims: readonly number[], make: () => Float32Array): string;
}

/** A float operator in place of an 8-bit one, and the node whose output it takes over. */
interface Twin {
  readonly node: Node;
  readonly replaces: Node;
}

export function fold(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const makers = new Map<string, Node>();
  const readers = new Map<string, Node[]>();
  for (const node of graph.node) {
    for (const output of node.output) makers.set(output, node);
    for (const input of node.input) {
      const known = readers.get(input);
      if (known) known.push(node);
      else readers.set(input, [node]);
    }
  }
  const added = new Map<string, Tensor>();
  const folding: Folding = {
    makers,
    readers,
    weights: new Map(graph.initializer.map((tensor) => [tensor.name, tensor])),
    float(name, dims, make) {
      if (!added.has(name)) {
        added.set(name, codec.tensor({ name, dims: [...dims], dataType: DATA_TYPE.float, rawData: rawFloats(make()) }));
      }
      return name;
    },
  };

  const twins = new Map<Node, Node>();
  const replaced = new Set<Node>();
  for (const node of graph.node) {
    const twin = twinOf(node, folding);
    if (!twin) continue;
    twins.set(node, twin.node);
    if (twin.replaces !== node) replaced.add(twin.replaces);
  }
  const node = graph.node.filter((old) => !replaced.has(old)).map((old) => twins.get(old) ?? old);
  return prune({ ...model, graph: { ...graph, node, initializer: [...graph.initializer, ...added.values()] } });
}

function twinOf(node: Node, folding: Folding): Twin | undefined {
  if (node.opType === 'ConvInteger') return floatProduct(node, 'Conv', 'first', folding);
  if (node.opType === 'MatMulInteger') return floatProduct(node, 'MatMul', 'last', folding);
  return undefined;
}

const required = <T>(value: T | undefined, node: Node, what: string): T => {
  if (value === undefined) throw new Error(`${node.opType} ${node.name} has not the form expected: no ${what}`);
  return value;
};

function onlyReader(output: string, opType: string, folding: Folding, node: Node): Node {
  const found = folding.readers.get(output);
  const only = found?.length === 1 && found[0]!.opType === opType ? found[0] : undefined;
  return required(only, node, `single ${opType} after it`);
}

/**
 * Cast(integer product [+ bias]) × (scale of x × scale of w)  →  float product of x and the float
 * weight [, bias].
 */
function floatProduct(node: Node, opType: string, axis: ScaleAxis, folding: Folding): Twin {
  const [quantised = '', weightName = '', , zeroName = ''] = node.input;
  const quantiser = folding.makers.get(quantised);
  const x = required(quantiser?.opType === 'DynamicQuantizeLinear' ? quantiser.input[0] : undefined, node, 'quantiser');
  const weight = required(folding.weights.get(weightName), node, 'constant weight');

  let last = node.output[0]!;
  let bias: string | undefined;
  if (folding.readers.get(last)?.[0]?.opType === 'Add') {
    const sum = onlyReader(last, 'Add', folding, node);
    const addend = sum.input.find((input) => input !== last);
    bias = biasBehind(required(addend, node, 'bias'), folding, node);
    last = sum.output[0]!;
  }
  const cast = onlyReader(last, 'Cast', folding, node);
  const scaling = onlyReader(cast.output[0]!, 'Mul', folding, node);
  const factor = scaling.input.find((input) => input !== cast.output[0]);
  const scaleName = folding.makers.get(factor ?? '')?.input.find((input) => folding.weights.has(input));
  const scale = required(folding.weights.get(scaleName ?? ''), node, 'scale of its weight');

  const float = folding.float(`${weightName}_float`, weight.dims, () =>
    dequantise(weight, scale, folding.weights.get(zeroName), axis),
  );
  const input = bias === undefined ? [x, float] : [x, float, bias];
  return { node: { ...node, opType, input, output: scaling.output }, replaces: scaling };
}

/** Reshape(Cast(Floor(bias ÷ scale)))  →  the bias itself, as one row. */
function biasBehind(name: string, folding: Folding, node: Node): string {
  let source = name;
  for (const opType of ['Reshape', 'Cast', 'Floor', 'Div']) {
    const maker = folding.makers.get(source);
    source = required(maker?.opType === opType ? maker.input[0] : undefined, node, `${opType} before its bias`);
  }
  const bias = required(folding.weights.get(source), node, 'constant bias');
  const values = floatsOf(bias);
  return bias.dims.length === 1 ? source : folding.float(`${source}_row`, [values.length], () => values);
}
