/**
 * Kokoro's generator for a GPU: few operators, all of which a GPU has. Adaptive normalisations
 * become one operator each (`whole-gpu-norms.ts`); transposed convolutions and the inverse STFT
 * become plain convolutions (`whole-gpu-layers.ts`). The harmonic source is a graph of its own
 * (`source.ts`).
 */
import { graphBuilder } from '../build.js';
import { cut, type Port } from '../cut.js';
import { planeThroughout } from '../plane.js';
import { DATA_TYPE, type Model, type Node, type OnnxCodec } from '../schema.js';
import { SPECTRUM } from '../source.js';
import { anatomyOf, GENERATOR } from './anatomy.js';
import { BINS, ending, filledUp, POST, spread } from './layers.js';
import { activated, STYLE, styleTable } from './norms.js';

/**
 * The input of the last convolution. From here on all is in float32: its sums are logarithms of
 * magnitudes, and WebGPU adds them up in float16, which makes nearly all of the audible difference
 * (0.98 dB of MCD; all other convolutions together 0.09).
 */
export const LAST = `${GENERATOR}LeakyRelu_2_output_0`;

export function wholeForGpu(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const anatomy = anatomyOf(model);
  const build = graphBuilder(codec);
  const styles = styleTable();
  const body: Node[] = [];
  /** Convolutions of parallel blocks, by the position they have in common. */
  const steps = new Map<string, Node[]>();
  for (const node of graph.node) {
    const name = node.output[0]!;
    const [, block = '', step = ''] =
      /\/(noise_res\.\d|resblocks\.\d)\/(convs[12]\.\d)\/Conv_output_0$/.exec(name) ?? [];
    if (block.startsWith('resblocks')) {
      // Three blocks with kernels of their own read the same input; their outputs are added up.
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

/** Nodes in an order in which each follows those whose outputs it reads. */
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
