/**
 * The second part of the light acoustic model (`acoustic-parts.ts`) for a GPU: the blocks over
 * frames, three fifths of its arithmetic, for many utterances at once. Tokens, durations and melody
 * stay on the cores.
 *
 * It takes `spread` [n,t,416], `place` [n,t,5], `pitch`, `f0` and `energy` [n,t,2] (t frames of 600
 * samples; zeros behind an utterance's end), `film` [n,10240], the style's scales and shifts, and
 * `mask` [n,t,1] (1 for a frame of the utterance, 0 behind its end). It makes `x` frame by frame,
 * `rows` [n,2t,512] in float16, with the `mean` and `variance` of its channels over the utterance's
 * frames, [n,512] both.
 */
import { acousticPart, modulationOf } from './acoustic-parts.js';
import { blockProducts } from './block-products.js';
import { type GraphBuilder, graphBuilder } from './build.js';
import { cut, prune } from './cut.js';
import { anatomyOf, inFloats, intsOfTensor, required } from './light-gpu.js';
import { createCodec, DATA_TYPE, type Model, type Node, type OnnxCodec, type Tensor } from './schema.js';

const [BATCH, FRAMES] = ['n', 't'];
/** Channels of `x`. */
const CHANNELS = 512;
/** `rows` in float32. What leaves the GPU is half of it, as precise as the vocoder's products. */
const ROWS = 'rows_float';
/** The product with the curves has fewer rows: float16 is too coarse for a pitch. */
const LEAST_ROWS = 64;

/** `shipped` is the file of the 8-bit acoustic model. */
export function lightFramesGraph(shipped: Uint8Array): Uint8Array {
  const codec = createCodec();
  const model = acousticPart(codec.decode(shipped), 'features', codec, BATCH);
  const turned = required(anatomyOf(model).maker('x'), 'order of `x`').input[0]!;
  const rows = { tensor: turned, as: codec.valueInfo(ROWS, DATA_TYPE.float, [BATCH!, 'frames', CHANNELS]) };
  const inputs = model.graph.input.map((each) => ({ tensor: each.name, as: each }));
  const part = inFloats(cut(model, inputs, [rows]), codec);
  const batches = withStatistics(forBatches(part, codec), codec);
  return codec.encode(blockProducts(batches, codec, ({ dims }: Tensor) => dims[0]! >= LEAST_ROWS));
}

function forBatches(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const { split, sizes } = modulationOf(model);
  const { readers, weight } = anatomyOf(model);
  const build = graphBuilder(codec);
  const node = graph.node.flatMap((old): Node[] => {
    if (old === split) return filmByLayer(old, sizes, build, codec);
    if (old.opType === 'Reshape') {
      const shape = intsOfTensor(required(weight(old.input[1]!), 'shape'));
      const batch = build.ints(`${old.input[1]}_batch`, [0, ...shape.slice(1)]);
      return [{ ...old, input: [old.input[0]!, batch] }];
    }
    if (old.opType === 'Transpose' && readers(old.output[0]!)[0]?.opType === 'Conv') {
      const masked = `${old.input[0]}_masked`;
      return [codec.node('Mul', [old.input[0]!, 'mask'], [masked]), { ...old, input: [masked] }];
    }
    return [old];
  });
  const mask = codec.valueInfo('mask', DATA_TYPE.float, [BATCH!, FRAMES!, 1]);
  const initializer = [...graph.initializer, ...build.initializer];
  return prune({ ...model, graph: { ...graph, node, initializer, input: [...graph.input, mask] } });
}

/** A slice for each layer: a split of so many outputs is more than a shader can write. */
function filmByLayer(split: Node, sizes: readonly number[], build: GraphBuilder, codec: OnnxCodec): Node[] {
  const rows = codec.node('Reshape', [split.input[0]!, build.ints('film_shape', [0, 1, -1])], ['film_rows']);
  let at = 0;
  const slices = split.output.map((output, i) => {
    const [from, to] = [at, at + sizes[i]!];
    at = to;
    const range = [from, to, 2].map((value) => build.ints(`at_${value}`, [value]));
    return codec.node('Slice', ['film_rows', ...range], [output]);
  });
  return [rows, ...slices];
}

/** Mean and variance of each channel over the frames that `mask` has; two rows to a frame. */
function withStatistics(model: Model, codec: OnnxCodec): Model {
  const { graph } = model;
  const build = graphBuilder(codec);
  const axis = build.ints('at_1', [1]);
  const sum = (of: string, output: string) => build.op('ReduceSum', [of, axis], output, { keepdims: 1 });
  build.op('Concat', ['mask', 'mask'], 'mask_pairs', { axis: 2 });
  const mask = build.op('Reshape', ['mask_pairs', build.ints('mask_shape', [0, -1, 1])], 'mask_rows');
  const count = sum(mask, 'row_count');
  const kept = build.op('Mul', [ROWS, mask], 'rows_kept');
  const mean = build.op('Div', [sum(kept, 'rows_sum'), count], 'rows_mean');
  const apart = build.op('Mul', [build.op('Sub', [ROWS, mean], 'rows_apart'), mask], 'rows_apart_kept');
  const squares = build.op('Mul', [apart, apart], 'rows_squares');
  const variance = build.op('Div', [sum(squares, 'rows_squares_sum'), count], 'rows_variance');
  const shape = build.ints('statistics_shape', [0, CHANNELS]);
  build.op('Reshape', [mean, shape], 'mean');
  build.op('Reshape', [variance, shape], 'variance');
  build.op('Cast', [ROWS], 'rows', { to: DATA_TYPE.float16 });
  const output = [
    codec.valueInfo('rows', DATA_TYPE.float16, [BATCH!, 'frames', CHANNELS]),
    ...['mean', 'variance'].map((name) => codec.valueInfo(name, DATA_TYPE.float, [BATCH!, CHANNELS])),
  ];
  return {
    ...model,
    graph: {
      ...graph,
      node: [...graph.node, ...build.node],
      initializer: [...graph.initializer, ...build.initializer],
      output,
    },
  };
}
