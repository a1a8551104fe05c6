/** Numbers in float16: every one of them there and back, and what lies between two of them. */
import { expect, it } from 'vitest';
import { halvesOf, numbersOf } from '../../src/models/onnx/half-floats.js';

const ALL = Uint16Array.from({ length: 0x10000 }, (_, half) => half);
const isNumber = (half: number): boolean => (half & 0x7c00) !== 0x7c00 || (half & 0x3ff) === 0;

it('gives back every float16', () => {
  const back = halvesOf(numbersOf(ALL));
  expect([...back].filter((half, i) => half !== ALL[i] && isNumber(ALL[i]!))).toEqual([]);
  expect(numbersOf(Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7c00))).toEqual(
    Float32Array.of(1, -2, 2 ** -24, Number.POSITIVE_INFINITY),
  );
});

it('takes the nearest, the even one of two that are as near, and infinity for what is too large', () => {
  const finite = numbersOf(ALL.subarray(0, 0x7c00));
  for (let half = 0; half + 1 < finite.length; half += 37) {
    const [low, high] = [finite[half]!, finite[half + 1]!];
    const [below, middle, above] = halvesOf(
      Float32Array.of(low + (high - low) * 0.49, (low + high) / 2, low + (high - low) * 0.51),
    );
    expect([below, middle, above]).toEqual([half, half + (half & 1), half + 1]);
  }
  expect([...halvesOf(Float32Array.of(65_519, 65_520, -1e9, Number.NaN))]).toEqual([0x7bff, 0x7c00, 0xfc00, 0x7e00]);
});
