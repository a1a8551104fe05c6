/** One FLAC frame (RFC 9639) of 16-bit mono: the residual of a predictor in Rice codes. */
import { BitWriter } from './bit-writer.js';
import { type Prediction, predictions } from './flac-prediction.js';

const BITS_PER_SAMPLE = 16;
const MAX_RICE = 14;
const MAX_PARTITION_ORDER = 5;

/** Frame header codes. */
const SYNC_FIXED_BLOCKS = 0xfff8;
const BLOCK_SIZE_16_BITS = 0b0111;
const RATE_24_KHZ = 0b0111;
const MONO_16_BITS = 0b0000_1000;
/** Subframe types. Noise is shortest verbatim. */
const VERBATIM = 0b000001;
const FIXED = 0b001000;
const LINEAR = 0b100000;

const crcTable = (bits: 8 | 16, polynomial: number): Uint16Array =>
  Uint16Array.from({ length: 256 }, (_, byte) => {
    const top = 1 << (bits - 1);
    let crc = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & top ? (crc << 1) ^ polynomial : crc << 1;
    return crc & ((1 << bits) - 1);
  });
const CRC8 = crcTable(8, 0x07);
const CRC16 = crcTable(16, 0x8005);
const crc8 = (bytes: Uint8Array) => bytes.reduce((crc, byte) => CRC8[crc ^ byte]!, 0);
const crc16 = (bytes: Uint8Array) =>
  bytes.reduce((crc, byte) => ((crc << 8) & 0xffff) ^ CRC16[((crc >> 8) ^ byte) & 0xff]!, 0);

interface RicePlan {
  readonly order: number;
  readonly parameters: readonly number[];
  readonly bits: number;
}

export function flacFrame(block: Int16Array, index: number): Uint8Array {
  const writer = new BitWriter();
  writeHeader(writer, block.length, index);
  writer.write(crc8(writer.bytes), 8);
  writeSubframe(writer, block);
  writer.align();
  writer.write(crc16(writer.bytes), 16);
  return writer.bytes;
}

function writeHeader(writer: BitWriter, samples: number, index: number): void {
  writer.write(SYNC_FIXED_BLOCKS, 16);
  writer.write((BLOCK_SIZE_16_BITS << 4) | RATE_24_KHZ, 8);
  writer.write(MONO_16_BITS, 8);
  writeCodedNumber(writer, index);
  writer.write(samples - 1, 16);
}

/** Encodes a number as UTF-8 encodes code points, but up to 31 bits. */
function writeCodedNumber(writer: BitWriter, value: number): void {
  if (value < 0x80) {
    writer.write(value, 8);
    return;
  }
  let extra = 1;
  while (extra < 5 && value >= 2 ** (5 * extra + 6)) extra += 1;
  writer.write(((0xff00 >> (extra + 1)) & 0xff) | Math.floor(value / 64 ** extra), 8);
  for (let at = extra - 1; at >= 0; at -= 1) writer.write(0x80 | (Math.floor(value / 64 ** at) % 64), 8);
}

function writeSubframe(writer: BitWriter, block: Int16Array): void {
  let best: { prediction: Prediction; rice: RicePlan; bits: number } | undefined;
  for (const prediction of predictions(block)) {
    const rice = planRice(prediction.residual, prediction.order);
    const bits = rice.bits + prediction.order * BITS_PER_SAMPLE + (prediction.linear ? prediction.linear.bits : 0);
    if (!best || bits < best.bits) best = { prediction, rice, bits };
  }
  const { prediction, rice, bits } = best!;
  if (bits >= block.length * BITS_PER_SAMPLE) {
    writer.write(VERBATIM << 1, 8);
    for (const sample of block) writer.write(sample, BITS_PER_SAMPLE);
    return;
  }
  const { order, linear, residual } = prediction;
  writer.write((linear ? LINEAR | (order - 1) : FIXED | order) << 1, 8);
  for (let i = 0; i < order; i += 1) writer.write(block[i]!, BITS_PER_SAMPLE);
  if (linear) {
    writer.write(linear.precision - 1, 4);
    writer.write(linear.shift, 5);
    for (const coefficient of linear.coefficients) writer.write(coefficient, linear.precision);
  }
  writeResidual(writer, residual, order, rice);
}

/** Maps signed numbers to unsigned ones, small to small. */
const folded = (value: number): number => (value >= 0 ? value * 2 : -value * 2 - 1);

function writeResidual(writer: BitWriter, residual: Int32Array, order: number, rice: RicePlan): void {
  writer.write(rice.order, 6);
  const size = residual.length >> rice.order;
  for (const [i, parameter] of rice.parameters.entries()) {
    writer.write(parameter, 4);
    const to = i === rice.parameters.length - 1 ? residual.length : (i + 1) * size;
    for (let at = Math.max(order, i * size); at < to; at += 1) {
      const value = folded(residual[at]!);
      writer.writeUnary(value >> parameter);
      if (parameter > 0) writer.write(value, parameter);
    }
  }
}

/** Fine partitions pay where the audio changes within a block, coarse ones where it does not. */
function planRice(residual: Int32Array, order: number): RicePlan {
  let best: RicePlan | undefined;
  for (let partition = 0; partition <= MAX_PARTITION_ORDER; partition += 1) {
    const size = residual.length >> partition;
    if (size << partition !== residual.length || size <= order) break;
    const parameters: number[] = [];
    let bits = 6;
    for (let from = 0; from < residual.length; from += size) {
      const begin = Math.max(order, from);
      let sum = 0;
      for (let at = begin; at < from + size; at += 1) sum += folded(residual[at]!);
      const count = from + size - begin;
      const parameter = Math.max(0, Math.min(MAX_RICE, Math.round(Math.log2(Math.max(1, (sum / count) * Math.LN2)))));
      parameters.push(parameter);
      bits += 4 + count * (1 + parameter) + sum / 2 ** parameter;
    }
    if (!best || bits < best.bits) best = { order: partition, parameters, bits };
  }
  return best ?? { order: 0, parameters: [0], bits: 0 };
}
