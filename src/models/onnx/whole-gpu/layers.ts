/** Layers of Kokoro's generator written as plain convolutions, which every GPU has. */
import { type GraphBuilder, graphBuilder } from '../build.js';
import type { Node, OnnxCodec } from '../schema.js';
import { type Anatomy, GENERATOR } from './anatomy.js';

/** The last convolution's output: logarithmic magnitudes and phases. */
export const POST = `${GENERATOR}conv_post/Conv_output_0`;
const INVERSE = 'decoder.decoder.generator.stft.istft.stft.inverse_basis';
const GAIN = `${GENERATOR}istft/stft/Constant_19_output_0`;
/** The STFT's bins, hop and size. */
export const BINS = 11;
const HOP = 5;
const SIZE = 20;
/** Channels of the last convolution, filled up to a multiple of four, which a GPU reads at once. */
const CHANNELS = 24;

/**
 * A transposed convolution whose kernel is twice its step, so that every output lies between two
 * inputs. It becomes a convolution over three inputs with `step` outputs for each channel, which
 * are then put one behind the other.
 */
export function spread(node: Node, { values, dims }: Anatomy, build: GraphBuilder, codec: OnnxCodec): Node[] {
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

/** The last convolution, with channels of zeros behind its own. */
export function filledUp(node: Node, { values, dims }: Anatomy, build: GraphBuilder): Node {
  const [input = '', weightName = '', biasName = ''] = node.input;
  const [, ...rest] = dims(weightName);
  const weight = new Float32Array(CHANNELS * rest.reduce((product, size) => product * size, 1));
  weight.set(values(weightName));
  const bias = new Float32Array(CHANNELS);
  bias.set(values(biasName));
  const weights = build.floats(`${weightName}_filled`, [CHANNELS, ...rest], weight);
  return { ...node, input: [input, weights, build.floats(`${biasName}_filled`, [CHANNELS], bias)] };
}

/** Logarithmic magnitudes and phases of 11 bins to samples: the inverse STFT as a convolution. */
export function ending({ values }: Anatomy, codec: OnnxCodec): GraphBuilder {
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
