/** Numbers in float16, which JavaScript has no arrays of. */

const FLOAT = new Float32Array(1);
const BITS = new Uint32Array(FLOAT.buffer);

/** The bits of the float16 nearest to a number; ties to even. */
function halfOf(value: number): number {
  FLOAT[0] = value;
  const bits = BITS[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const size = bits & 0x7fffffff;
  if (size > 0x7f800000) return sign | 0x7e00;
  if (size >= 0x477ff000) return sign | 0x7c00;
  if (size < 0x33000000) return sign;
  const exponent = (size >>> 23) - 127;
  const shift = exponent < -14 ? 13 + (-14 - exponent) : 13;
  const mantissa = (size & 0x7fffff) | 0x800000;
  const base = exponent < -14 ? mantissa >>> shift : ((exponent + 14) << 10) + (mantissa >>> shift);
  const rest = mantissa & ((1 << shift) - 1);
  const middle = 1 << (shift - 1);
  const up = rest > middle || (rest === middle && (base & 1) === 1) ? 1 : 0;
  return sign | (base + up);
}

/** The smallest float32 (its bits) that is a normal number in float16, and the first too large. */
const [LEAST_NORMAL, TOO_LARGE] = [0x38800000, 0x477ff000];
/** What float32 adds to an exponent beyond what float16 does, in its place. */
const EXPONENT_APART = 0x38000000;

/** The bits of the float16 nearest to each number; ties to even. */
export function halvesOf(values: Float32Array): Uint16Array {
  const halves = new Uint16Array(values.length);
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < halves.length; i += 1) {
    const size = bits[i]! & 0x7fffffff;
    halves[i] =
      size >= LEAST_NORMAL && size < TOO_LARGE
        ? ((bits[i]! >>> 16) & 0x8000) | ((size - EXPONENT_APART + 0xfff + ((size >>> 13) & 1)) >>> 13)
        : halfOf(values[i]!);
  }
  return halves;
}

/** The number that a float16 stands for. */
function numberOf(half: number): number {
  const [sign, exponent, mantissa] = [half & 0x8000 ? -1 : 1, (half >>> 10) & 0x1f, half & 0x3ff];
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 0x1f) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

/** All of them, once they were needed. */
let numbers: Float32Array | undefined;

export function numbersOf(halves: Uint16Array): Float32Array {
  numbers ??= Float32Array.from({ length: 0x10000 }, (_, half) => numberOf(half));
  const values = new Float32Array(halves.length);
  for (let i = 0; i < values.length; i += 1) values[i] = numbers[halves[i]!]!;
  return values;
}
