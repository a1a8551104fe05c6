/** Predictors of a FLAC block: fixed ones (differences), and a linear one fitted to the block. */

export interface Prediction {
  /** Samples at the beginning that are stored verbatim. */
  readonly order: number;
  /** The error of the prediction for each sample; the first `order` are unused. */
  readonly residual: Int32Array;
  /** Undefined for differences, which need no coefficients. */
  readonly linear?: {
    readonly coefficients: readonly number[];
    readonly precision: number;
    readonly shift: number;
    /** Bits that the coefficients take. */
    readonly bits: number;
  };
}

const MAX_DIFFERENCES = 4;
const LINEAR_ORDER = 10;
/** Bits of a coefficient: with 16-bit samples the sums fit into 32 bits. */
const PRECISION = 12;
const MAX_SHIFT = 15;

export function predictions(block: Int16Array): Prediction[] {
  const found = [bestDifferences(block)];
  const linear = block.length > 4 * LINEAR_ORDER ? fitLinear(block) : undefined;
  if (linear) found.push(linear);
  return found;
}

/** The best of the fixed predictors of order 0 to 4. */
function bestDifferences(block: Int16Array): Prediction {
  let residual = Int32Array.from(block);
  let best: Prediction = { order: 0, residual };
  let least = sizeOf(residual, 0);
  for (let order = 1; order <= Math.min(MAX_DIFFERENCES, block.length - 1); order += 1) {
    const next = residual.slice();
    for (let i = order; i < next.length; i += 1) next[i] = residual[i]! - residual[i - 1]!;
    residual = next;
    const size = sizeOf(residual, order);
    if (size < least) {
      least = size;
      best = { order, residual };
    }
  }
  return best;
}

function sizeOf(residual: Int32Array, from: number): number {
  let sum = 0;
  for (let i = from; i < residual.length; i += 1) sum += Math.abs(residual[i]!);
  return sum;
}

function fitLinear(block: Int16Array): Prediction | undefined {
  const real = levinsonDurbin(autocorrelation(block));
  if (!real) return undefined;
  const largest = Math.max(...real.map(Math.abs));
  const shift = Math.min(MAX_SHIFT, PRECISION - 1 - Math.max(0, Math.ceil(Math.log2(largest))));
  if (shift < 0) return undefined;
  const limit = 2 ** (PRECISION - 1);
  const coefficients = real.map((value) => Math.max(-limit, Math.min(limit - 1, Math.round(value * 2 ** shift))));
  const residual = new Int32Array(block.length);
  for (let i = LINEAR_ORDER; i < block.length; i += 1) {
    let sum = 0;
    for (let k = 0; k < LINEAR_ORDER; k += 1) sum += coefficients[k]! * block[i - 1 - k]!;
    residual[i] = block[i]! - (sum >> shift);
  }
  return {
    order: LINEAR_ORDER,
    residual,
    linear: { coefficients, precision: PRECISION, shift, bits: 9 + LINEAR_ORDER * PRECISION },
  };
}

function autocorrelation(block: Int16Array): number[] {
  const windowed = new Float64Array(block.length);
  for (let i = 0; i < block.length; i += 1) {
    windowed[i] = block[i]! * (0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / block.length));
  }
  return Array.from({ length: LINEAR_ORDER + 1 }, (_, lag) => {
    let sum = 0;
    for (let i = lag; i < windowed.length; i += 1) sum += windowed[i]! * windowed[i - lag]!;
    return sum;
  });
}

/** Undefined for silence, which needs no predictor. */
function levinsonDurbin(correlation: readonly number[]): number[] | undefined {
  let error = correlation[0]!;
  if (error < 1) return undefined;
  let coefficients: number[] = [];
  for (let order = 0; order < LINEAR_ORDER; order += 1) {
    let reflection = correlation[order + 1]!;
    for (let k = 0; k < order; k += 1) reflection -= coefficients[k]! * correlation[order - k]!;
    reflection /= error;
    const before = coefficients;
    coefficients = before.map((value, k) => value - reflection * before[order - 1 - k]!);
    coefficients.push(reflection);
    error *= 1 - reflection * reflection;
    if (error <= 0) return undefined;
  }
  return coefficients;
}
