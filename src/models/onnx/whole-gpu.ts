/**
 * Kokoro's generator as a GPU wants it: few operators, all of which a GPU has. The adaptive normalisations, spelled out in the published
 * graph, become one operator each; the factors of the activations behind them go into the weights before and after, so that
 * x + sin²(ax)/a is a sine, a product and a sum; all projections of the style are one product; transposed convolutions and the inverse
 * STFT are plain convolutions with a reordering behind them. The harmonic source comes from outside (`source.ts`).
 */
import { type GraphBuilder, graphBuilder } from './build.js';
import { cut, type Port } from './cut.js';
import { planeThroughout } from './plane.js';
import { DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';
import { SPECTRUM } from './source.js';
import { floatsOf } from './weights.js';

const GENERATOR = '/decoder/decoder/generator/';
/**
 * What the last convolution reads. From here on all is in float32: its sums are logarithms of magnitudes, and added up in float16, as
 * WebGPU does, that one convolution makes nearly all of the difference that can be heard (0.98 dB of MCD; all others together 0.09).
 */
export const LAST = `${GENERATOR}LeakyRelu_2_output_0`;
/** Logarithmic magnitudes and phases, before they become samples, and nothing in channels that fill up fours, which a GPU takes at once. */
const POST = `${GENERATOR}conv_post/Conv_output_0`;
const INVERSE = 'decoder.decoder.generator.stft.istft.stft.inverse_basis';
const GAIN = `${GENERATOR}istft/stft/Constant_19_output_0`;
const STYLE = 's';
const BINS = 11;
const CHANNELS = 24;
const HOP = 5;
const SIZE = 20;
/** Outputs of one operator that every GPU has room for: WebGPU promises eight buffers, one of which is read. */
const SPLIT = 7;

interface Anatomy {
  readonly maker: (tensor: string, ...opTypes: readonly string[]) => Node;
  readonly values: (tensor: string) => Float32Array;
  readonly dims: (tensor: string) => readonly number[];
  readonly isConstant: (tensor: string) => boolean;
}

function anatomyOf(model: Model): Anatomy {
  const makers = new Map(model.graph.node.flatMap((node) => node.output.map((output) => [output, node] as const)));
  const weights = new Map(model.graph.initializer.map((tensor) => [tensor.name, tensor]));
  const weight = (name: string): Tensor => {
    const found = weights.get(name);
    if (!found) throw new Error(`the graph has no constant ${name}`);
    return found;
  };
  return {
    maker(tensor, ...opTypes) {
      const node = makers.get(tensor);
      if (!node || !opTypes.includes(node.opType)) {
        throw new Error(`${tensor} is not made by ${opTypes.join(' or ')}, but ${node?.opType ?? 'nothing'}`);
      }
      return node;
    },
    values: (name) => floatsOf(weight(name)),
    dims: (name) => weight(name).dims,
    isConstant: (name) => weights.has(name),
  };
}

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

/** Walks back from what a convolution reads: y + sin²(alpha y)/alpha, y = (1 + gamma) × normalised + beta. */
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

export function wholeForGpu(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const anatomy = anatomyOf(model);
  const build = graphBuilder(codec);
  const styles = styleTable();
  const body: Node[] = [];
  /** Convolutions of blocks that stand side by side, by the step they have in common. */
  const steps = new Map<string, Node[]>();
  for (const node of graph.node) {
    const name = node.output[0]!;
    const [, block = '', step = ''] =
      /\/(noise_res\.\d|resblocks\.\d)\/(convs[12]\.\d)\/Conv_output_0$/.exec(name) ?? [];
    if (block.startsWith('resblocks')) {
      // Three blocks with kernels of their own hear the same and are added up.
      const together = `${Math.floor(Number(block.slice(-1)) / 3)} ${step}`;
      steps.set(together, [...(steps.get(together) ?? []), node]);
    } else if (block !== '') body.push(...activated([node], anatomy, styles, build, codec));
    else if (node.opType === 'ConvTranspose' && name.includes('/ups.'))
      body.push(...spread(node, anatomy, build, codec));
    else if (name === POST) body.push(filledUp(node, anatomy, build));
    else if (node.opType === 'Pad')
      body.push({ ...node, input: [node.input[0]!, build.ints('one_before', [0, 0, 0, 1, 0, 0, 0, 0])] });
    else body.push(node);
  }
  for (const convs of steps.values()) body.push(...activated(convs, anatomy, styles, build, codec));
  const end = ending(anatomy, codec);
  const projected = styles.nodes(codec);
  const port = (tensor: string, ...as: Parameters<OnnxCodec['valueInfo']>): Port => ({
    tensor,
    as: codec.valueInfo(...as),
  });
  const all: Model = {
    ...model,
    graph: {
      ...graph,
      node: inOrder([...projected.node, ...body.filter((node) => !node.output.includes('waveform')), ...end.node]),
      initializer: [...graph.initializer, ...build.initializer, ...projected.initializer, ...end.initializer],
    },
  };
  const whole = cut(
    all,
    [
      port('x', 'x', DATA_TYPE.float, [1, 512, 't']),
      port(STYLE, STYLE, DATA_TYPE.float, [1, 128]),
      port(SPECTRUM, 'source', DATA_TYPE.float, [1, 2 * BINS, 'm']),
    ],
    [port('waveform', 'waveform', DATA_TYPE.float, [1, 'samples'])],
  );
  return planeThroughout(whole, ['x', 'source'], codec);
}

/** All projections of the style side by side, so that one product makes them all. */
function styleTable() {
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

/** Normalisation and activation, once for all convolutions that take the same step, and then those. */
function activated(
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

/** Whoever makes a tensor before whoever reads it. */
function inOrder(nodes: readonly Node[]): Node[] {
  const makers = new Map(nodes.flatMap((node) => node.output.map((output) => [output, node] as const)));
  const sorted = new Set<Node>();
  const place = (node: Node): void => {
    if (sorted.has(node)) return;
    for (const input of node.input) {
      const maker = makers.get(input);
      if (maker) place(maker);
    }
    sorted.add(node);
  };
  for (const node of nodes) place(node);
  return [...sorted];
}

/**
 * A transposed convolution whose kernel is twice its step: every output lies between two inputs. So it is a convolution over three
 * inputs with `step` outputs for each channel, which then stand one behind the other.
 */
function spread(node: Node, { values, dims }: Anatomy, build: GraphBuilder, codec: OnnxCodec): Node[] {
  const [input = '', weightName = '', biasName = ''] = node.input;
  const [inputs = 0, outputs = 0, kernel = 0] = dims(weightName);
  const [step = 0] = codec.intsOf(node, 'strides') ?? [];
  const [pad = 0] = codec.intsOf(node, 'pads') ?? [];
  if (kernel !== 2 * step || pad !== step / 2) throw new Error(`${node.name} has not the form expected`);
  const weight = values(weightName);
  const wide = new Float32Array(outputs * step * inputs * 3);
  const bias = values(biasName);
  const wideBias = new Float32Array(outputs * step);
  for (let output = 0; output < outputs; output += 1) {
    for (let phase = 0; phase < step; phase += 1) {
      const row = output * step + phase;
      wideBias[row] = bias[output]!;
      for (let tap = 0; tap < 3; tap += 1) {
        const at = step * (1 - tap) + phase + pad;
        if (at < 0 || at >= kernel) continue;
        for (let i = 0; i < inputs; i += 1) {
          wide[(row * inputs + i) * 3 + tap] = weight[(i * outputs + output) * kernel + at]!;
        }
      }
    }
  }
  const own = graphBuilder(codec);
  const name = node.output[0]!;
  const weights = build.floats(`${weightName}_wide`, [outputs * step, inputs, 3], wide);
  const biases = build.floats(`${biasName}_wide`, [outputs * step], wideBias);
  const conv = own.op('Conv', [input, weights, biases], `${name}_wide`, { kernel_shape: [3], pads: [1, 1] });
  const apart = own.op('Reshape', [conv, build.ints(`${name}_apart_shape`, [1, outputs, step, -1])], `${name}_apart`);
  const turned = own.op('Transpose', [apart], `${name}_turned`, { perm: [0, 1, 3, 2] });
  own.op('Reshape', [turned, build.ints(`${name}_shape`, [1, outputs, 1, -1])], name);
  return [...own.node];
}

/** The last convolution with channels of nothing behind its own. */
function filledUp(node: Node, { values, dims }: Anatomy, build: GraphBuilder): Node {
  const [input = '', weightName = '', biasName = ''] = node.input;
  const [, ...rest] = dims(weightName);
  const weight = new Float32Array(CHANNELS * rest.reduce((product, size) => product * size, 1));
  weight.set(values(weightName));
  const bias = new Float32Array(CHANNELS);
  bias.set(values(biasName));
  const weights = build.floats(`${weightName}_filled`, [CHANNELS, ...rest], weight);
  return { ...node, input: [input, weights, build.floats(`${biasName}_filled`, [CHANNELS], bias)] };
}

/** Logarithmic magnitude and phase of 11 bins to samples. */
function ending({ values }: Anatomy, codec: OnnxCodec): GraphBuilder {
  const build = graphBuilder(codec);
  const magnitude = build.op('Exp', [build.slice(POST, 'log_magnitude', 0, BINS, 1)], 'magnitude');
  const phase = build.op('Sin', [build.slice(POST, 'raw_phase', BINS, 2 * BINS, 1)], 'phase');
  const real = build.op('Mul', [magnitude, build.op('Cos', [phase], 'phase_cosine')], 'real');
  const imaginary = build.op('Mul', [magnitude, build.op('Sin', [phase], 'phase_sine')], 'imaginary');
  const spectrum = build.op('Concat', [real, imaginary], 'spectrum', { axis: 1 });
  const inverse = values(INVERSE);
  const gain = values(GAIN)[0]!;
  const taps = SIZE / HOP;
  const weight = new Float32Array(HOP * 2 * BINS * taps);
  for (let phaseAt = 0; phaseAt < HOP; phaseAt += 1) {
    for (let bin = 0; bin < 2 * BINS; bin += 1) {
      for (let tap = 0; tap < taps; tap += 1) {
        const sample = HOP * (taps - 1 - tap) + phaseAt;
        weight[(phaseAt * 2 * BINS + bin) * taps + tap] = gain * inverse[bin * SIZE + sample]!;
      }
    }
  }
  const kernel = build.floats('inverse_weight', [HOP, 2 * BINS, taps], weight);
  const pads = [taps - 1, taps - 1];
  const samples = build.op('Conv', [spectrum, kernel], 'samples_apart', { kernel_shape: [taps], pads });
  const turned = build.op('Transpose', [samples], 'samples_turned', { perm: [0, 2, 3, 1] });
  const line = build.op('Reshape', [turned, build.ints('one_row', [1, -1])], 'samples_line');
  build.slice(line, 'waveform', SIZE / 2, -SIZE / 2, 1);
  return build;
}
