/**
 * 8-bit convolutions over a line, written as matrix products with signed weights: the frames that a
 * kernel sees are put side by side. The integers, and with them every bit of the result, are the
 * same. x64 processors multiply such matrices several times faster than onnxruntime convolves:
 * their 8-bit instructions take signed weights, and constants are laid out for them once. On arm64
 * `plane.ts` is as fast.
 */
import { type GraphBuilder, graphBuilder } from './build.js';
import { DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { bytesOf } from './weights.js';

/** The end of a slice that takes all. */
const END = 2 ** 31 - 1;

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
    if (!transposed.has(input)) build.op('Transpose', [input], frames, { perm: [0, 2, 1] });
    transposed.add(input);
    const seen = sideBySide(old, weight.dims[2]!, { frames, zero, build, constants, codec });
    const name = signed.asMatrix(weight);
    const operands =
      weight.dataType === DATA_TYPE.uint8 ? signed.operands(name, weightZero, zero) : [name, zero, weightZero];
    const product = build.op('MatMulInteger', [seen, ...operands], `${output}_frames`);
    build.op('Transpose', [product], output, { perm: [0, 2, 1] });
    return [...build.node];
  });

  const used = new Set(node.flatMap(({ input }) => input));
  const initializer = [...graph.initializer, ...signed.made, ...constants.initializer];
  return { ...model, graph: { ...graph, node, initializer: initializer.filter(({ name }) => used.has(name)) } };
}

interface Views {
  readonly frames: string;
  /** The zero point of the input, with which it is padded. */
  readonly zero: string;
  readonly build: GraphBuilder;
  readonly constants: GraphBuilder;
  readonly codec: OnnxCodec;
}

/** For each output of a convolution the frames that its kernel of `taps` sees, side by side. */
function sideBySide(conv: Node, taps: number, { frames, zero, build, constants, codec }: Views): string {
  const [stride = 1] = codec.intsOf(conv, 'strides') ?? [];
  const [dilation = 1] = codec.intsOf(conv, 'dilations') ?? [];
  const [before = 0, after = 0] = codec.intsOf(conv, 'pads') ?? [];
  const output = conv.output[0]!;
  let seen = frames;
  if (before + after > 0) {
    const pads = constants.ints(`pads_${before}_${after}`, [0, before, 0, 0, after, 0]);
    seen = build.op('Pad', [frames, pads, zero], `${output}_padded`);
  }
  if (taps === 1 && stride === 1) return seen;
  const axis = constants.ints('frame_axis', [1]);
  const step = constants.ints(`step_${stride}`, [stride]);
  const views = Array.from({ length: taps }, (_, tap) => {
    const from = constants.ints(`from_${tap * dilation}`, [tap * dilation]);
    const left = (taps - 1 - tap) * dilation;
    const to = constants.ints(`to_${left}`, [left === 0 ? END : -left]);
    return build.op('Slice', [seen, from, to, axis, step], `${output}_view_${tap}`);
  });
  return taps > 1 ? build.op('Concat', views, `${output}_views`, { axis: 2 }) : views[0]!;
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
