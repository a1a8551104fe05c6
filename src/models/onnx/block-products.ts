/**
 * Products by constant weights as `MatMulNBits`: activations in float16, weights in 8 bits with a
 * scale for each block of 32. The runtime's WebGPU provider gives such products to tensor cores
 * where the driver offers them: on an H200 a product of 7,000 rows by 512 × 1,536 takes 0.15 ms
 * instead of 0.54 ms as a float one (measured with the runtime 1.30). Elsewhere it has slower
 * kernels for them, so that a graph of this form has to be measured against the float one.
 */
import { graphBuilder } from './build.js';
import { DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { floatsOf, rawHalves } from './weights.js';

/** Weights of a column that share a scale. */
const BLOCK = 32;
/** The runtime's kernel for tensor cores wants a number of columns that this divides. */
const COLUMNS = 64;
const ZERO_POINT = 128;
const MOST = 127;
/** A weight this near to a step of its column's scale (in steps) was an 8-bit weight before. */
const SAME_STEP = 1e-3;
/** `OperatorSetIdProto`: the domain of the operator, version 1. */
const DOMAIN = 'com.microsoft';
const OPERATOR_SET = Uint8Array.from([0x0a, DOMAIN.length, ...Buffer.from(DOMAIN), 0x10, 1]);

/**
 * Replaces the products whose weight `isChosen`, with what is done between them in float16, also
 * with the tensors `alsoHalf`.
 */
export function blockProducts(
  model: Model,
  codec: OnnxCodec,
  isChosen: (weight: Tensor) => boolean,
  alsoHalf: ReadonlySet<string> = new Set(),
): Model {
  const { graph } = model;
  const rewrite = new BlockRewrite(graph.initializer, codec, isChosen, alsoHalf);
  const made = graph.node.flatMap((old) => rewrite.node(old));
  const node = biasesIntoProducts(made, [...graph.initializer, ...rewrite.initializer]);
  const used = new Set(node.flatMap(({ input }) => input));
  const initializer = [...graph.initializer, ...rewrite.initializer].filter(({ name }) => used.has(name));
  return { ...model, opsetImport: [...model.opsetImport, OPERATOR_SET], graph: { ...graph, node, initializer } };
}

/** Operators behind a product that stay in float16, and those between the blocks of a network. */
const HALVED = ['Add', 'Mul', 'Gelu'];
const BETWEEN_BLOCKS = ['Conv', 'Transpose', 'LayerNormalization', 'Split'];

const halfName = (tensor: string): string => `${tensor}_half`;

class BlockRewrite {
  readonly #codec: OnnxCodec;
  readonly #weights: ReadonlyMap<string, Tensor>;
  readonly #isChosen: (weight: Tensor) => boolean;
  readonly #alsoHalf: ReadonlySet<string>;
  readonly #constants: ReturnType<typeof graphBuilder>;
  readonly #added = new Map<string, Tensor>();
  /** Tensors that are made in float16. */
  readonly #inHalf = new Set<string>();
  /** Tensors that have a copy in the other precision. */
  readonly #cast = new Set<string>();

  constructor(
    weights: readonly Tensor[],
    codec: OnnxCodec,
    isChosen: (weight: Tensor) => boolean,
    alsoHalf: ReadonlySet<string>,
  ) {
    this.#weights = new Map(weights.map((tensor) => [tensor.name, tensor]));
    this.#codec = codec;
    this.#isChosen = isChosen;
    this.#alsoHalf = alsoHalf;
    this.#constants = graphBuilder(codec);
  }

  get initializer(): readonly Tensor[] {
    return [...this.#added.values(), ...this.#constants.initializer];
  }

  node(old: Node): Node[] {
    const weight = old.opType === 'MatMul' ? this.#weights.get(old.input[1]!) : undefined;
    if (weight?.dims.length === 2 && this.#isChosen(weight)) return this.#product(old, weight);
    const before: Node[] = [];
    if (this.#staysHalf(old)) {
      const input = old.input.map((tensor) => (this.#isIntWeight(tensor) ? tensor : this.#toHalf(tensor, before)));
      for (const output of old.output) this.#inHalf.add(output);
      return [...before, { ...old, input, output: old.output.map(halfName) }];
    }
    for (const tensor of old.input) this.#toFloat(tensor, before);
    return [...before, old];
  }

  #product(old: Node, weight: Tensor): Node[] {
    const [rows, columns] = weight.dims as [number, number];
    const [K, N] = [roundUp(rows, BLOCK), roundUp(columns, COLUMNS)];
    const { bytes, scales } = blocksOf(weight, K, N);
    const [packed, factors] = [`${weight.name}_bytes`, `${weight.name}_scales`];
    this.#add(packed, [N, K / BLOCK, BLOCK], DATA_TYPE.uint8, bytes);
    this.#add(factors, [scales.length], DATA_TYPE.float16, rawHalves(scales));
    const nodes: Node[] = [];
    let input = this.#toHalf(old.input[0]!, nodes);
    if (K !== rows) input = this.#padded(input, K - rows, nodes);
    const output = halfName(old.output[0]!);
    const whole = N === columns ? output : `${output}_whole`;
    const attributes = { K, N, bits: 8, block_size: BLOCK };
    nodes.push({ ...this.#codec.node('MatMulNBits', [input, packed, factors], [whole], attributes), domain: DOMAIN });
    if (whole !== output) {
      const [from, to, axis] = [0, columns, -1].map((at) => this.#constants.ints(`block_at_${at}`, [at]));
      nodes.push(this.#codec.node('Slice', [whole, from!, to!, axis!], [output]));
    }
    this.#inHalf.add(old.output[0]!);
    return nodes;
  }

  /** Zeros behind the last column of an activation [n, rows, columns]. */
  #padded(input: string, columns: number, nodes: Node[]): string {
    const pads = this.#constants.ints(`block_pad_${columns}`, [0, 0, 0, 0, 0, columns]);
    const zero = this.#add('block_zero', [], DATA_TYPE.float16, rawHalves(Float32Array.of(0)));
    nodes.push(this.#codec.node('Pad', [input, pads, zero], [`${input}_padded`]));
    return `${input}_padded`;
  }

  /** What is done to a product, with constants alone and with what is wanted in float16 besides. */
  #staysHalf({ opType, input }: Node): boolean {
    const known = (tensor: string) =>
      this.#inHalf.has(tensor) || this.#alsoHalf.has(tensor) || this.#weights.has(tensor);
    const begins = input.some((tensor) => this.#inHalf.has(tensor)) || this.#alsoHalf.has(input[0]!);
    if (!begins || !input.every(known)) return false;
    return HALVED.includes(opType) || (this.#alsoHalf.size > 0 && BETWEEN_BLOCKS.includes(opType));
  }

  #isIntWeight(tensor: string): boolean {
    const type = this.#weights.get(tensor)?.dataType;
    return type !== undefined && type !== DATA_TYPE.float;
  }

  #toHalf(tensor: string, before: Node[]): string {
    const name = halfName(tensor);
    const weight = this.#weights.get(tensor);
    if (weight) this.#add(name, weight.dims, DATA_TYPE.float16, rawHalves(floatsOf(weight)));
    else if (!this.#inHalf.has(tensor)) this.#castOnce(tensor, name, DATA_TYPE.float16, before);
    return name;
  }

  #toFloat(tensor: string, before: Node[]): void {
    if (this.#inHalf.has(tensor)) this.#castOnce(halfName(tensor), tensor, DATA_TYPE.float, before);
  }

  #castOnce(from: string, to: string, type: number, before: Node[]): void {
    if (this.#cast.has(to)) return;
    this.#cast.add(to);
    before.push(this.#codec.node('Cast', [from], [to], { to: type }));
  }

  #add(name: string, dims: readonly number[], dataType: number, rawData: Uint8Array): string {
    if (!this.#added.has(name)) this.#added.set(name, this.#codec.tensor({ name, dims: [...dims], dataType, rawData }));
    return name;
  }
}

/**
 * Sums of a product with a constant, one for each column, as part of the product: an operator less
 * to start.
 */
function biasesIntoProducts(nodes: readonly Node[], weights: readonly Tensor[]): Node[] {
  const constants = new Map(weights.map((tensor) => [tensor.name, tensor]));
  const readers = new Map<string, Node[]>();
  for (const node of nodes) for (const name of node.input) readers.set(name, [...(readers.get(name) ?? []), node]);
  const removed = new Set<Node>();
  const made = nodes.map((node): Node => {
    const [sum, ...others] = node.opType === 'MatMulNBits' ? (readers.get(node.output[0]!) ?? []) : [];
    if (sum?.opType !== 'Add' || others.length > 0) return node;
    const bias = sum.input.find((name) => name !== node.output[0]);
    if (constants.get(bias ?? '')?.dims.length !== 1) return node;
    removed.add(sum);
    return { ...node, input: [...node.input, '', '', bias!], output: sum.output };
  });
  return made.filter((_, i) => !removed.has(nodes[i]!));
}

const roundUp = (size: number, step: number): number => Math.ceil(size / step) * step;

/**
 * The weight [rows, columns] as the operator takes it, column by column, with zeros up to K rows
 * and N columns. Columns that were of 8 bits before keep their bytes; others have a scale for each
 * block.
 */
function blocksOf(weight: Tensor, K: number, N: number): { bytes: Uint8Array; scales: Float32Array } {
  const [rows, columns] = weight.dims as [number, number];
  const values = floatsOf(weight);
  const bytes = new Uint8Array(N * K).fill(ZERO_POINT);
  const scales = new Float32Array((N * K) / BLOCK);
  const column = new Float32Array(K);
  for (let n = 0; n < columns; n += 1) {
    for (let k = 0; k < rows; k += 1) column[k] = values[k * columns + n]!;
    const shared = largest(column) / MOST;
    const isOfBytes = isOfSteps(column, shared);
    for (let block = 0; block < K / BLOCK; block += 1) {
      const part = column.subarray(block * BLOCK, (block + 1) * BLOCK);
      const scale = isOfBytes ? shared : largest(part) / MOST;
      scales[(n * K) / BLOCK + block] = scale;
      if (scale === 0) continue;
      const at = n * K + block * BLOCK;
      for (let k = 0; k < BLOCK; k += 1) bytes[at + k] = ZERO_POINT + Math.round(part[k]! / scale);
    }
  }
  return { bytes, scales };
}

function largest(values: Float32Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i += 1) most = Math.max(most, Math.abs(values[i]!));
  return most;
}

/** Whether every value is a whole number of steps, nearly. */
function isOfSteps(values: Float32Array, step: number): boolean {
  if (step === 0) return false;
  for (let i = 0; i < values.length; i += 1) {
    const steps = values[i]! / step;
    if (Math.abs(steps - Math.round(steps)) > SAME_STEP) return false;
  }
  return true;
}
