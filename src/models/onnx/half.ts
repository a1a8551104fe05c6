/** Puts the heavy part of a graph into float16: half the memory, on most GPUs twice the speed. */
import { DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { floatsOf, rawHalves } from './weights.js';

/** Operators that run in float16. Exponents, sines of large angles and shapes do not. */
const HALVED = new Set(['Conv', 'InstanceNormalization', 'MatMul', 'LeakyRelu', 'LayerNormalization', 'Gelu']);
/** Operators that run in float16 where their input is float16. */
const FOLLOWING = new Set([
  'Add',
  'Mul',
  'Sub',
  'Div',
  'Sin',
  'Slice',
  'Split',
  'Reshape',
  'Transpose',
  'Pad',
  'Concat',
  'Unsqueeze',
  'Squeeze',
]);

/** The part between these tensors: nothing before `begins`, if any, and nothing behind `ends`. */
export interface HalfPart {
  readonly begins?: readonly string[];
  readonly ends: readonly string[];
}

export function halved(model: Model, codec: OnnxCodec, { begins = [], ends }: HalfPart): Model {
  const { graph } = model;
  const weights = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  const inHalf = new Set<string>();
  const full = new Set(ends);
  const within = new Set<Node>();
  const behind = new Set<string>();
  for (const node of graph.node) {
    if (node.input.some((name) => full.has(name) || behind.has(name))) {
      for (const output of node.output) behind.add(output);
      continue;
    }
    const begun = node.input.some((name) => begins.includes(name) || inHalf.has(name));
    const takes = HALVED.has(node.opType) ? begins.length === 0 || begun : FOLLOWING.has(node.opType) && begun;
    if (!takes) continue;
    within.add(node);
    for (const output of node.output) inHalf.add(output);
  }

  const added: Tensor[] = [];
  const known = new Set<string>();
  const name = (tensor: string): string => `${tensor}_half`;
  const node = graph.node.flatMap((old): Node[] => {
    if (!within.has(old)) return [old];
    const casts: Node[] = [];
    const input = old.input.map((tensor) => {
      if (tensor === '' || inHalf.has(tensor)) return tensor === '' ? '' : name(tensor);
      const weight = weights.get(tensor);
      if (weight && weight.dataType !== DATA_TYPE.float) return tensor;
      if (!known.has(tensor)) {
        known.add(tensor);
        if (weight) added.push(halfTensor(weight, name(tensor), codec));
        else casts.push(codec.node('Cast', [tensor], [name(tensor)], { to: DATA_TYPE.float16 }));
      }
      return name(tensor);
    });
    return [...casts, { ...old, input, output: old.output.map(name) }];
  });
  // Tensors of the float16 part that float32 operators read are cast back where they are made.
  const outputs = new Set(graph.output.map((info) => info.name));
  const read = new Set(graph.node.filter((old) => !within.has(old)).flatMap(({ input }) => input));
  const back = new Set([...inHalf].filter((tensor) => read.has(tensor) || outputs.has(tensor)));
  const all = node.flatMap((made): Node[] => [
    made,
    ...made.output.flatMap((output) => {
      const tensor = output.replace(/_half$/, '');
      if (!output.endsWith('_half') || !back.has(tensor) || made.opType === 'Cast') return [];
      return [codec.node('Cast', [output], [tensor], { to: DATA_TYPE.float })];
    }),
  ]);
  const used = new Set(all.flatMap(({ input }) => input));
  const initializer = [...graph.initializer, ...added].filter((tensor) => used.has(tensor.name));
  return { ...model, graph: { ...graph, node: all, initializer } };
}

function halfTensor(tensor: Tensor, name: string, codec: OnnxCodec): Tensor {
  return codec.tensor({ name, dims: tensor.dims, dataType: DATA_TYPE.float16, rawData: rawHalves(floatsOf(tensor)) });
}
