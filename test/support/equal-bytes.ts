/**
 * Before every suite: `toEqual` takes samples with the same bytes for equal at once. By itself it
 * compares numbers one by one, which takes a core half a second for four seconds of speech.
 */
import { expect } from 'vitest';

const ADDED = Symbol.for('tts tests compare bytes');

type Samples = Exclude<NodeJS.TypedArray, DataView>;
const isSamples = (value: unknown): value is Samples => ArrayBuffer.isView(value) && !(value instanceof DataView);

const bytesOf = ({ buffer, byteOffset, byteLength }: Samples) => Buffer.from(buffer, byteOffset, byteLength);

/** Undefined where the bytes differ: vitest looks itself then, and says where. */
function equalBytes(one: unknown, other: unknown): true | undefined {
  if (!isSamples(one) || !isSamples(other) || one.constructor !== other.constructor) return undefined;
  return bytesOf(one).equals(bytesOf(other)) || undefined;
}

// Suites of a worker share one `expect`.
if (!(ADDED in globalThis)) {
  Object.defineProperty(globalThis, ADDED, { value: true });
  expect.addEqualityTesters([equalBytes]);
}
