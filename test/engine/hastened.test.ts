/** Frames left out before the vocoder: as many as asked for, of long sounds and rests first. */
import { Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { hastened, spokenPace } from '../../src/engine/delivery/hastened.js';
import { planSpeech } from '../../src/engine/plan.js';
import { type AcousticFeatures, CHANNELS } from '../../src/engine/vocoder/features.js';
import { halvesOf } from '../../src/models/onnx/half-floats.js';
import { speedParts } from '../../src/protocol/speed.js';

const tokens = [...'tæt, tæt.'].map((symbol, at) => ({ id: 1, symbol, start: at, end: at + 1 }));
/** A pad, stops of one step and vowels of eight, a comma and a space, a full stop, a pad. */
const durations = Float32Array.from([12, 1, 8, 1, 8, 2, 1, 8, 1, 10, 12]);
const frames = durations.reduce((sum, steps) => sum + 2 * steps, 0);

/** Each frame of the first channel holds its own number, and so does the pitch. */
function numbered(byFrame: boolean): AcousticFeatures {
  const f0 = new Tensor(
    'float32',
    Float32Array.from({ length: frames }, (_, at) => 100 + at),
    [1, 1, frames],
  );
  const at = (i: number) => (byFrame ? Math.floor(i / CHANNELS) : i % frames);
  const data = Float32Array.from({ length: CHANNELS * frames }, (_, i) => at(i));
  const zeros = new Tensor('float32', new Float32Array(CHANNELS), [1, CHANNELS]);
  const x = new Tensor('float32', data, byFrame ? [1, frames, CHANNELS] : [1, CHANNELS, frames]);
  const s = new Tensor('float32', new Float32Array(128), [1, 128]);
  const rows = { x: halvesOf(data), mean: zeros, variance: zeros };
  return { x, f0, s, frames, durations, ...(byFrame && { rows }) };
}

const fast = (rate: number) => ({ acoustic: 1, vocoder: rate, stretch: 1 });

describe.each([1.3, 2, 3, 4])('%f times as fast', (rate) => {
  const own = numbered(false);
  const made = hastened(own, tokens, fast(rate));

  it('is as much shorter, in both layouts the same', () => {
    expect(Math.abs(made.frames - frames / rate)).toBeLessThanOrEqual(2);
    const rows = hastened(numbered(true), tokens, fast(rate));
    const byChannel = made.x.data as Float32Array;
    expect(rows.rows!.x.filter((_, i) => i % CHANNELS === 5)).toEqual(
      halvesOf(byChannel.subarray(5 * made.frames, 6 * made.frames)),
    );
    expect(rows.durations).toEqual(made.durations);
  });

  it('never goes back, and shortens stops less than vowels, and rests most', () => {
    const places = (made.x.data as Float32Array).subarray(0, made.frames);
    expect(places.every((place, i) => i === 0 || place >= places[i - 1]!)).toBe(true);
    const shareOf = (index: number) => made.durations[index + 1]! / durations[index + 1]!;
    expect(shareOf(0)).toBeGreaterThan(shareOf(1));
    expect(shareOf(1)).toBeGreaterThan(shareOf(3));
    expect(Math.max(...made.durations.map((steps, i) => steps / durations[i]!))).toBeLessThanOrEqual(1.01);
  });

  it('times every token where its sound went', () => {
    const before = planSpeech(tokens, own.durations).tokenTimes;
    const after = planSpeech(tokens, made.durations).tokenTimes;
    const places = (made.x.data as Float32Array).subarray(0, made.frames);
    for (const [index, { start }] of after.entries()) {
      const place = places[Math.min(places.length - 1, Math.max(0, Math.round(start / 300)))]!;
      // A frame and a half of the new ones, in old ones.
      expect(Math.abs(place - before[index]!.start / 300)).toBeLessThanOrEqual(1.5 * rate * 1.7);
    }
  });
});

it('leaves speech alone that its model speaks at this speed', () => {
  const own = numbered(false);
  for (const speed of [0.25, 0.5, 1]) expect(hastened(own, tokens, speedParts('base-tts', speed))).toBe(own);
});

describe('the pace of a model that was asked for 1.25', () => {
  const pace = (exact: readonly number[], rounded: readonly number[]) =>
    spokenPace({ exact: Float32Array.from(exact), durations: Float32Array.from(rounded) }, tokens, 1.25);
  // As durations above, with a pad each: at its own pace the model says the vowels in 8 steps.
  const exact = [9.6, 0.8, 6.4, 0.8, 6.4, 1.6, 0.8, 6.4, 0.8, 8, 9.6];

  it('is that where rounding leaves it, and slower where sounds are rounded up', () => {
    expect(pace(exact, exact)).toBeCloseTo(1.25);
    const rounded = exact.map((steps) => Math.max(1, Math.round(steps)));
    const [own, spoken] = [1 + 8 + 1 + 8 + 2 + 1 + 8 + 1, 1 + 6 + 1 + 6 + 2 + 1 + 6 + 1];
    expect(pace(exact, rounded)).toBeCloseTo(own / spoken);
    expect(pace(exact, exact.map(Math.ceil))).toBeLessThan(1.2);
  });

  it('hears five steps of a sound before a rest, and none of the pads', () => {
    const long = exact.map((steps, i) => (i === 8 ? 80 : steps));
    expect(pace(long, long)).toBeCloseTo(1.25);
    const padded = (steps: number) => exact.map((own, i) => (i === 0 || i > 8 ? steps : own));
    expect(pace(padded(4), padded(30))).toBeCloseTo(1.25);
  });

  it('is that of a longer utterance, however it was rounded', () => {
    const long = exact.map((steps, i) => (i === 2 ? 60 : steps));
    expect(pace(long, long.map(Math.ceil))).toBe(1.25);
  });

  it('is taken from what was asked for where nothing sounds', () => {
    const rest = { ...tokens[3]!, symbol: '.' };
    const durations = Float32Array.of(9, 3, 9);
    expect(spokenPace({ exact: durations, durations }, [rest], 1.25)).toBe(1.25);
  });
});

it('makes a speed of its parts', () => {
  for (const speed of [0.25, 0.5, 0.8, 1, 1.2, 2, 3, 4]) {
    const { acoustic, vocoder, stretch } = speedParts('base-tts-fast', speed);
    expect(vocoder * stretch).toBeCloseTo(speed);
    expect(vocoder).toBeGreaterThanOrEqual(acoustic);
  }
});
