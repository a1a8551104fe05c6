/**
 * Writes the shapes of all tensors into a kept graph, with names for dimensions that differ from
 * run to run. The runtime looks for a buffer that an output can reuse among all free ones with the
 * same named shape. It loses the names at every convolution; after that no buffer matches, the list
 * of free ones only grows, and planning takes three quarters of the time to open a session (1.30).
 */
import { readFile, writeFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import protobuf from 'protobufjs';
import { createCodec, DATA_TYPE } from '../../models/onnx/schema.js';

interface Probe {
  readonly length: number;
  /** Frames of context in it, for a graph that is told (`narrowed.ts`). */
  readonly head: number;
  readonly tail: number;
}

/** Runs from which names are made: equal in all of them means the same name. */
const PROBED: readonly Probe[] = [
  { length: 3, head: 0, tail: 0 },
  { length: 5, head: 0, tail: 0 },
  { length: 9, head: 0, tail: 0 },
];
/** So long that every block drops frames, and differently many in each. */
const PROBED_NARROWED: readonly Probe[] = [
  { length: 83, head: 40, tail: 40 },
  { length: 97, head: 39, tail: 40 },
  { length: 116, head: 40, tail: 38 },
];
/** Runs in which the graph with names must give the same samples. */
const CHECKED: readonly Probe[] = [
  { length: 4, head: 0, tail: 0 },
  { length: 61, head: 11, tail: 40 },
];

type Dimension = number | string;
type Outputs = InferenceSession.OnnxValueMapType;

interface NamedShape {
  readonly name: string;
  readonly dataType: number;
  readonly shape: readonly Dimension[];
}

const DATA_TYPES: Readonly<Record<string, number>> = {
  float32: DATA_TYPE.float,
  uint8: DATA_TYPE.uint8,
  int8: DATA_TYPE.int8,
  int32: DATA_TYPE.int32,
  int64: DATA_TYPE.int64,
  bool: 9,
};

/**
 * Rewrites the file `graph` as a graph with shapes. A graph whose results would not be the same
 * stays as it is.
 */
export async function nameShapes(graph: string, options: InferenceSession.SessionOptions): Promise<void> {
  const bytes = await readFile(graph);
  const { shapes, expected } = await observed(graph, bytes, options);
  await writeFile(graph, withFields(bytes, VALUE_INFO, shapes));
  const same = await opened(graph, options, (session) => runs(session, CHECKED)).then(
    (found) => found.every((outputs, i) => equal(outputs, expected[i]!)),
    () => false,
  );
  if (!same) await writeFile(graph, bytes);
}

interface Observed {
  readonly shapes: readonly NamedShape[];
  /** The results of the checked runs, without names. */
  readonly expected: readonly Outputs[];
}

async function observed(graph: string, bytes: Uint8Array, options: InferenceSession.SessionOptions): Promise<Observed> {
  const { node, input, output } = createCodec().decode(bytes).graph;
  const ends = new Set(output.map(({ name }) => name));
  const between = node.flatMap((each) => each.output).filter((name) => name !== '' && !ends.has(name));
  // A run tells the shapes of its outputs alone, so that all tensors become outputs.
  await writeFile(
    graph,
    withFields(
      bytes,
      OUTPUT,
      between.map((name) => ({ name })),
    ),
  );
  const isNarrowed = input.some(({ name }) => name === 'head');
  const probed = isNarrowed ? PROBED_NARROWED : PROBED;
  const { probes, expected } = await opened(graph, options, async (session) => ({
    probes: await runs(session, probed),
    expected: await runs(session, CHECKED, [...ends]),
  })).finally(() => writeFile(graph, bytes));
  const shapes = between.flatMap((name) => {
    const tensors = probes.map((outputs) => outputs[name] as Tensor);
    const dataType = DATA_TYPES[tensors[0]!.type];
    if (dataType === undefined || tensors[0]!.dims.length === 0) return [];
    const shape = tensors[0]!.dims.map((_, axis) => dimensionOf(tensors.map(({ dims }) => dims[axis]!)));
    return [{ name, dataType, shape }];
  });
  return { shapes, expected };
}

const dimensionOf = (sizes: readonly number[]): Dimension =>
  sizes.every((size) => size === sizes[0]) ? sizes[0]! : `size ${sizes.join(' ')}`;

/** What `use` finds out by runs of the graph. */
async function opened<Found>(
  graph: string,
  options: InferenceSession.SessionOptions,
  use: (session: InferenceSession) => Promise<Found>,
): Promise<Found> {
  const session = await InferenceSession.create(graph, options);
  try {
    return await use(session);
  } finally {
    await session.release();
  }
}

/** Runs the graph with each probe. Gives all of its outputs, or only those in `names`. */
async function runs(
  session: InferenceSession,
  probes: readonly Probe[],
  names = session.outputNames,
): Promise<Outputs[]> {
  const all: Outputs[] = [];
  for (const probe of probes) all.push(await session.run(feedsOf(session, probe), names));
  return all;
}

/** Every open dimension has the same length. A single number is a divisor somewhere: 1. */
function feedsOf({ inputMetadata }: InferenceSession, { length, ...context }: Probe): Record<string, Tensor> {
  const feeds: Record<string, Tensor> = {};
  const counts: Readonly<Record<string, number>> = context;
  for (const input of inputMetadata) {
    if (!input.isTensor) throw new Error(`the input ${input.name} is no tensor`);
    const dims = input.shape.map((size) => (typeof size === 'number' ? size : length));
    const size = dims.reduce((product, each) => product * each, 1);
    feeds[input.name] =
      input.type === 'int64'
        ? new Tensor('int64', new BigInt64Array(size).fill(BigInt(counts[input.name] ?? 0)), dims)
        : new Tensor('float32', new Float32Array(size).fill(size === 1 ? 1 : 0.1), dims);
  }
  return feeds;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

const equal = (left: Outputs, right: Outputs): boolean =>
  Object.keys(left).every((name) => {
    const [a, b] = [left[name] as Tensor, right[name] as Tensor];
    return bytesOf(a.data as Float32Array).equals(bytesOf(b.data as Float32Array));
  });

/** Numbers of fields in onnx.proto: ModelProto.graph, and of GraphProto its outputs and shapes. */
const [GRAPH, OUTPUT, VALUE_INFO] = [7, 12, 13];
const BYTES = 2;

/** A message that stands twice in a file is read as one: new fields of the graph are appended. */
function withFields(
  model: Uint8Array,
  field: number,
  values: readonly (Pick<NamedShape, 'name'> & Partial<NamedShape>)[],
): Uint8Array {
  const writer = protobuf.Writer.create();
  const message = (number: number, body: () => void) => {
    writer.uint32((number << 3) | BYTES).fork();
    body();
    writer.ldelim();
  };
  const text = (number: number, value: string) => writer.uint32((number << 3) | BYTES).string(value);
  const whole = (number: number, value: number) => writer.uint32(number << 3).int64(value);
  /** TensorShapeProto.Dimension: a size or a name. */
  const dimension = (size: Dimension) => message(1, () => (typeof size === 'number' ? whole(1, size) : text(2, size)));
  message(GRAPH, () => {
    for (const { name, dataType, shape = [] } of values) {
      message(field, () => {
        text(1, name);
        if (dataType === undefined) return;
        // ValueInfoProto.type, TypeProto.tensor_type: elem_type and shape.
        message(2, () =>
          message(1, () => {
            whole(1, dataType);
            message(2, () => shape.forEach(dimension));
          }),
        );
      });
    }
  });
  return Buffer.concat([model, writer.finish()]);
}
