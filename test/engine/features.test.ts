/** Features of an utterance channel by channel, as cores make them, and frame by frame. */
import { Tensor } from 'onnxruntime-node';
import { expect, it } from 'vitest';
import { byFrame, CHANNELS } from '../../src/engine/vocoder/features.js';
import { numbersOf } from '../../src/models/onnx/half-floats.js';

it('lays features out frame by frame, with mean and variance of each channel', () => {
  const frames = 3;
  const values = Float32Array.from({ length: CHANNELS * frames }, (_, i) => ((i * 37) % 101) / 8);
  const { rows, mean, variance } = byFrame(new Tensor('float32', values, [1, CHANNELS, frames]));
  expect(rows.dims).toEqual([1, frames, CHANNELS]);
  const numbers = numbersOf(rows.data as Uint16Array);
  for (const channel of [0, 1, 200, CHANNELS - 1]) {
    const own = [...values.subarray(channel * frames, (channel + 1) * frames)];
    expect(own.map((_, frame) => numbers[frame * CHANNELS + channel])).toEqual(own);
    const middle = own.reduce((sum, value) => sum + value, 0) / frames;
    expect(mean.data[channel]).toBeCloseTo(middle, 5);
    expect(variance.data[channel]).toBeCloseTo(own.reduce((sum, value) => sum + (value - middle) ** 2, 0) / frames, 4);
  }
});
