/** An acoustic model as it is run: its melody, what is made of that, and features of the result. */
import { Tensor } from 'onnxruntime-node';
import type { AcousticPart } from '../../models/onnx/acoustic-parts.js';
import type { ReadingToken } from '../../text/types.js';
import type { StepGrant } from '../engine.js';
import { type SpokenStyle, STYLE_SIZE } from '../styles.js';
import type { AcousticFeatures, Intone, Melody, SpokenFeatures } from '../vocoder/features.js';
import type { Feeds, Graph } from '../vocoder/vocoder.js';
import { halvesIn } from './packed.js';

/** Both parts of an acoustic model (`models/onnx/acoustic-parts.ts`), ready to run. */
export interface AcousticGraphs {
  /** `tell` makes of all that the first part made what the second is given. */
  run(feeds: Feeds, grant: StepGrant, tell: (made: Feeds) => Feeds): Promise<Feeds>;
}

/** The name of a graph, or of a part of it, among several. */
export const graphName = (file: string, part?: AcousticPart): string => (part ? `${part} of ${file}` : file);

export const acousticGraphs = (melody: Graph, features: Graph): AcousticGraphs => ({
  run: async (feeds, grant, tell) => features.run(tell(await melody.run(feeds, grant)), grant),
});

function feedsOf(tokens: readonly ReadingToken[], { style, speed }: SpokenStyle): Feeds {
  const ids = new BigInt64Array(tokens.length + 2);
  for (const [i, { id }] of tokens.entries()) ids[i + 1] = BigInt(id);
  return {
    input_ids: new Tensor('int64', ids, [1, ids.length]),
    style: new Tensor('float32', style, [1, STYLE_SIZE]),
    speed: new Tensor('float32', Float32Array.of(speed), [1]),
  };
}

const melodyOf = ({ f0, energy, durations }: Feeds): Melody => ({
  f0: f0!,
  energy: energy!,
  frames: f0!.data.length,
  durations: durations!.data as Float32Array,
});

/** The melody alone, by the graph of the first part: about half of the work. */
export const runMelody = async (
  melody: Graph,
  tokens: readonly ReadingToken[],
  spoken: SpokenStyle,
  grant: StepGrant,
): Promise<Melody> => melodyOf(await melody.run(feedsOf(tokens, spoken), grant));

/** Features of the melody that `intone` makes of the model's own. */
export async function runAcousticModel(
  graphs: AcousticGraphs,
  tokens: readonly ReadingToken[],
  spoken: SpokenStyle,
  grant: StepGrant,
  intone: Intone = (own) => own,
): Promise<SpokenFeatures> {
  let told!: Melody & Pick<SpokenFeatures, 's' | 'exact'>;
  const made = await graphs.run(feedsOf(tokens, spoken), grant, (first) => {
    const { durations, exact, f0, energy, s, ...others } = first;
    told = { ...intone(melodyOf(first)), s: s!, exact: exact!.data as Float32Array };
    return { ...others, s: s!, f0: inPairs(told.f0), energy: inPairs(told.energy) };
  });
  const { f0, s, frames, durations, exact } = told;
  return { f0, s, frames, durations, exact, ...soundOf(made) };
}

/** A curve with two values for each step of the durations. */
const inPairs = ({ data }: Tensor): Tensor => new Tensor('float32', data as Float32Array, [1, data.length / 2, 2]);

function soundOf({ x, rows, mean, variance }: Feeds): Pick<AcousticFeatures, 'x' | 'rows'> {
  if (rows === undefined) return { x: x! };
  return { x: rows, rows: { x: halvesIn(rows), mean: mean!, variance: variance! } };
}
