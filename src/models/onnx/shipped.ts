/** The graphs that come with the package. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createCodec, type Model, type OnnxCodec } from './schema.js';

/**
 * The graph in `file`. One without nodes holds weights alone: those of the graph beside it that its
 * name says, where they are different, by their names.
 */
export async function shippedGraph(file: string, codec: OnnxCodec): Promise<Model> {
  const read = codec.decode(await readFile(file));
  if (read.graph.node.length > 0) return read;
  const whole = codec.decode(await readFile(path.join(path.dirname(file), read.graph.name)));
  const different = new Map(read.graph.initializer.map((tensor) => [tensor.name, tensor]));
  const initializer = whole.graph.initializer.map((tensor) => different.get(tensor.name) ?? tensor);
  return { ...whole, graph: { ...whole.graph, initializer } };
}

/** The same as the bytes of a file. */
export async function shippedBytes(file: string): Promise<Uint8Array> {
  const codec = createCodec();
  return codec.encode(await shippedGraph(file, codec));
}
