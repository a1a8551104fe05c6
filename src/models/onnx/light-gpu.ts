/**
 * The light vocoder for a GPU, made from the 8-bit one that ships: float products, many windows in
 * one run, padded to one length with a mask behind their ends, and only operators that a GPU has.
 *
 * Inputs for `n` windows of `w` frames: `x` [n,512,w], `f0` [n,1,w], `s` [n,128], `mean` and
 * `variance` [n,512], `phase` [n,w], `mask` [n,w,1] (1 for a frame of the window, 0 behind its
 * end), `noise` int32 [n,2w]: rows of the table of noise, which follow from the window's place in
 * the utterance. Output: `waveform` [n,300w].
 */
import { blockProducts } from './block-products.js';
import { type GraphBuilder, graphBuilder } from './build.js';
import { prune } from './cut.js';
import { createCodec, DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { dequantise, floatsOf } from './weights.js';

const FRAMES = 'w';
const BATCH = 'n';
const MODULATION_SHAPE = 'modulation_shape';

export interface Anatomy {
  readonly maker: (tensor: string) => Node | undefined;
  readonly readers: (tensor: string) => readonly Node[];
  readonly weight: (name: string) => Tensor | undefined;
}

export function anatomyOf({ graph }: Model): Anatomy {
  const makers = new Map(graph.node.flatMap((node) => node.output.map((output) => [output, node] as const)));
  const readers = new Map<string, Node[]>();
  for (const node of graph.node)
    for (const input of node.input) readers.set(input, [...(readers.get(input) ?? []), node]);
  const weights = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  return {
    maker: (tensor) => makers.get(tensor),
    readers: (tensor) => readers.get(tensor) ?? [],
    weight: (name) => weights.get(name),
  };
}

export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the light vocoder has not the form expected: no ${what}`);
  return value;
}

/** `shipped` is the 8-bit vocoder's file. */
export function lightGraph(shipped: Uint8Array): Uint8Array {
  const codec = createCodec();
  return codec.encode(forBatches(inFloats(codec.decode(shipped), codec), codec));
}

/**
 * The same with the products of its layers in the form for tensor cores, and all between the first
 * and the last of them in float16; the style's products stay in float32. It takes `x` frame by
 * frame, as `rows` [n,w,512] in float16.
 */
export function lightBlockGraph(shipped: Uint8Array): Uint8Array {
  const codec = createCodec();
  const model = takingRows(forBatches(inFloats(codec.decode(shipped), codec), codec), codec);
  const { node } = model.graph;
  const modulated = node.findIndex(({ input }) => input.includes(MODULATION_SHAPE));
  const ofStyle = new Set(node.slice(0, modulated).flatMap(({ input }) => input));
  const alsoHalf = new Set(['mask', node[modulated]!.output[0]!]);
  return codec.encode(blockProducts(model, codec, ({ name }) => !ofStyle.has(name), alsoHalf));
}

/** The graph turns `x` first of all; it is given turned. */
function takingRows(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const turn = required(
    graph.node.find(({ opType, input }) => opType === 'Transpose' && input[0] === 'x'),
    'order of `x`',
  );
  const inFloat = codec.node('Cast', ['rows'], [turn.output[0]!], { to: DATA_TYPE.float });
  const node = graph.node.map((old) => (old === turn ? inFloat : old));
  const rows = codec.valueInfo('rows', DATA_TYPE.float16, [BATCH, FRAMES, 512]);
  return { ...model, graph: { ...graph, node, input: [rows, ...graph.input.filter(({ name }) => name !== 'x')] } };
}

/**
 * Every 8-bit product as the float product it stands for. Products in two steps, which add the
 * remainder of the first for precision, become one.
 */
export function inFloats(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const { readers, weight } = anatomyOf(model);
  const build = graphBuilder(codec);
  const scaleOf = new Map<string, Tensor>();
  const renamed = new Map<string, string>();
  const now = (name: string): string => {
    const other = renamed.get(name);
    return other === undefined ? name : now(other);
  };
  const zero = build.floats('zero', [], Float32Array.of(0));
  const node = graph.node.flatMap((old): Node[] => {
    const [input = '', second = ''] = old.input;
    const output = old.output[0]!;
    const quantised = scaleOf.get(input);
    if (old.opType === 'QuantizeLinear') {
      scaleOf.set(output, required(weight(second), 'scale'));
      // The remainder of a product in two steps. In floats there is none.
      const maker = graph.node.find((node) => node.output[0] === input);
      const fine = maker?.opType === 'Sub' && maker.input[1]!.startsWith('dequantizelinear');
      renamed.set(output, fine ? 'nothing' : input);
      return [];
    }
    if (old.opType === 'DequantizeLinear' || (old.opType === 'Sub' && second.startsWith('dequantizelinear'))) return [];
    if (quantised && ['Pad', 'Slice', 'Concat'].includes(old.opType)) {
      scaleOf.set(output, quantised);
      if (now(input) === 'nothing') {
        renamed.set(output, 'nothing');
        return [];
      }
      const inputs = old.opType === 'Pad' ? [now(input), second, zero] : old.input.map(now);
      return [{ ...old, input: inputs }];
    }
    if (old.opType === 'MatMulInteger') {
      const cast = required(readers(output)[0], 'cast');
      const scaling = required(readers(cast.output[0]!)[0], 'scale of a product');
      if (now(input) === 'nothing') {
        renamed.set(scaling.output[0]!, 'nothing');
        return [];
      }
      const bytes = required(weight(second), 'weight');
      const factors = floatsOf(required(weight(scaling.input[1]!), 'factors'));
      const step = floatsOf(required(quantised, 'grid'))[0]!;
      const dims = bytes.dims;
      const scale = codec.tensor({ ...SCALE, dims: [factors.length], floatData: [...factors.map((f) => f / step)] });
      const float = build.floats(`${second}_float`, dims, dequantise(bytes, scale, undefined, 'last'));
      return [{ ...old, opType: 'MatMul', input: [now(input), float], output: [scaling.output[0]!] }];
    }
    const before = graph.node.find((node) => node.output[0] === input);
    if (old.opType === 'Cast' && before?.opType === 'MatMulInteger') return [];
    if (old.opType === 'Mul' && before?.opType === 'Cast' && isProduct(before, graph.node)) return [];
    if (old.opType === 'Add' && old.input.some((name) => now(name) === 'nothing')) {
      renamed.set(output, old.input.find((name) => now(name) !== 'nothing')!);
      return [];
    }
    const kept = { ...old, input: old.input.map(now) };
    // The approximation saves time on a CPU; on a GPU the exact form is as fast.
    return [old.opType === 'Gelu' ? { ...kept, attribute: [] } : kept];
  });
  return { ...model, graph: { ...graph, node, initializer: [...graph.initializer, ...build.initializer] } };
}

const SCALE = { name: 'scale', dataType: DATA_TYPE.float, rawData: new Uint8Array(0) };
const isProduct = (cast: Node, nodes: readonly Node[]): boolean =>
  nodes.find((node) => node.output[0] === cast.input[0])?.opType === 'MatMulInteger';

/** The number of windows becomes a dimension, and convolutions see zeros behind a window's end. */
function forBatches(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const { maker, readers, weight } = anatomyOf(model);
  const build = graphBuilder(codec);
  const modulation = modulationOf(graph.node, maker, readers, weight);
  const noise = noiseOf(graph.node, weight);
  const masked = (old: Node): Node[] => {
    const [input = '', ...rest] = old.input;
    const name = `${input}_masked`;
    return [codec.node('Mul', [input, 'mask'], [name]), { ...old, input: [name, ...rest] }];
  };
  const node = graph.node.flatMap((old): Node[] => {
    const output = old.output[0]!;
    if (old === modulation.reshaped) {
      return [{ ...old, input: [old.input[0]!, build.ints(MODULATION_SHAPE, [0, 1, -1])] }];
    }
    if (old === modulation.split) return splitByLayer(modulation, build, codec);
    if (modulation.squeezed.includes(old)) return [];
    if (noise.nodes.has(old)) return [];
    if (old === noise.unsqueezed) {
      const table = build.floats('noise_table', noise.dims, noise.table);
      return [codec.node('Gather', [table, 'noise'], [output], { axis: 0 })];
    }
    // One window becomes as many as there are.
    if (old.opType === 'Reshape') {
      const shape = intsOfTensor(required(weight(old.input[1]!), 'shape'));
      if (shape[0] === 1) {
        const batch = build.ints(`${old.input[1]}_batch`, [0, ...shape.slice(1)]);
        return [{ ...old, input: [old.input[0]!, batch] }];
      }
    }
    if (old.opType === 'Transpose' && readers(output)[0]?.opType === 'Conv') return masked(old);
    if (old.opType === 'Pad' && isFirstLayer(readers(output))) return masked(old);
    if (old.opType === 'MatMul' && readers(output)[0]?.opType === 'Split') return maskedSpectrum(old, build, codec);
    return [old];
  });
  const initializer = [...graph.initializer, ...build.initializer];
  return prune({ ...model, graph: { ...graph, node, initializer, ...batchPorts(codec) } });
}

/** The first layer sees its neighbours by three copies of the padded frames. */
const isFirstLayer = (readers: readonly Node[]): boolean =>
  readers.length === 3 && readers.every((node) => node.opType === 'Slice');

/** Inputs and outputs of the graph for batches. */
function batchPorts(codec: OnnxCodec): Pick<Model['graph'], 'input' | 'output'> {
  const { float, int32 } = DATA_TYPE;
  const port = (name: string, type: number, shape: readonly (number | string)[]) => codec.valueInfo(name, type, shape);
  return {
    input: [
      port('x', float, [BATCH, 512, FRAMES]),
      port('f0', float, [BATCH, 1, FRAMES]),
      port('s', float, [BATCH, 128]),
      port('mean', float, [BATCH, 512]),
      port('variance', float, [BATCH, 512]),
      port('phase', float, [BATCH, FRAMES]),
      port('mask', float, [BATCH, FRAMES, 1]),
      port('noise', int32, [BATCH, 'rows']),
    ],
    output: [port('waveform', float, [BATCH, 'samples'])],
  };
}

/** The style's scales and shifts of all layers: one tensor that is split by layer. */
interface Modulation {
  readonly split: Node;
  readonly reshaped: Node;
  readonly channels: number;
  /** The nodes that read the parts, in their order. */
  readonly squeezed: readonly Node[];
}

function modulationOf(
  nodes: readonly Node[],
  maker: Anatomy['maker'],
  readers: Anatomy['readers'],
  weight: Anatomy['weight'],
): Modulation {
  const split = required(
    nodes.find(({ opType, output }) => opType === 'Split' && output.length > 16),
    'modulation',
  );
  const reshaped = required(maker(split.input[0]!), 'shape of the modulation');
  const channels = intsOfTensor(required(weight(reshaped.input[1]!), 'size of the modulation')).at(-1)!;
  const squeezed = split.output.map((output) => required(readers(output)[0], 'squeeze'));
  return { split, reshaped, channels, squeezed };
}

/** Most outputs of one operator: with its input these are the buffers that any GPU has for it. */
const MOST_OUTPUTS = 7;

/** All parts, in two steps: one operator with so many outputs is more than a shader can write. */
function splitByLayer({ reshaped, channels, squeezed }: Modulation, build: GraphBuilder, codec: OnnxCodec): Node[] {
  const parts = squeezed.map(({ output }) => output[0]!);
  const groups = Array.from({ length: Math.ceil(parts.length / MOST_OUTPUTS) }, (_, i) =>
    parts.slice(i * MOST_OUTPUTS, (i + 1) * MOST_OUTPUTS),
  );
  const split = (tensor: string, outputs: readonly string[], sizes: readonly number[]): Node =>
    codec.node('Split', [tensor, build.ints(`sizes_${sizes.join('_')}`, sizes)], outputs, { axis: 2 });
  const name = (group: number): string => `modulation_${group}`;
  return [
    split(
      reshaped.output[0]!,
      groups.map((_, i) => name(i)),
      groups.map(({ length }) => length * channels),
    ),
    ...groups.map((group, i) =>
      split(
        name(i),
        group,
        group.map(() => channels),
      ),
    ),
  ];
}

/**
 * Masks spectra behind a window's end, which would ring into its last frame. There are two for each
 * frame, so they are masked in pairs.
 */
function maskedSpectrum(product: Node, build: GraphBuilder, codec: OnnxCodec): Node[] {
  const [spectrum = '', ...basis] = product.input;
  const own = graphBuilder(codec);
  const pairs = own.op('Reshape', [spectrum, build.ints('pairs_shape', [0, -1, 2 * BINS_BOTH])], 'spectrum_pairs');
  const kept = own.op('Mul', [pairs, 'mask'], 'spectrum_kept');
  const apart = own.op('Reshape', [kept, build.ints('single_shape', [0, -1, BINS_BOTH])], 'spectrum_masked');
  return [...own.node, { ...product, input: [apart, ...basis] }];
}

/** Real and imaginary parts of a half frame's spectrum. */
const BINS_BOTH = 602;

/** The nodes that look up a window's noise, the node behind them, and the table as floats. */
function noiseOf(nodes: readonly Node[], weight: Anatomy['weight']) {
  const range = required(
    nodes.findIndex(({ opType }) => opType === 'Range'),
    'noise',
  );
  const shape = nodes.findLastIndex(({ opType }, i) => opType === 'Shape' && i < range);
  const end = nodes.findIndex(({ opType }, i) => opType === 'Unsqueeze' && i > range);
  const within = nodes.slice(shape, end);
  const gather = required(
    within.find(({ opType, input }) => opType === 'Gather' && weight(input[0]!)?.dims.length === 2),
    'table of noise',
  );
  const table = required(weight(gather.input[0]!), 'table of noise');
  const gain = required(weight(required(nodes[end - 1], 'gain').input[1]!), 'gain of the noise');
  return {
    nodes: new Set(within),
    unsqueezed: nodes[end],
    dims: table.dims,
    table: dequantise(table, gain, undefined, 'last'),
  };
}

export function intsOfTensor(tensor: Tensor): number[] {
  const view = new DataView(tensor.rawData.buffer, tensor.rawData.byteOffset, tensor.rawData.byteLength);
  return Array.from({ length: view.byteLength / 8 }, (_, i) => Number(view.getBigInt64(i * 8, true)));
}
