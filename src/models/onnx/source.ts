/**
 * Kokoro's harmonic source as a graph of its own: pitch in, magnitudes and phases of a 20-point
 * STFT out. It is little work and belongs on a CPU: sines of large angles, a running sum, and
 * phases of bins that hold rounding errors only, which the network reads nevertheless.
 * onnxruntime's STFT takes as long as the whole front, so it is written as a convolution, with
 * onnxruntime's rounding in its weights (`voices/training/rounding.py` says why).
 */
import { graphBuilder } from './build.js';
import { prune } from './cut.js';
import type { Model, OnnxCodec } from './schema.js';
import { stftRounding } from './stft-rounding.js';
import { TURNED } from './turned.js';

const GENERATOR = '/decoder/decoder/generator/';
/** Magnitudes and phases, 11 bins each: [1, 22, 60 t + 1]. */
export const SPECTRUM = `${GENERATOR}Concat_3_output_0`;

const SIZE = 20;
const HOP = 5;
const BINS = 11;

/** onnxruntime's STFT of a frame without voice, a constant: real and imaginary parts. */
const UNVOICED = [
  [
    -2.9441744e-1, 1.4720874e-1, -1.7467473e-8, -2.6449472e-8, 5.625164e-8, -4.6159865e-8, 7.5873956e-8, -6.6097215e-8,
    6.9256383e-9, -7.2829899e-8, 8.2213436e-9,
  ],
  [
    1.3317913e-7, -1.5330717e-7, 1.4777371e-8, -4.732831e-8, 3.943023e-8, -6.2952729e-8, 1.0392342e-8, 2.5384965e-8,
    -7.9543891e-9, 4.3032482e-8, -1.227228e-7,
  ],
] as const;

/**
 * Weights [23, 2, 20] over (signal, voiced): real parts, imaginary parts, count of voiced samples.
 */
function transform(): Float32Array {
  const rounding = stftRounding();
  const weight = new Float32Array((2 * BINS + 1) * 2 * SIZE);
  const at = (channel: number, input: number, sample: number) => (channel * 2 + input) * SIZE + sample;
  for (let sample = 0; sample < SIZE; sample += 1) {
    const window = Math.fround(0.5 - 0.5 * Math.cos((2 * Math.PI * sample) / SIZE));
    for (let bin = 0; bin < BINS; bin += 1) {
      const turns = ((sample * bin) % SIZE) / SIZE;
      const [real, imaginary] = EXACT.get(turns) ?? [Math.cos(2 * Math.PI * turns), -Math.sin(2 * Math.PI * turns)];
      const rounded = (sample * BINS + bin) * 2;
      weight[at(bin, 0, sample)] = window * (real + rounding[rounded]!);
      weight[at(BINS + bin, 0, sample)] = window * (imaginary + rounding[rounded + 1]!);
    }
    weight[at(2 * BINS, 1, sample)] = 1;
  }
  return weight;
}

/** Turns at which sine or cosine are exactly 0: only the rounding is added to them. */
const EXACT = new Map([
  [0, [1, 0]],
  [0.25, [0, -1]],
  [0.5, [-1, 0]],
  [0.75, [0, 1]],
] as const) as ReadonlyMap<number, readonly [number, number]>;

/** `model` is the source as cut from the published graph, with its STFT. */
export function convolvedSource(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const stft = graph.node.find(({ opType }) => opType === 'STFT');
  const pad = graph.node.find(({ opType }) => opType === 'Pad');
  const parts = ['Gather_4_output_0', 'Gather_5_output_0'].map((name) => `${GENERATOR}${name}`);
  const voiced = `${GENERATOR}m_source/l_sin_gen/Cast_output_0`;
  const made = new Set(graph.node.flatMap(({ output }) => output));
  if (!stft || !pad || ![...parts, voiced].every((name) => made.has(name))) {
    throw new Error('the harmonic source has not the form expected');
  }
  const build = graphBuilder(codec);
  const both = build.op('Transpose', [voiced], 'voiced_line', TURNED);
  build.op('Concat', [pad.input[0]!, both], 'signal_and_voiced', { axis: 1 });
  const padded = { ...pad, input: ['signal_and_voiced', ...pad.input.slice(1)], output: ['padded_both'] };
  const rest = graphBuilder(codec);
  const weight = rest.floats('stft_weight', [2 * BINS + 1, 2, SIZE], transform());
  const bins = rest.op('Conv', ['padded_both', weight], 'stft_bins', { strides: [HOP], kernel_shape: [SIZE] });
  const count = rest.slice(bins, 'voiced_count', 2 * BINS, 2 * BINS + 1, 1);
  const silent = rest.op('Less', [count, rest.floats('half_a_sample', [1], Float32Array.of(0.5))], 'is_unvoiced');
  for (const [i, name] of parts.entries()) {
    const part = rest.slice(bins, `stft_part_${i}`, i * BINS, (i + 1) * BINS, 1);
    const constant = rest.floats(`unvoiced_${i}`, [1, BINS, 1], Float32Array.from(UNVOICED[i]!));
    rest.op('Where', [silent, constant, part], name);
  }
  // The published graph spreads the pitch to samples and gathers it to frames again before it is
  // summed up. Here it stays in frames.
  const gathered = graph.node.filter(({ opType }) => opType === 'Resize')[1]!;
  const stay = new Map([
    [`${GENERATOR}f0_upsamp/Resize_output_0`, 'f0'],
    [gathered.output[0]!, gathered.input[0]!],
  ]);
  const added = [...build.node, padded, ...rest.node];
  const node = graph.node.flatMap((old) => {
    if (old === stft) return added;
    if (old.output.some((name) => parts.includes(name))) return [];
    if (old.opType !== 'Mul' && old.opType !== 'Transpose') return [old];
    const spreads = old.opType === 'Transpose' && old.output[0] === `${GENERATOR}Transpose_output_0`;
    return [spreads ? old : { ...old, input: old.input.map((name) => stay.get(name) ?? name) }];
  });
  return prune({ ...model, graph: { ...graph, node, initializer: [...graph.initializer, ...rest.initializer] } });
}
