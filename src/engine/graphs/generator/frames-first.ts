/**
 * Keeps the activations between a graph's products frame by frame, [1, frames, channels], as the
 * products take and make them. The published graph has them channel by channel, and turns them
 * round twice for each convolution. Every number is the same but for the sums over frames.
 */
import { type GraphBuilder, graphBuilder } from '../../../models/onnx/build.js';
import { prune } from '../../../models/onnx/cut.js';
import { intsOfTensor } from '../../../models/onnx/light-gpu.js';
import type { Graph, Model, Node, OnnxCodec, Tensor } from '../../../models/onnx/schema.js';
import { isTurn, TURNED } from '../../../models/onnx/turned.js';

/** The axis of a mean over frames, where frames come first. */
export const FRAMES_AXIS = 'axis of frames';
const ELEMENTWISE = ['Add', 'Mul', 'Sub', 'Div', 'Pow', 'Sqrt', 'Sin', 'LeakyRelu', 'DynamicQuantizeLinear'];
/** What makes rows that the graph turns round. */
const ROW_MAKERS = ['MatMulIntegerToFloat', 'Slice'];
/** What takes rows that the graph has turned round. */
const ROW_TAKERS = ['MatMulIntegerToFloat', 'Pad'];

/** How a node is written for frames that come first. */
type Kind = 'made in rows' | 'elementwise' | 'mean' | 'column' | 'halves' | 'pad';

export function withFramesFirst(model: Model, codec: OnnxCodec): Model {
  return prune({ ...model, graph: new FramesFirst(model.graph, codec).rewritten() });
}

const byFrames = (name: string): string => `${name} by frames`;

class FramesFirst {
  readonly #graph: Graph;
  readonly #codec: OnnxCodec;
  readonly #constants: ReadonlyMap<string, Tensor>;
  readonly #makers: ReadonlyMap<string, Node>;
  readonly #scalars = new Map<string, boolean>();
  /** Nodes that are written for frames that come first. */
  readonly #turned = new Map<Node, Kind>();
  /** Transposes whose output is there already. */
  readonly #passed = new Set<Node>();
  /** Tensors that are turned round for others, and turned ones that are turned back. */
  readonly #forth = new Set<string>();
  readonly #back = new Set<string>();
  readonly #turnedConstants = new Map<string, Tensor>();
  readonly #made: GraphBuilder;
  readonly #nodes: Node[] = [];

  constructor(graph: Graph, codec: OnnxCodec) {
    this.#graph = graph;
    this.#codec = codec;
    this.#constants = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
    this.#makers = new Map(graph.node.flatMap((node) => node.output.map((name) => [name, node] as const)));
    this.#made = graphBuilder(codec);
  }

  rewritten(): Graph {
    this.#choose();
    for (const node of this.#graph.node) {
      const kind = this.#turned.get(node);
      if (kind === 'made in rows' || this.#passed.has(node)) continue;
      // What a node takes is written before it.
      const written =
        kind === undefined
          ? { ...node, input: node.input.map((name) => this.#asWas(name)) }
          : this.#written(node, kind);
      this.#nodes.push(written);
    }
    const initializer = [...this.#graph.initializer, ...this.#turnedConstants.values(), ...this.#made.initializer];
    return { ...this.#graph, node: this.#nodes, initializer };
  }

  /** Nodes between products, and behind them as far as all that they take comes by frames. */
  #choose(): void {
    const takers = new Map<string, Node[]>();
    for (const node of this.#graph.node) {
      for (const name of node.input) takers.set(name, [...(takers.get(name) ?? []), node]);
    }
    for (const node of this.#graph.node) {
      if (!isTurn(node, this.#codec)) continue;
      const taken = takers.get(node.output[0]!) ?? [];
      if (this.#kindOf(node) === 'made in rows') this.#turned.set(node, 'made in rows');
      else if (taken.some(({ opType }) => ROW_TAKERS.includes(opType))) {
        this.#passed.add(node);
        this.#demand(node.input[0]!);
      }
    }
    for (const node of this.#graph.node) {
      const comes = (name: string) => this.#isScalar(name) || this.#constants.has(name) || this.#isTurned(name);
      const isReady = node.input.some((name) => this.#isTurned(name)) && node.input.every(comes);
      if (isReady && this.#kindOf(node) === 'elementwise') this.#turned.set(node, 'elementwise');
    }
  }

  #demand(name: string): void {
    const maker = this.#makers.get(name);
    if (maker === undefined || this.#isScalar(name) || this.#turned.has(maker)) return;
    const kind = this.#kindOf(maker);
    if (kind === undefined) return;
    this.#turned.set(maker, kind);
    if (kind === 'elementwise') for (const input of maker.input) this.#demand(input);
    else if (kind !== 'column' && kind !== 'made in rows') this.#demand(maker.input[0]!);
  }

  #kindOf(node: Node): Kind | undefined {
    const { opType, input } = node;
    const [first = '', second = ''] = input;
    const numbers = (name: string): string => String(intsOfTensor(this.#constants.get(name)!));
    if (isTurn(node, this.#codec)) {
      return ROW_MAKERS.includes(this.#makers.get(first)?.opType ?? '') ? 'made in rows' : undefined;
    }
    if (ELEMENTWISE.includes(opType)) {
      const fits = (name: string) => this.#isScalar(name) || (this.#constants.get(name)?.dims.length ?? 3) === 3;
      return input.every(fits) ? 'elementwise' : undefined;
    }
    if (!this.#constants.has(second)) return undefined;
    if (opType === 'ReduceMean') return numbers(second) === '2' ? 'mean' : undefined;
    if (opType === 'Unsqueeze') return numbers(second) === '2' ? 'column' : undefined;
    if (opType === 'Split') return this.#makers.get(first)?.opType === 'Unsqueeze' ? 'halves' : undefined;
    return opType === 'Pad' && numbers(second).split(',').length === 6 ? 'pad' : undefined;
  }

  /** One number for all channels and frames. */
  #isScalar(name: string): boolean {
    const known = this.#scalars.get(name);
    if (known !== undefined) return known;
    const constant = this.#constants.get(name);
    const maker = this.#makers.get(name);
    const isScalar =
      constant !== undefined
        ? constant.dims.every((size) => size === 1)
        : maker?.opType === 'DynamicQuantizeLinear' && maker.output[0] !== name;
    this.#scalars.set(name, isScalar);
    return isScalar;
  }

  #isTurned(name: string): boolean {
    const maker = this.#makers.get(name);
    return maker !== undefined && this.#turned.has(maker) && !this.#isScalar(name);
  }

  /** The name of a tensor by frames; writes what makes it where nothing has yet. */
  #turn(name: string): string {
    if (this.#isScalar(name)) return name;
    const constant = this.#constants.get(name);
    if (constant !== undefined) {
      const [one, channels, frames] = constant.dims as [number, number, number];
      if (channels > 1 && frames > 1) throw new Error(`the constant ${name} is not one number a channel`);
      const dims = [one, frames, channels];
      this.#turnedConstants.set(name, this.#codec.tensor({ ...constant, name: byFrames(name), dims }));
      return byFrames(name);
    }
    const maker = this.#makers.get(name);
    if (maker !== undefined && this.#turned.get(maker) === 'made in rows') return this.#asWas(maker.input[0]!);
    if (!this.#isTurned(name) && !this.#forth.has(name)) {
      this.#forth.add(name);
      this.#nodes.push(this.#codec.node('Transpose', [this.#asWas(name)], [byFrames(name)], TURNED));
    }
    return byFrames(name);
  }

  /** The name of a tensor as the graph has it; turns it back where it is by frames alone. */
  #asWas(name: string): string {
    const maker = this.#makers.get(name);
    if (maker !== undefined && this.#passed.has(maker)) return this.#turn(maker.input[0]!);
    if (this.#isTurned(name) && !this.#back.has(name)) {
      const turned = this.#turn(name);
      this.#back.add(name);
      this.#nodes.push(this.#codec.node('Transpose', [turned], [name], TURNED));
    }
    return name;
  }

  #written(node: Node, kind: Exclude<Kind, 'made in rows'>): Node {
    const { ints } = this.#made;
    const [first = '', ...others] = node.input;
    const output = node.output.map((name) => (this.#isScalar(name) ? name : byFrames(name)));
    switch (kind) {
      case 'elementwise':
        return { ...node, input: node.input.map((name) => this.#turn(name)), output };
      case 'mean':
        return this.#codec.node('ReduceMean', [this.#turn(first), ints(FRAMES_AXIS, [1])], output);
      case 'column':
        return this.#codec.node('Unsqueeze', [this.#asWas(first), ints(FRAMES_AXIS, [1])], output);
      case 'halves':
        return this.#codec.node('Split', [this.#turn(first), ...others], output, { axis: 2 });
      case 'pad': {
        const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = intsOfTensor(this.#constants.get(others[0]!)!);
        const pads = [a, c, b, d, f, e];
        return { ...node, input: [this.#turn(first), ints(`pads ${pads}`, pads), ...others.slice(1)], output };
      }
    }
  }
}
