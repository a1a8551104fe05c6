/**
 * Writes the light vocoder so that a run of a window computes no more than its samples need. A
 * block of the network sees three frames to either side, so the context that the first block needs
 * is of no use to the last, nor to the head and the inverse transform behind it, which take a third
 * of the time. Two inputs say how many frames in front (`head`) and behind (`tail`) are context
 * alone; every block drops what no later one needs. The samples that are left are the same to the
 * bit: at most one frame of context stays on either side (`CONTEXT_LEFT`).
 */
import { graphBuilder } from '../../models/onnx/build.js';
import { DATA_TYPE, type Graph, type Model, type Node, type OnnxCodec } from '../../models/onnx/schema.js';
import { CONTEXT_LEFT } from '../vocoder/windows.js';

/** Columns of the spectra for each frame. */
const COLUMNS = 2;
const TO_THE_END = 2 ** 31 - 1;

/** What is cut in the light vocoder. */
interface Cuts {
  /** Tensors [1, frames, channels] in front of each block and behind the last. */
  readonly frames: readonly { readonly tensor: string; readonly reach: number }[];
  /** The spectrum of the pulse train [1, columns, …], for its filter alone. */
  readonly filtered: { readonly tensor: string; readonly reader: Node };
  /** The rows of the noise, one for each column. */
  readonly noise: { readonly tensor: string; readonly reader: Node };
}

/** The graph with inputs `head` and `tail`; undefined where it is not the light vocoder's. */
export function narrowed(model: Model, codec: OnnxCodec): Model | undefined {
  const cuts = cutsOf(model.graph);
  return cuts && { ...model, graph: withCuts(model.graph, cuts, codec) };
}

function cutsOf({ node, initializer, input, output }: Graph): Cuts | undefined {
  if (!input.some(({ name }) => name === 'offset') || !output.some(({ name }) => name === 'waveform')) return undefined;
  const constants = new Map(initializer.map((tensor) => [tensor.name, tensor]));
  const makers = new Map(node.flatMap((each) => each.output.map((name) => [name, each] as const)));
  const readers = (name: string, opType: string) =>
    node.filter((each) => each.opType === opType && each.input.includes(name));
  const blocks = node
    .filter(({ opType }) => opType === 'Conv')
    .map(({ input: [local, taps] }) => ({
      tensor: makers.get(local!)!.input[0]!,
      reach: (constants.get(taps!)!.dims[2]! - 1) / 2,
    }));
  const [sum] = readers(blocks.at(-1)?.tensor ?? '', 'Add');
  const filter = node.find(({ opType, input: [from] }) => opType === 'Split' && makers.get(from!)?.opType === 'MatMul');
  const noise = node.find(
    ({ opType, input: [table] }) => opType === 'Gather' && constants.get(table!)?.dataType === DATA_TYPE.int8,
  );
  if (sum === undefined || filter === undefined || noise === undefined) return undefined;
  return {
    frames: [...blocks, { tensor: sum.output[0]!, reach: CONTEXT_LEFT }],
    filtered: { tensor: filter.input[0]!, reader: filter },
    noise: { tensor: noise.input[1]!, reader: noise },
  };
}

function withCuts(graph: Graph, { frames, filtered, noise }: Cuts, codec: OnnxCodec): Graph {
  const sizes = graphBuilder(codec);
  const zero = sizes.ints('no frames', [0]);
  const end = sizes.ints('to the end', [TO_THE_END]);
  const axis = sizes.ints('axis of frames', [1]);
  const reaches = frames.map((_, i) => frames.slice(i).reduce((sum, { reach }) => sum + reach, 0));
  const needed = sizes.ints('frames needed', reaches);
  /** Places that frames at one side are dropped at: all so far, and at each place. */
  function dropped(side: string): { all: string; each: string } {
    const beyond = sizes.op('Sub', [side, needed], `${side} beyond`);
    const all = sizes.op('Max', [beyond, zero], `${side} dropped`);
    const before = sizes.slice(all, `${side} dropped but last`, 0, -1, 0);
    const earlier = sizes.op('Concat', [zero, before], `${side} dropped earlier`, { axis: 0 });
    return { all, each: sizes.op('Sub', [all, earlier], `${side} dropped here`) };
  }
  /** The end of a slice that leaves the last `count` entries out. */
  function endOf(count: string): string {
    const none = sizes.op('Equal', [count, zero], `${count} is none`);
    return sizes.op('Where', [none, end, sizes.op('Neg', [count], `${count} from the end`)], `${count} end`);
  }
  const [head, tail] = [dropped('head'), dropped('tail')];
  const ones = sizes.ints(
    'one for each block',
    frames.map(() => 1),
  );
  const parts = (list: string) => frames.map((_, i) => `${list} ${i}`);
  const [starts, ends] = [parts(head.each), parts(endOf(tail.each))];
  const split = (list: string, into: readonly string[]): Node => codec.node('Split', [list, ones], into, { axis: 0 });
  const columnsOf = (all: string): string => {
    const last = sizes.slice(all, `${all} at last`, -1, TO_THE_END, 0);
    return sizes.op('Mul', [last, sizes.ints('columns of a frame', [COLUMNS])], `${all} columns`);
  };
  const columns = [columnsOf(head.all), endOf(columnsOf(tail.all))] as const;
  const slices = new Map<string, Node>(
    frames.map(({ tensor }, i) => [
      tensor,
      codec.node('Slice', [tensor, starts[i]!, ends[i]!, axis], [`${tensor} needed`]),
    ]),
  );
  const ofColumns = (tensor: string, along: string): Node =>
    codec.node('Slice', [tensor, ...columns, along], [`${tensor} heard`]);
  const cutFor = new Map<Node, Node>([
    [filtered.reader, ofColumns(filtered.tensor, axis)],
    [noise.reader, ofColumns(noise.tensor, zero)],
  ]);
  const node = graph.node.flatMap((each): Node[] => {
    const cut = cutFor.get(each);
    const input = each.input.map((name) =>
      slices.has(name) ? `${name} needed` : name === cut?.input[0] ? cut.output[0]! : name,
    );
    const sliced = each.output.map((name) => slices.get(name)).filter((slice) => slice !== undefined);
    return [...(cut ? [cut] : []), { ...each, input }, ...sliced];
  });
  const counts = ['head', 'tail'].map((name) => codec.valueInfo(name, DATA_TYPE.int64, [1]));
  return {
    ...graph,
    input: [...graph.input, ...counts],
    initializer: [...graph.initializer, ...sizes.initializer],
    node: [...sizes.node, split(head.each, starts), split(`${tail.each} end`, ends), ...node],
  };
}
