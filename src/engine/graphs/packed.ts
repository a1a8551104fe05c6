/** Tensors as they cross threads: what they hold, without the runtime's object around it. */
import { Tensor, type TypedTensor } from 'onnxruntime-node';
import type { Feeds } from '../vocoder/vocoder.js';

type PackedType = 'float32' | 'float16' | 'int64' | 'int32';
export type PackedTensor = {
  [T in PackedType]: {
    readonly type: T;
    readonly data: T extends 'float16' ? Uint16Array : TypedTensor<T>['data'];
    readonly dims: readonly number[];
  };
}[PackedType];
export type Packed = Readonly<Record<string, PackedTensor>>;

/**
 * The bits of a tensor in float16. Where JavaScript has arrays of such numbers, as from Node 24 on,
 * the runtime gives those.
 */
export function halvesIn(tensor: Tensor): Uint16Array {
  const { buffer, byteOffset, length } = tensor.data as Uint16Array;
  return new Uint16Array(buffer, byteOffset, length);
}

export const packed = (tensors: Feeds): Packed =>
  Object.fromEntries(
    Object.entries(tensors).map(([name, tensor]) => {
      const { type, dims } = tensor;
      const data = type === 'float16' ? halvesIn(tensor) : tensor.data;
      return [name, { type, data, dims } as PackedTensor];
    }),
  );

/** The runtime gives numbers in float16 as such an array, and takes their bits alone (1.30). */
function halfTensor(bits: Uint16Array, dims: readonly number[]): Tensor {
  const tensor = new Tensor('float16', bits, dims);
  return (tensor.data as ArrayBufferView) === bits ? tensor : Object.assign(tensor, { cpuData: bits });
}

export const unpacked = (tensors: Packed): Feeds =>
  Object.fromEntries(
    Object.entries(tensors).map(([name, { type, data, dims }]) => [
      name,
      type === 'float16' ? halfTensor(data, dims) : new Tensor(type, data, dims),
    ]),
  );

/** From this size on, a buffer is transferred between threads faster than it is copied. */
const LARGE_BYTES = 65_536;

/** The buffers worth transferring: large ones that hold nothing but their tensor. */
export const largeBuffers = (tensors: Packed): ArrayBuffer[] =>
  Object.values(tensors)
    .filter(({ data }) => data.byteLength >= LARGE_BYTES && data.byteLength === data.buffer.byteLength)
    .map(({ data }) => data.buffer as ArrayBuffer);
