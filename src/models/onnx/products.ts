/**
 * 8-bit convolutions over a line, written as matrix products with signed weights: the frames that a
 * kernel sees are put side by side. The integers, and with them every bit of the result, are the
 * same. x64 processors multiply such matrices several times faster than onnxruntime convolves:
 * their 8-bit instructions take signed weights, and constants are laid out for them once. On arm64
 * `plane.ts` is as fast.
 */
import { type GraphBuilder, graphBuilder } from './build.js';
import { DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { TURNED } from './turned.js';
import { bytesOf } from './weights.js';

export function convolutionsAsProducts(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const weights = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  const signed = new SignedWeights(weights, codec);
  const constants = graphBuilder(codec);
  const transposed = new Set<string>();
  const node = graph.node.flatMap((old): Node[] => {
    const [input = '', weightName = '', zero = '', weightZero = ''] = old.input;
    const weight = weights.get(weightName);
    if (old.opType === 'MatMulInteger' && weight?.dataType === DATA_TYPE.uint8) {
      return [{ ...old, input: [input, ...signed.operands(weightName, weightZero, zero)] }];
    }
    if (old.opType !== 'ConvInteger' || weight?.dims.length !== 3) return [old];

    const build = graphBuilder(codec);
    const output = old.output[0]!;
    const frames = `${input}_frames`;
    if (!transposed.has(input)) build.op('Transpose', [input], frames, TURNED);
    transposed.add(input);
    const [, inputs, taps] = weight.dims as [number, number, number];
    const seen = sideBySide(old, taps, { frames, inputs, zero, build, constants, codec });
    const name = signed.asMatrix(weight);
    const operands =
      weight.dataType === DATA_TYPE.uint8 ? signed.operands(name, weightZero, zero) : [name, zero, weightZero];
    const product = build.op('MatMulInteger', [seen, ...operands], `${output}_frames`);
    build.op('Transpose', [product], output, TURNED);
    return [...build.node];
  });

  const used = new Set(node.flatMap(({ input }) => input));
  const initializer = [...graph.initializer, ...signed.made, ...constants.initializer];
  return { ...model, graph: { ...graph, node, initializer: initializer.filter(({ name }) => used.has(name)) } };
}

interface Views {
  /** [1, frames, `inputs`]. */
  readonly frames: string;
  readonly inputs: number;
  /** The zero point of the input, with which it is padded. */
  readonly zero: string;
  readonly build: GraphBuilder;
  readonly constants: GraphBuilder;
  readonly codec: OnnxCodec;
}

/**
 * For each output of a convolution the frames that its kernel of `taps` sees, side by side. They
 * are gathered by their numbers: onnxruntime copies them so on all of its threads, where a slice
 * for each tap is copied by one thread, and once more when the slices are joined.
 */
function sideBySide(conv: Node, taps: number, { frames, inputs, zero, build, constants, codec }: Views): string {
  const [stride = 1] = codec.intsOf(conv, 'strides') ?? [];
  const [dilation = 1] = codec.intsOf(conv, 'dilations') ?? [];
  const [before = 0, after = 0] = codec.intsOf(conv, 'pads') ?? [];
  const output = conv.output[0]!;
  let padded = frames;
  if (before + after > 0) {
    const pads = constants.ints(`pads_${before}_${after}`, [0, before, 0, 0, after, 0]);
    padded = build.op('Pad', [frames, pads, zero], `${output}_padded`);
  }
  if (taps === 1 && stride === 1) return padded;
  const [none, step, reach] = [0, stride, (taps - 1) * dilation].map((count) =>
    constants.int(`number_${count}`, count),
  );
  const length = build.op('Shape', [padded], `${output}_shape`, { start: 1, end: 2 });
  const count = build.op('Squeeze', [length], `${output}_length`);
  const end = build.op('Sub', [count, reach!], `${output}_end`);
  const first = build.op('Range', [none!, end, step!], `${output}_first`);
  const axis = constants.ints('last_axis', [1]);
  const column = build.op('Unsqueeze', [first, axis], `${output}_column`);
  const offsets = Array.from({ length: taps }, (_, tap) => tap * dilation);
  const seen = build.op('Add', [column, constants.ints(`taps_${taps}_${dilation}`, offsets)], `${output}_seen`);
  const gathered = build.op('Gather', [padded, seen], `${output}_views`, { axis: 1 });
  const row = constants.ints(`row_${taps * inputs}`, [1, -1, taps * inputs]);
  return build.op('Reshape', [gathered, row], `${output}_rows`);
}

/** The weights of the products, each made once. */
class SignedWeights {
  readonly #weights: ReadonlyMap<string, Tensor>;
  readonly #codec: OnnxCodec;
  readonly #made = new Map<string, Tensor>();

  constructor(weights: ReadonlyMap<string, Tensor>, codec: OnnxCodec) {
    this.#weights = weights;
    this.#codec = codec;
  }

  get made(): Tensor[] {
    return [...this.#made.values()];
  }

  /** Weight and zero point less 128 each: the names that a product takes behind its first input. */
  operands(name: string, zeroName: string, inputZero: string): string[] {
    for (const each of [name, zeroName]) {
      if (this.#made.has(`${each}_signed`)) continue;
      const tensor = this.#made.get(each) ?? this.#weights.get(each);
      if (tensor === undefined || tensor.dataType !== DATA_TYPE.uint8) throw new Error(`${each} is not of plain bytes`);
      const rawData = Uint8Array.from(bytesOf(tensor), (value) => (value + 128) & 0xff);
      this.#add({ ...tensor, name: `${each}_signed`, dataType: DATA_TYPE.int8, rawData, int32Data: [] });
    }
    return [`${name}_signed`, inputZero, `${zeroName}_signed`];
  }

  /** A kernel [outputs, inputs, taps] as a matrix [taps × inputs, outputs]; returns its name. */
  asMatrix(weight: Tensor): string {
    const name = `${weight.name}_product`;
    if (this.#made.has(name)) return name;
    const [outputs, inputs, taps] = weight.dims as [number, number, number];
    const rawData = new Uint8Array(outputs * inputs * taps);
    const values = bytesOf(weight);
    for (let row = 0; row < outputs; row += 1) {
      for (let column = 0; column < inputs; column += 1) {
        for (let tap = 0; tap < taps; tap += 1) {
          rawData[(tap * inputs + column) * outputs + row] = values[(row * inputs + column) * taps + tap]!;
        }
      }
    }
    this.#add({ ...weight, name, dims: [taps * inputs, outputs], rawData, int32Data: [] });
    return name;
  }

  #add(tensor: Tensor): void {
    this.#made.set(tensor.name, this.#codec.tensor(tensor));
  }
}
