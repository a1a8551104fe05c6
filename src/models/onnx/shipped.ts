/** The graphs that come with the package. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createCodec, type Model, type OnnxCodec } from './schema.js';

/**
 * The graph in `file`. A graph without nodes holds weights alone, and its name is that of a file
 * beside it: then the graph of that file is meant, with these weights in place of its own by name.
 */
export async function shippedGraph(file: string, codec: OnnxCodec): Promise<Model> {
  const read = codec.decode(await readFile(file));
  return isWhole(read) ? read : completed(read, file, codec);
}

/** The same, as the bytes of a file. */
export async function shippedBytes(file: string): Promise<Uint8Array> {
  const codec = createCodec();
  const bytes = await readFile(file);
  const read = codec.decode(bytes);
  return isWhole(read) ? bytes : codec.encode(await completed(read, file, codec));
}

const isWhole = ({ graph }: Model): boolean => graph.node.length > 0;

async function completed({ graph: weights }: Model, file: string, codec: OnnxCodec): Promise<Model> {
  const whole = codec.decode(await readFile(path.join(path.dirname(file), weights.name)));
  const own = new Map(weights.initializer.map((tensor) => [tensor.name, tensor]));
  const initializer = whole.graph.initializer.map((tensor) => own.get(tensor.name) ?? tensor);
  return { ...whole, graph: { ...whole.graph, initializer } };
}
