/**
 * Writes both Fourier transforms of the light vocoder with half of their products. A cosine is the
 * same at n and N - n, and a sine its negative, so the halves of a column are added and subtracted
 * first, and each sum meets a quarter of the matrix: 5 % less for a window on a Neoverse-N1. Sums
 * are made in another order, which changes a sample by no more than rounding does.
 */
import { type GraphBuilder, graphBuilder } from '../../models/onnx/build.js';
import { prune } from '../../models/onnx/cut.js';
import type { Graph, Model, Node, OnnxCodec } from '../../models/onnx/schema.js';

/** Samples of a column of a spectrum, of a step from one to the next, and the bins of a column. */
const SIZE = 600;
const HOP = 150;
const BINS = SIZE / 2 + 1;
/** Zeroes before and behind the samples, so that column m is centred at 150 m + 75. */
const [BEFORE, BEHIND] = [225, 375];
/** What the squares of Hann windows at a step of a quarter add up to. */
const OVERLAP = 1.5;
const TO_THE_END = 2 ** 31 - 1;

/** Undefined where the graph is not the light vocoder's. */
export function withFoldedTransforms(model: Model, codec: OnnxCodec): Model | undefined {
  const { graph } = model;
  const found = transformsOf(graph);
  if (found === undefined) return undefined;
  const build = graphBuilder(codec);
  const spectrum = spectrumOf(build, found.samples);
  const transformed = build.node.length;
  const total = samplesOf(build, found.spectrum);
  const added = new Map<Node, readonly Node[]>([
    [found.forward, build.node.slice(0, transformed)],
    [found.joined, build.node.slice(transformed)],
  ]);
  const instead = new Map([
    [found.forward.output[0]!, spectrum],
    [found.joined.input[0]!, total],
  ]);
  const node = graph.node.flatMap((each): Node[] => [
    ...(added.get(each) ?? []),
    { ...each, input: each.input.map((name) => instead.get(name) ?? name) },
  ]);
  const known = new Set(graph.initializer.map(({ name }) => name));
  const initializer = [...graph.initializer, ...build.initializer.filter(({ name }) => !known.has(name))];
  return prune({ ...model, graph: { ...graph, initializer, node } });
}

interface Transforms {
  readonly forward: Node;
  /** The pulse train, [1, samples]. */
  readonly samples: string;
  /** What becomes sound, [1, columns, 2 × bins]: the real parts, then the imaginary ones. */
  readonly spectrum: string;
  /** Its input is the overlapping columns added up, [1, hops, samples of a hop]. */
  readonly joined: Node;
}

function transformsOf({ node, output }: Graph): Transforms | undefined {
  const makers = new Map(node.flatMap((each) => each.output.map((name) => [name, each] as const)));
  const behind = (from: string | undefined, ...opTypes: readonly string[]): Node | undefined => {
    let found: Node | undefined;
    for (const opType of opTypes) {
      found = makers.get(found ? found.input[0]! : (from ?? ''));
      if (found?.opType !== opType) return undefined;
    }
    return found;
  };
  const forward = node.find(({ opType, input }) => opType === 'MatMul' && behind(input[0], 'Concat') !== undefined);
  const padded = forward && behind(forward.input[0], 'Concat', 'Slice', 'Reshape', 'Pad');
  const joined = behind(output.find(({ name }) => name === 'waveform')?.name, 'Slice', 'Reshape');
  const inverse = node.find(
    ({ opType, output: [made] }) =>
      opType === 'MatMul' &&
      node.some((each) => each.opType === 'Split' && each.output.length === SIZE / HOP && each.input[0] === made),
  );
  if (forward === undefined || padded === undefined || joined === undefined || inverse === undefined) return undefined;
  return { forward, samples: padded.input[0]!, spectrum: inverse.input[0]!, joined };
}

/** A matrix of cosines or negative sines times the window, by row and column. */
function waves(rows: number, columns: number, value: (row: number, column: number) => number): Float32Array {
  return Float32Array.from({ length: rows * columns }, (_, i) => value(Math.floor(i / columns), i % columns));
}

const turn = (n: number, k: number): number => (2 * Math.PI * ((n * k) % SIZE)) / SIZE;
const hann = (n: number): number => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / SIZE);

/** [1, samples] → [1, columns, 2 × bins]. The window is nothing at a column's first sample. */
function spectrumOf(build: GraphBuilder, samples: string): string {
  const { op, slice } = build;
  const hopsOf = (name: string, early: number): string => {
    const zeroes = build.ints(`${name} zeroes`, [0, BEFORE - early, 0, BEHIND + early]);
    const padded = op('Pad', [samples, zeroes], `${name} padded`);
    return op('Reshape', [padded, build.ints('hops', [0, -1, HOP])], name);
  };
  // Samples 1 to 300 of each column, and samples 599 to 300.
  const rising = hopsOf('rising hops', 1);
  const falling = mirrored(build, hopsOf('falling hops', 0), 'falling hops mirrored');
  const pair = (hops: string, first: number, second: number): string =>
    op(
      'Concat',
      [first, second].map((at) => slice(hops, `${hops} from ${at}`, at, at - 4, 1)),
      `${hops} of columns`,
      { axis: 2 },
    );
  const halves = [pair(rising, 0, 1), pair(falling, 3, 2)];
  // The middle sample is in both halves.
  const weight = (row: number): number => hann(row + 1) * (row + 1 === HOP * 2 ? 0.5 : 1);
  const dims = [2 * HOP, BINS];
  const cosines = build.floats(
    'cosines of a half',
    dims,
    waves(2 * HOP, BINS, (n, k) => weight(n) * Math.cos(turn(n + 1, k))),
  );
  const sines = build.floats(
    'sines of a half',
    dims,
    waves(2 * HOP, BINS, (n, k) => -weight(n) * Math.sin(turn(n + 1, k))),
  );
  const real = op('MatMul', [op('Add', halves, 'sums of halves'), cosines], 'real parts');
  const imaginary = op('MatMul', [op('Sub', halves, 'differences of halves'), sines], 'imaginary parts');
  return op('Concat', [real, imaginary], 'spectrum of pulses', { axis: 2 });
}

/** [1, columns, 2 × bins] → [1, hops, samples of a hop], windowed and added up. */
function samplesOf(build: GraphBuilder, spectrum: string): string {
  const { op, slice } = build;
  const weight = (k: number, n: number): number => ((k === 0 || k === BINS - 1 ? 1 : 2) * hann(n)) / (SIZE * OVERLAP);
  const dims = [BINS, BINS];
  const cosines = build.floats(
    'cosines of sound',
    dims,
    waves(BINS, BINS, (k, n) => weight(k, n) * Math.cos(turn(n, k))),
  );
  const sines = build.floats(
    'sines of sound',
    dims,
    waves(BINS, BINS, (k, n) => -weight(k, n) * Math.sin(turn(n, k))),
  );
  const even = op('MatMul', [slice(spectrum, 'real sound', 0, BINS, 2), cosines], 'even sound');
  const odd = op('MatMul', [slice(spectrum, 'imaginary sound', BINS, 2 * BINS, 2), sines], 'odd sound');
  const first = op('Add', [even, odd], 'first halves');
  const second = op('Sub', [even, odd], 'second halves mirrored');
  const shifted = (half: string, from: number, hop: number): string => {
    const zeroes = build.ints(`zeroes around ${hop}`, [0, hop, 0, 0, 3 - hop, 0]);
    return op('Pad', [slice(half, `${half} ${hop}`, from, from + HOP, 2), zeroes], `${half} at ${hop}`);
  };
  const rising = op('Add', [shifted(first, 0, 0), shifted(first, HOP, 1)], 'rising sound');
  const falling = op('Add', [shifted(second, HOP + 1, 2), shifted(second, 1, 3)], 'falling sound');
  return op('Add', [rising, mirrored(build, falling, 'falling sound in order')], 'sound in hops');
}

/** Hops with their samples in the other order. */
function mirrored(build: GraphBuilder, hops: string, name: string): string {
  const at = (value: number): string => build.ints(`at_${value}`, [value]);
  return build.op('Slice', [hops, at(-1), at(-TO_THE_END), at(2), at(-1)], name);
}
