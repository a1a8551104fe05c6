/**
 * The adaptive normalisations of Kokoro's generator, spelled out in the published graph, as one
 * operator each. The factors of the activations behind them go into the weights before and after,
 * so that x + sin²(ax)/a is a sine, a product and a sum. All projections of the style are one
 * product.
 */
import { type GraphBuilder, graphBuilder } from '../build.js';
import type { Node, OnnxCodec } from '../schema.js';
import type { Anatomy } from './anatomy.js';

/** The input that carries the style. */
export const STYLE = 's';
/** Most outputs of one operator: WebGPU guarantees eight buffers, one of which is read. */
const SPLIT = 7;

/** A normalisation with its activation, as found before a convolution. */
interface Adaptive {
  readonly input: string;
  readonly epsilon: number;
  /** Of the activation, one a channel. */
  readonly alpha: Float32Array;
  /** Style [1,128] → scale and shift, in this order: [128, 2 channels]. */
  readonly projection: Float32Array;
  readonly bias: Float32Array;
}

/**
 * Walks back from what a convolution reads: y + sin²(alpha y)/alpha, y = (1 + gamma) × normalised +
 * beta.
 */
function adaptiveBefore(tensor: string, { maker, values, isConstant }: Anatomy): Adaptive {
  const constantOf = (node: Node): string => node.input.find(isConstant)!;
  const variableOf = (node: Node): string => node.input.find((name) => !isConstant(name))!;
  const sum = maker(tensor, 'Add');
  const y = sum.input[0]!;
  const square = maker(variableOf(maker(sum.input[1]!, 'Mul')), 'Pow');
  const angle = maker(maker(square.input[0]!, 'Sin').input[0]!, 'Mul');
  const [scaled, shift] = maker(y, 'Add').input as [string, string];
  const [scale, normal] = maker(scaled, 'Mul').input as [string, string];
  const [centred, deviation] = maker(normal, 'Div').input as [string, string];
  const epsilon = values(constantOf(maker(maker(deviation, 'Sqrt').input[0]!, 'Add')))[0]!;
  const split = maker(shift, 'Split');
  if (maker(variableOf(maker(scale, 'Add')), 'Split') !== split) throw new Error(`${y} has two styles`);
  const biased = maker(maker(split.input[0]!, 'Unsqueeze').input[0]!, 'Add');
  const product = maker(variableOf(biased), 'MatMul');
  return {
    input: maker(centred, 'Sub').input[0]!,
    epsilon,
    alpha: values(constantOf(angle)),
    projection: values(constantOf(product)),
    bias: values(constantOf(biased)),
  };
}

/** All projections of the style side by side, so that one product makes them all. */
export function styleTable() {
  const rows = 128;
  const columns: { readonly name: string; readonly weight: Float32Array; readonly bias: Float32Array }[] = [];
  return {
    /** Adds an adaptive normalisation of `channels`; names of its scale and shift. */
    add(name: string, { projection, bias, alpha }: Adaptive): { scale: string; shift: string } {
      const channels = alpha.length;
      for (const [half, part] of ['scale', 'shift'].entries()) {
        const weight = new Float32Array(rows * channels);
        const own = new Float32Array(channels);
        for (let channel = 0; channel < channels; channel += 1) {
          const column = half * channels + channel;
          own[channel] = alpha[channel]! * (bias[column]! + (half === 0 ? 1 : 0));
          for (let row = 0; row < rows; row += 1) {
            weight[row * channels + channel] = alpha[channel]! * projection[row * 2 * channels + column]!;
          }
        }
        columns.push({ name: `${name}_${part}`, weight, bias: own });
      }
      return { scale: `${name}_scale`, shift: `${name}_shift` };
    },
    nodes(codec: OnnxCodec): GraphBuilder {
      const build = graphBuilder(codec);
      const width = columns.reduce((sum, { bias }) => sum + bias.length, 0);
      const weight = new Float32Array(rows * width);
      const bias = new Float32Array(width);
      let from = 0;
      for (const part of columns) {
        const size = part.bias.length;
        bias.set(part.bias, from);
        for (let row = 0; row < rows; row += 1) {
          weight.set(part.weight.subarray(row * size, (row + 1) * size), row * width + from);
        }
        from += size;
      }
      const product = build.op(
        'MatMul',
        [STYLE, build.floats('styles_weight', [rows, width], weight)],
        'styles_product',
      );
      const sum = build.op('Add', [product, build.floats('styles_bias', [width], bias)], 'styles_row');
      const line = build.op('Reshape', [sum, build.ints('one_line', [-1])], 'styles');
      // An operator has seven outputs at most: first into groups, then each into its parts.
      const groups = Array.from({ length: Math.ceil(columns.length / SPLIT) }, (_, i) =>
        columns.slice(i * SPLIT, (i + 1) * SPLIT),
      );
      const sizes = groups.map((group) => group.map(({ bias }) => bias.length));
      const wholes = groups.map((_, i) => `styles_${i}`);
      build.split(
        line,
        wholes,
        sizes.map((group) => group.reduce((sum, size) => sum + size, 0)),
      );
      for (const [i, group] of groups.entries())
        build.split(
          wholes[i]!,
          group.map(({ name }) => name),
          sizes[i]!,
        );
      return build;
    },
  };
}

/** Several normalisations as one over all their channels. */
function joined(parts: readonly Adaptive[]): Adaptive {
  const channels = parts.reduce((sum, { alpha }) => sum + alpha.length, 0);
  const alpha = new Float32Array(channels);
  const bias = new Float32Array(2 * channels);
  const rows = parts[0]!.projection.length / (2 * parts[0]!.alpha.length);
  const projection = new Float32Array(rows * 2 * channels);
  let from = 0;
  for (const part of parts) {
    const own = part.alpha.length;
    alpha.set(part.alpha, from);
    for (const half of [0, 1]) {
      const [to, at] = [half * channels + from, half * own];
      bias.set(part.bias.subarray(at, at + own), to);
      for (let row = 0; row < rows; row += 1) {
        const line = row * 2 * own + at;
        projection.set(part.projection.subarray(line, line + own), row * 2 * channels + to);
      }
    }
    from += own;
  }
  return { ...parts[0]!, alpha, bias, projection };
}

/**
 * Normalisation and activation, once for all convolutions that take the same step, and then those.
 */
export function activated(
  convs: readonly Node[],
  anatomy: Anatomy,
  styles: ReturnType<typeof styleTable>,
  build: GraphBuilder,
  codec: OnnxCodec,
): Node[] {
  const parts = convs.map(({ input }) => adaptiveBefore(input[0]!, anatomy));
  const own = graphBuilder(codec);
  const [name = ''] = convs[0]!.input;
  const input =
    parts.length === 1
      ? parts[0]!.input
      : own.op(
          'Concat',
          parts.map((part) => part.input),
          `${name}_all`,
          { axis: 1 },
        );
  const { scale, shift } = styles.add(name, joined(parts));
  const epsilon = { float: parts[0]!.epsilon };
  const y = own.op('InstanceNormalization', [input, scale, shift], `${name}_y`, { epsilon });
  const sine = own.op('Sin', [y], `${name}_sine`);
  const square = own.op('Mul', [sine, sine], `${name}_square`);
  const active = own.op('Add', [y, square], `${name}_active`);
  const views = convs.map((conv) => (convs.length === 1 ? active : `${conv.input[0]}_active_part`));
  const sizes = parts.map(({ alpha }) => alpha.length);
  const apart = codec.node('Split', [active, build.ints(`channels_${sizes.join('_')}`, sizes)], views, { axis: 1 });
  const made = convs.map((conv, i): Node => {
    const [, weightName = '', ...bias] = conv.input;
    const dims = anatomy.dims(weightName);
    const [, channels = 1, width = 1] = dims;
    const weight = anatomy.values(weightName);
    for (let at = 0; at < weight.length; at += 1) weight[at]! /= parts[i]!.alpha[Math.floor(at / width) % channels]!;
    const scaled = build.floats(`${weightName}_scaled`, dims, weight);
    return { ...conv, input: [views[i]!, scaled, ...bias] };
  });
  return [...own.node, ...(convs.length > 1 ? [apart] : []), ...made];
}
