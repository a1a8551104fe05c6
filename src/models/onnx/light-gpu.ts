/**
 * The light generator as a GPU wants it, made from the 8-bit one that ships: float products, many windows in one run, windows padded
 * to one size with a mask where they have ended, and no operator that leaves the GPU.
 *
 * Inputs, for `n` windows of `w` frames: `x` [n,512,w], `f0` [n,1,w], `s` [n,128], `mean` and `variance` [n,512], `phase` [n,w],
 * `mask` [n,w,1] (1 where the window has a frame, 0 behind its end), `rows` int32 [n,2w]: the rows of the table of noise, which
 * follow from the window's place (`noiseRows`). Output: `waveform` [n,300w].
 */
import { graphBuilder } from './build.js';
import { prune } from './cut.js';
import { createCodec, DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { dequantise, floatsOf } from './weights.js';

const FRAMES = 'w';
const BATCH = 'n';

interface Anatomy {
  readonly maker: (tensor: string) => Node | undefined;
  readonly readers: (tensor: string) => readonly Node[];
  readonly weight: (name: string) => Tensor | undefined;
}

function anatomyOf({ graph }: Model): Anatomy {
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

function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the light generator has not the form expected: no ${what}`);
  return value;
}

/** `shipped` is the 8-bit generator's file. In float16 it is no faster (measured on an H200), so it stays in float32. */
export function lightGraph(shipped: Uint8Array): Uint8Array {
  const codec = createCodec();
  return codec.encode(forBatches(inFloats(codec.decode(shipped), codec), codec));
}

/** Every 8-bit product as the float one it stands for; what was multiplied twice for precision is multiplied once. */
function inFloats(model: Model, codec: OnnxCodec): Model {
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
      // The remainder of a product in two steps: nothing remains in floats.
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
    // Its approximation saves time on a CPU; here the exact one is as quick, and every runtime has it.
    return [old.opType === 'Gelu' ? { ...kept, attribute: [] } : kept];
  });
  return { ...model, graph: { ...graph, node, initializer: [...graph.initializer, ...build.initializer] } };
}

const SCALE = { name: 'scale', dataType: DATA_TYPE.float, rawData: new Uint8Array(0) };
const isProduct = (cast: Node, nodes: readonly Node[]): boolean =>
  nodes.find((node) => node.output[0] === cast.input[0])?.opType === 'MatMulInteger';

/** The number of windows becomes a dimension, and each layer that looks to the side sees nothing behind a window's end. */
function forBatches(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const { maker, readers, weight } = anatomyOf(model);
  const build = graphBuilder(codec);
  const film = required(
    graph.node.find(({ opType, output }) => opType === 'Split' && output.length > 16),
    'modulation',
  );
  const reshaped = required(maker(film.input[0]!), 'shape of the modulation');
  const channels = ints(required(weight(reshaped.input[1]!), 'size of the modulation')).at(-1)!;
  const squeezes = new Map(film.output.map((output, i) => [required(readers(output)[0], 'squeeze'), i] as const));
  const noise = noiseOf(graph.node, weight);
  const masked = (tensor: string): string => `${tensor}_masked`;
  const node = graph.node.flatMap((old): Node[] => {
    const output = old.output[0]!;
    if (old === reshaped) {
      return [{ ...old, input: [old.input[0]!, build.ints('modulation_shape', [0, 1, -1])] }];
    }
    if (old === film) return [];
    const part = squeezes.get(old);
    if (part !== undefined) {
      const own = graphBuilder(codec);
      own.slice(reshaped.output[0]!, output, part * channels, (part + 1) * channels, 2);
      build.ints(`at_${part * channels}`, [part * channels]);
      build.ints(`at_${(part + 1) * channels}`, [(part + 1) * channels]);
      build.ints('at_2', [2]);
      return [...own.node];
    }
    if (noise.nodes.has(old)) return [];
    if (old === noise.unsqueezed) {
      const table = build.floats('noise_table', noise.dims, noise.table);
      return [codec.node('Gather', [table, 'rows'], [output], { axis: 0 })];
    }
    // One window becomes as many as there are.
    if (old.opType === 'Reshape') {
      const shape = ints(required(weight(old.input[1]!), 'shape'));
      if (shape[0] === 1) {
        const batch = build.ints(`${old.input[1]}_batch`, [0, ...shape.slice(1)]);
        return [{ ...old, input: [old.input[0]!, batch] }];
      }
    }
    if (old.opType === 'Transpose' && readers(output)[0]?.opType === 'Conv') {
      const [input = ''] = old.input;
      return [codec.node('Mul', [input, 'mask'], [masked(input)]), { ...old, input: [masked(input)] }];
    }
    // The first layer looks to its neighbours by copies of the padded frames; along frames, not samples or hops.
    if (
      old.opType === 'Pad' &&
      readers(output).length === 3 &&
      readers(output).every((node) => node.opType === 'Slice')
    ) {
      const [input = '', ...rest] = old.input;
      return [codec.node('Mul', [input, 'mask'], [masked(input)]), { ...old, input: [masked(input), ...rest] }];
    }
    if (old.opType === 'MatMul' && readers(output)[0]?.opType === 'Split') return maskedSpectrum(old, build, codec);
    return [old];
  });
  const { float, int32 } = DATA_TYPE;
  const input = (name: string, type: number, shape: readonly (number | string)[]) => codec.valueInfo(name, type, shape);
  return prune({
    ...model,
    graph: {
      ...graph,
      node,
      initializer: [...graph.initializer, ...build.initializer],
      input: [
        input('x', float, [BATCH, 512, FRAMES]),
        input('f0', float, [BATCH, 1, FRAMES]),
        input('s', float, [BATCH, 128]),
        input('mean', float, [BATCH, 512]),
        input('variance', float, [BATCH, 512]),
        input('phase', float, [BATCH, FRAMES]),
        input('mask', float, [BATCH, FRAMES, 1]),
        input('rows', int32, [BATCH, 'rows']),
      ],
      output: [input('waveform', float, [BATCH, 'samples'])],
    },
  });
}

/** Spectra behind the end would ring into the last frame: two to a frame, so the mask meets them side by side. */
function maskedSpectrum(product: Node, build: ReturnType<typeof graphBuilder>, codec: OnnxCodec): Node[] {
  const [spectrum = '', ...basis] = product.input;
  const own = graphBuilder(codec);
  const pairs = own.op('Reshape', [spectrum, build.ints('pairs_shape', [0, -1, 2 * BINS_BOTH])], 'spectrum_pairs');
  const kept = own.op('Mul', [pairs, 'mask'], 'spectrum_kept');
  const apart = own.op('Reshape', [kept, build.ints('single_shape', [0, -1, BINS_BOTH])], 'spectrum_masked');
  return [...own.node, { ...product, input: [apart, ...basis] }];
}

/** Real and imaginary parts of a half frame's spectrum. */
const BINS_BOTH = 602;

/** The nodes that look up the noise of a window, the one they end in, and the table as floats. */
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

function ints(tensor: Tensor): number[] {
  const view = new DataView(tensor.rawData.buffer, tensor.rawData.byteOffset, tensor.rawData.byteLength);
  return Array.from({ length: view.byteLength / 8 }, (_, i) => Number(view.getBigInt64(i * 8, true)));
}
