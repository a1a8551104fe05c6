/** The numbers of a graph's weights, in all encodings of ONNX, and 8-bit ones as floats. */
import { halvesOf } from './half-floats.js';
import { DATA_TYPE, type Tensor } from './schema.js';

const sizeOf = (tensor: Tensor): number => tensor.dims.reduce((product, dim) => product * dim, 1);

/** The values of an 8-bit tensor, signed or unsigned. */
export function bytesOf(tensor: Tensor): Int8Array | Uint8Array {
  const signed = tensor.dataType === DATA_TYPE.int8;
  if (!signed && tensor.dataType !== DATA_TYPE.uint8) throw new Error(`the tensor ${tensor.name} is not of 8 bits`);
  const raw = tensor.rawData.length > 0 ? tensor.rawData : Uint8Array.from(tensor.int32Data, (value) => value & 0xff);
  if (raw.length !== sizeOf(tensor)) throw new Error(`the tensor ${tensor.name} has not the size it says`);
  return signed ? new Int8Array(raw.buffer, raw.byteOffset, raw.length) : raw;
}

/**
 * ONNX files are little-endian, as are all processors that the runtime is built for: bytes are
 * copied as they are.
 */
export function floatsOf(tensor: Tensor): Float32Array {
  if (tensor.dataType !== DATA_TYPE.float) throw new Error(`the tensor ${tensor.name} is not of floats`);
  if (tensor.rawData.length === 0) return Float32Array.from(tensor.floatData);
  const values = new Float32Array(tensor.rawData.length / 4);
  new Uint8Array(values.buffer).set(tensor.rawData);
  return values;
}

/** A copy. */
export const rawFloats = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

/** The axis that has a scale for each index, unless there is one scale for all. */
export type ScaleAxis = 'first' | 'last';

/** (value − zero point) × scale, with one scale for all or one for each index of an axis. */
export function dequantise(
  weight: Tensor,
  scale: Tensor,
  zeroPoint: Tensor | undefined,
  axis: ScaleAxis,
): Float32Array {
  const values = bytesOf(weight);
  const scales = floatsOf(scale);
  const zeros = zeroPoint ? bytesOf(zeroPoint) : new Int8Array(1);
  const count = Math.max(scales.length, zeros.length);
  const size = axis === 'first' ? weight.dims[0]! : weight.dims.at(-1)!;
  if (count !== 1 && count !== size) throw new Error(`the scales of ${weight.name} do not fit its shape`);
  const inner = axis === 'first' ? values.length / size : 1;
  const floats = new Float32Array(values.length);
  if (count === 1) {
    const [zero, factor] = [zeros[0]!, scales[0]!];
    for (let index = 0; index < floats.length; index++) floats[index] = (values[index]! - zero) * factor;
    return floats;
  }
  for (let index = 0, channel = 0; index < floats.length; channel = (channel + 1) % size) {
    const zero = zeros.length === 1 ? zeros[0]! : zeros[channel]!;
    const factor = scales.length === 1 ? scales[0]! : scales[channel]!;
    for (const end = index + inner; index < end; index++) floats[index] = (values[index]! - zero) * factor;
  }
  return floats;
}

/** The values in float16, as a file has them. */
export const rawHalves = (values: Float32Array): Uint8Array => new Uint8Array(halvesOf(values).buffer);
