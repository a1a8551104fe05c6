/**
 * Writes an acoustic model so that its melody can be changed before it makes sound of it. The
 * network predicts pitch and energy first, and features from them; a pitch that is changed behind
 * it meets features of the old one, and where those creak the vocoder creaks. Two inputs are added
 * to what was predicted, `pitch_more` (Hz) and `energy_more`, both [1, frames / 2, 2], or [1, 1, 2]
 * of zeros for the melody as it is, which gives the same bits. The output `energy` is as predicted,
 * in the network's own unit.
 */
import { graphBuilder } from '../../models/onnx/build.js';
import { DATA_TYPE, type Graph, type Model, type Node, type OnnxCodec } from '../../models/onnx/schema.js';

/** Name of the dimension that is 1 where nothing is changed. */
export const BENT = 'bent';
/** Kokoro's energy, which its published graph hands to the decoder beside F0. */
const KOKORO_ENERGY = '/decoder/decoder/Unsqueeze_1_output_0';
const PITCH_MORE = 'pitch_more';
const ENERGY_MORE = 'energy_more';
const BENT_PITCH = 'pitch as asked';
const BENT_ENERGY = 'energy as asked';

interface Curves {
  readonly pitch: string;
  readonly energy: string;
  /** Of the light model, whose pitch is log(1 + Hz / unit): the constants of unit and 1. */
  readonly log?: { readonly unit: string; readonly one: string };
}

/** The graph with inputs for its melody; undefined where it is no acoustic model's. */
export function bendable(model: Model, codec: OnnxCodec): Model | undefined {
  const curves = curvesOf(model.graph);
  return curves && { ...model, graph: withInputs(model.graph, curves, codec) };
}

function curvesOf({ node, output }: Graph): Curves | undefined {
  if (!['f0', 'durations'].every((name) => output.some((each) => each.name === name))) return undefined;
  const makers = new Map(node.flatMap((each) => each.output.map((name) => [name, each] as const)));
  if (makers.has(KOKORO_ENERGY)) return { pitch: 'f0', energy: KOKORO_ENERGY };
  const from = (each: Node | undefined): Node | undefined => makers.get(each?.input[0] ?? '');
  // f0 = reshaped((exp(z) - 1) * unit)
  const times = from(makers.get('f0'));
  const minus = from(times);
  const split = from(from(minus));
  if (times?.opType !== 'Mul' || minus?.opType !== 'Sub' || split?.opType !== 'Split') return undefined;
  const [pitch, energy] = split.output as [string, string];
  return { pitch, energy, log: { unit: times.input[1]!, one: minus.input[1]! } };
}

function withInputs(graph: Graph, { pitch, energy, log }: Curves, codec: OnnxCodec): Graph {
  const build = graphBuilder(codec);
  if (log) {
    const hz = build.op('Mul', [build.op('Exp', [pitch], 'pitch over unit'), log.unit], 'pitch and unit');
    const share = build.op('Div', [PITCH_MORE, hz], 'share of pitch');
    const more = build.op('Log', [build.op('Add', [share, log.one], 'times the pitch')], 'logarithm more');
    build.op('Add', [pitch, more], BENT_PITCH);
    build.op('Add', ['energy', ENERGY_MORE], BENT_ENERGY);
  } else {
    const [pairs, row] = [build.ints('shape of pairs', [1, -1, 2]), build.ints('shape of a row', [1, 1, -1])];
    for (const [own, more, bent] of [
      [pitch, PITCH_MORE, BENT_PITCH],
      ['energy', ENERGY_MORE, BENT_ENERGY],
    ] as const) {
      const sum = build.op('Add', [build.op('Reshape', [own, pairs], `${own} in pairs`), more], `${own} and more`);
      build.op('Reshape', [sum, row], bent);
    }
  }
  const renamed = (name: string): string => (name === energy ? 'energy' : name);
  const asked = (name: string): string => (name === pitch ? BENT_PITCH : name === energy ? BENT_ENERGY : name);
  const lastMaker = graph.node.findLastIndex(({ output }) => output.includes(pitch) || output.includes(energy));
  const nodes = graph.node.flatMap((each, at): Node[] => {
    const own = { ...each, input: each.input.map(asked), output: each.output.map(renamed) };
    return at === lastMaker ? [own, ...build.node] : [own];
  });
  const inputs = [PITCH_MORE, ENERGY_MORE].map((name) => codec.valueInfo(name, DATA_TYPE.float, [1, BENT, 2]));
  const shape = log ? [1, 'half frames', 2] : [1, 1, 'frames'];
  return {
    ...graph,
    input: [...graph.input, ...inputs],
    output: [...graph.output, codec.valueInfo('energy', DATA_TYPE.float, shape)],
    initializer: [...graph.initializer, ...build.initializer],
    node: nodes,
  };
}
