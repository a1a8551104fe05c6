/**
 * Cuts an acoustic model in two where its melody is known, so that the second part can be told
 * another one and nothing is computed twice. A pitch that is changed behind the whole model meets
 * features of the old pitch, and where those creak the vocoder creaks.
 *
 * `melody` has the inputs of the whole. It makes `durations`, `exact` (the same before they are
 * rounded to whole steps), `f0` (Hz), `energy` (in the network's own unit), `s`, and what the
 * second part takes beside them. `features` takes that, with `f0` and `energy` as they are asked
 * for, both [1,t,2] (t steps of 600 samples), and makes `x`. Told the melody as it was made, it
 * gives the bits of the whole.
 *
 * `rows` is `features` for a vocoder on a GPU: `x` frame by frame in float16, as `rows` [1,2t,512],
 * with the `mean` and `variance` of its channels, [1,512] both.
 */
import { type GraphBuilder, graphBuilder } from './build.js';
import { cut, type Port } from './cut.js';
import { anatomyOf, intsOfTensor, required } from './light-gpu.js';
import { DATA_TYPE, type Model, type Node, type OnnxCodec } from './schema.js';

export type AcousticPart = 'melody' | 'features' | 'rows';

/** Kokoro's energy, which its published graph hands to the decoder beside F0, and its text. */
const KOKORO_ENERGY = '/decoder/decoder/Unsqueeze_1_output_0';
const KOKORO_SPREAD = '/encoder/MatMul_1_output_0';
const STEPS = 't';
/** Channels of `x`. */
const CHANNELS = 512;
/** Values of a curve in a step. */
const PAIR = 2;
/** Pitch, frequency and energy. */
const CURVES = 3;
/** Steps whose curves a step of features is made from: its own and its neighbours. */
const NEIGHBOURS = 3;

/** Where a model is cut. */
interface Place {
  /** The network's own tensors of its melody. */
  readonly pitch: string;
  readonly energy: string;
  /** What else crosses, apart from `f0` and `energy`. */
  readonly crossing: readonly Port[];
  /** Writes the curves that the network reads: its `pitch` and `energy` as asked for. */
  readonly asked: (build: GraphBuilder) => { readonly pitch: string; readonly energy: string };
}

/** `batch` is the first dimension of all that `features` takes. */
export function acousticPart(model: Model, part: AcousticPart, codec: OnnxCodec, batch: number | string = 1): Model {
  const { graph } = model;
  const place = anatomyOf(model).maker(KOKORO_ENERGY) ? kokoroPlace(codec) : lightPlace(model, codec, batch);
  const info = (name: string, shape: readonly (number | string)[]) => codec.valueInfo(name, DATA_TYPE.float, shape);
  if (part === 'melody') {
    const same = (each: { name: string; type: Uint8Array }): Port => ({ tensor: each.name, as: each });
    const known = graph.output.filter(({ name }) => name !== 'x').map(same);
    const added = place.crossing.filter(({ tensor }) => !known.some((each) => each.tensor === tensor));
    const energy = { tensor: place.energy, as: info('energy', [1, 'rows', 'values']) };
    const exact = { tensor: exactDurations(model), as: info('exact', [1, 'n']) };
    return cut(model, graph.input.map(same), [...known, exact, energy, ...added]);
  }
  const build = graphBuilder(codec);
  const asked = place.asked(build);
  const renamed = (name: string): string =>
    name === place.pitch ? asked.pitch : name === place.energy ? asked.energy : name;
  const told = ['f0', 'energy'].map((name) => ({ tensor: name, as: info(name, [batch, STEPS, PAIR]) }));
  const whole: Model = {
    ...model,
    graph: {
      ...graph,
      initializer: [...graph.initializer, ...build.initializer],
      node: [...build.node, ...graph.node.map((each) => ({ ...each, input: each.input.map(renamed) }))],
    },
  };
  const given = [...place.crossing, ...told];
  if (part === 'rows') return cut(...withRows(whole, given, codec));
  const made = graph.output.filter(({ name }) => name === 'x').map((each) => ({ tensor: each.name, as: each }));
  return cut(whole, given, made);
}

/** Where `x` comes from lies frame by frame. */
function withRows(model: Model, given: readonly Port[], codec: OnnxCodec): Parameters<typeof cut> {
  const { graph } = model;
  const build = graphBuilder(codec);
  const byFrame = required(anatomyOf(model).maker('x'), 'order of `x`').input[0]!;
  const overFrames = build.ints('axis of frames', [1]);
  const mean = build.op('ReduceMean', [byFrame, overFrames], 'mean of rows');
  const apart = build.op('Sub', [byFrame, mean], 'rows apart');
  const squares = build.op('Mul', [apart, apart], 'squares of rows');
  const variance = build.op('ReduceMean', [squares, overFrames], 'variance of rows');
  const shape = build.ints('shape of statistics', [1, CHANNELS]);
  build.op('Cast', [byFrame], 'rows', { to: DATA_TYPE.float16 });
  build.op('Reshape', [mean, shape], 'mean');
  build.op('Reshape', [variance, shape], 'variance');
  const port = (name: string, type: number, dims: readonly (number | string)[]): Port => ({
    tensor: name,
    as: codec.valueInfo(name, type, dims),
  });
  const made = [
    port('rows', DATA_TYPE.float16, [1, 'frames', CHANNELS]),
    port('mean', DATA_TYPE.float, [1, CHANNELS]),
    port('variance', DATA_TYPE.float, [1, CHANNELS]),
  ];
  const initializer = [...graph.initializer, ...build.initializer];
  return [{ ...model, graph: { ...graph, initializer, node: [...graph.node, ...build.node] } }, given, made];
}

/** Durations are rounded, and one step at least. */
function exactDurations(model: Model): string {
  const { maker } = anatomyOf(model);
  const rounded = maker(maker('durations')?.input[0] ?? '');
  return required(rounded?.opType === 'Round' ? rounded.input[0] : undefined, 'rounded durations');
}

/** Kokoro's decoder reads F0 itself. */
function kokoroPlace(codec: OnnxCodec): Place {
  const port = (tensor: string, name: string, shape: readonly (number | string)[]): Port => ({
    tensor,
    as: codec.valueInfo(name, DATA_TYPE.float, shape),
  });
  return {
    pitch: 'f0',
    energy: KOKORO_ENERGY,
    crossing: [port(KOKORO_SPREAD, 'spread', [1, 512, STEPS]), port('s', 's', [1, 128])],
    asked(build) {
      const row = build.ints('shape of a row', [1, 1, -1]);
      return {
        pitch: build.op('Reshape', ['f0', row], 'f0 in a row'),
        energy: build.op('Reshape', ['energy', row], 'energy in a row'),
      };
    },
  };
}

/** The light model reads the logarithm of its pitch, log(1 + Hz / unit). */
function lightPlace(model: Model, codec: OnnxCodec, batch: number | string): Place {
  const { maker, readers, weight } = anatomyOf(model);
  const from = (each: Node | undefined): Node | undefined => maker(each?.input[0] ?? '');
  const reader = (tensor: string, opType: string): Node =>
    required(
      readers(tensor).find((each) => each.opType === opType),
      `${opType} of the melody`,
    );
  // f0 = reshaped((exp(pitch) - 1) * unit)
  const times = required(from(maker('f0')), 'frequency');
  const minus = required(from(times), 'frequency');
  const [pitch, energy] = required(from(from(minus)), 'curves').output as [string, string];
  const [unit, one] = [times.input[1]!, minus.input[1]!];
  const padded = reader(reader(energy, 'Concat').output[0]!, 'Pad').output[0]!;
  const joined = reader(reader(padded, 'Slice').output[0]!, 'Concat');
  const product = reader(joined.output[0]!, 'MatMul');
  const [rows, channels] = required(weight(product.input[1]!), 'weights of the melody').dims as [number, number];
  const summed = reader(product.output[0]!, 'Add').output[0]!;
  const spread = required(
    reader(summed, 'Add').input.find((each) => each !== summed),
    'text',
  );
  const { split, sizes } = modulationOf(model);
  const port = (tensor: string, name: string, ...shape: (number | string)[]): Port => ({
    tensor,
    as: codec.valueInfo(name, DATA_TYPE.float, [batch, ...shape]),
  });
  return {
    pitch,
    energy,
    crossing: [
      port(spread, 'spread', STEPS, channels),
      port(joined.input[0]!, 'place', STEPS, rows - PAIR * CURVES * NEIGHBOURS),
      port(pitch, 'pitch', STEPS, PAIR),
      port(
        split.input[0]!,
        'film',
        sizes.reduce((sum, size) => sum + size, 0),
      ),
    ],
    asked({ op }) {
      const over = op('Exp', [pitch], 'pitch over unit');
      const own = op('Mul', [op('Sub', [over, one], 'own pitch over unit'), unit], 'own frequency');
      // Nothing but zero where nothing else is asked for, and the same bits then.
      const more = op('Sub', ['f0', own], 'frequency more');
      const share = op('Div', [more, op('Mul', [over, unit], 'pitch and unit')], 'share of pitch');
      const times = op('Log', [op('Add', [share, one], 'times the pitch')], 'logarithm more');
      return { pitch: op('Add', [pitch, times], 'pitch as asked'), energy: 'energy' };
    },
  };
}

/** Splits the style's scales and shifts by layer. */
export function modulationOf(model: Model): { readonly split: Node; readonly sizes: readonly number[] } {
  const split = required(
    model.graph.node.findLast(({ opType, output }) => opType === 'Split' && output.length > 16),
    'modulation',
  );
  return { split, sizes: intsOfTensor(required(anatomyOf(model).weight(split.input[1]!), 'sizes of the modulation')) };
}
