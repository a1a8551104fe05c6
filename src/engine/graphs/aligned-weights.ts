/**
 * Moves the weights of a kept graph to places that all kernels can read. The runtime (1.30) puts
 * small ones anywhere, and on processors with AVX-512 its product of floats reads 64 bytes at once
 * from where they lie: elsewhere than at a multiple of 64 it ends the process.
 */
import { readFile, writeFile } from 'node:fs/promises';
import protobuf from 'protobufjs';

/** What weights begin at a multiple of: a vector's size, or a page's where they are mapped so. */
const ALIGNMENTS = [65_536, 4_096, 64];

/** Of onnx.proto: ModelProto.graph, GraphProto.initializer, TensorProto.external_data. */
const EXTERNAL_DATA = [7, 5, 13];
const BYTES = 2;

interface Entry {
  readonly key: string;
  readonly value: string;
}

/** Where weights lie in the file. */
interface Place {
  readonly offset: number;
  readonly length: number;
}

export async function alignWeights(graph: string, weights: string): Promise<void> {
  const model = await readFile(graph);
  const places = placesIn(model);
  // Of a small graph all weights are in the graph itself, and there is no such file.
  if (places.length === 0) return;
  const data = await readFile(weights);
  const moved = new Map<number, number>();
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const { offset, length } of places) {
    if (moved.has(offset)) continue;
    const unit = ALIGNMENTS.find((each) => offset % each === 0) ?? 64;
    const at = Math.ceil(end / unit) * unit;
    parts.push(new Uint8Array(at - end), data.subarray(offset, offset + length));
    moved.set(offset, at);
    end = at + length;
  }
  const at = (offset: string): string => String(moved.get(Number(offset)) ?? offset);
  await writeFile(weights, Buffer.concat(parts));
  await writeFile(
    graph,
    edited(model, EXTERNAL_DATA, (body) => encoded(withPlaces(decoded(body), at))),
  );
}

/** All that a graph says to lie in its file of weights, in the order of the file. */
export function placesIn(model: Uint8Array): Place[] {
  const places: Place[] = [];
  let offset = 0;
  edited(model, EXTERNAL_DATA, (body) => {
    const { key, value } = decoded(body);
    if (key === 'offset') offset = Number(value);
    if (key === 'length') places.push({ offset, length: Number(value) });
    for (const [from, length] of prepackedIn({ key, value }))
      places.push({ offset: Number(from), length: Number(length) });
    return body;
  });
  return places.sort((one, other) => one.offset - other.offset);
}

/** `prepacked_0` → `MatMul+1234|OFFSET;LENGTH;CHECKSUM`, further places behind further bars. */
const prepackedIn = ({ key, value }: Entry): string[][] =>
  key.startsWith('prepacked')
    ? value
        .split('|')
        .slice(1)
        .map((place) => place.split(';'))
    : [];

function withPlaces({ key, value }: Entry, at: (offset: string) => string): Entry {
  if (key === 'offset') return { key, value: at(value) };
  const places = prepackedIn({ key, value }).map(([offset, ...others]) => [at(offset!), ...others].join(';'));
  return { key, value: places.length > 0 ? [value.split('|')[0], ...places].join('|') : value };
}

/** The message with every field on `path` as `edit` makes it; all else stays byte for byte. */
function edited(message: Uint8Array, [field, ...path]: readonly number[], edit: (body: Uint8Array) => Uint8Array) {
  const reader = protobuf.Reader.create(message);
  const parts: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    if (tag !== ((field! << 3) | BYTES)) {
      reader.skipType(tag & 7);
      parts.push(message.subarray(start, reader.pos));
      continue;
    }
    const body = reader.bytes();
    const made = path.length === 0 ? edit(body) : edited(body, path, edit);
    parts.push(protobuf.Writer.create().uint32(tag).bytes(made).finish());
  }
  return Buffer.concat(parts);
}

/** A StringStringEntryProto: its key and its value. */
function decoded(body: Uint8Array): Entry {
  const reader = protobuf.Reader.create(body);
  const fields = ['', '', ''];
  while (reader.pos < reader.len) fields[reader.uint32() >>> 3] = reader.string();
  return { key: fields[1]!, value: fields[2]! };
}

const encoded = ({ key, value }: Entry): Uint8Array =>
  protobuf.Writer.create()
    .uint32((1 << 3) | BYTES)
    .string(key)
    .uint32((2 << 3) | BYTES)
    .string(value)
    .finish();
