/** Playback faster and slower: the length changes, pitch and level stay. */
import { describe, expect, it } from 'vitest';
import { Stretcher } from '../../web/src/audio/stretcher.js';

const RATE = 24_000;
/** What the audio output asks for at a time. */
const BLOCK = 128;

/** A voice of sorts: harmonics of a pitch that glides, louder and softer as syllables are. */
function voice(seconds: number, hz: number): Float32Array {
  const out = new Float32Array(seconds * RATE);
  let phase = 0;
  for (let i = 0; i < out.length; i++) {
    const t = i / RATE;
    phase += (2 * Math.PI * hz * (1 + 0.05 * Math.sin(2 * Math.PI * 0.7 * t))) / RATE;
    let sample = 0;
    for (let n = 1; n <= 12; n++) sample += Math.sin(n * phase) / (1 + Math.abs(n - 5));
    out[i] = 0.15 * sample * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * t));
  }
  return out;
}

const sine = (seconds: number, hz: number): Float32Array =>
  Float32Array.from({ length: seconds * RATE }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / RATE));

interface Heard {
  readonly samples: Float32Array;
  /** The position in the source before each block. */
  readonly positions: readonly number[];
}

/** Plays it as the worklet does: pieces come in while blocks go out. */
function play(source: Float32Array, speedAt: (outS: number) => number): Heard {
  const stretcher = new Stretcher(RATE * 12);
  const blocks: Float32Array[] = [];
  const positions: number[] = [];
  let pushed = 0;
  while (!stretcher.done) {
    while (pushed < source.length && stretcher.held < RATE / 2) {
      stretcher.push(source.slice(pushed, pushed + 700));
      pushed += 700;
    }
    if (pushed >= source.length) stretcher.end();
    stretcher.speed = speedAt((blocks.length * BLOCK) / RATE);
    positions.push(stretcher.position);
    const block = new Float32Array(BLOCK);
    blocks.push(block.subarray(0, stretcher.pull(block)));
  }
  const samples = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    samples.set(block, at);
    at += block.length;
  }
  return { samples, positions };
}

/** The period of the strongest autocorrelation in the middle of a signal, as a frequency. */
function pitchOf(samples: Float32Array): number {
  const from = Math.floor(samples.length / 2);
  let best = 0;
  let bestLag = 1;
  for (let lag = RATE / 300; lag <= RATE / 60; lag++) {
    let sum = 0;
    let energy = 0;
    for (let i = from; i < from + 4_000; i++) {
      sum += samples[i]! * samples[i + lag]!;
      energy += samples[i + lag]! ** 2;
    }
    const likeness = sum / Math.sqrt(energy);
    if (likeness > best) [best, bestLag] = [likeness, lag];
  }
  return RATE / bestLag;
}

const rms = (samples: Float32Array) => Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
const jump = (samples: Float32Array) => {
  let most = 0;
  for (let i = 1; i < samples.length; i++) most = Math.max(most, Math.abs(samples[i]! - samples[i - 1]!));
  return most;
};

describe('the stretcher', () => {
  it('passes samples unchanged at speed 1', () => {
    const source = voice(1, 110);
    expect(play(source, () => 1).samples).toEqual(source);
  });

  it.each([0.5, 0.75, 1.25, 1.5, 2])('changes the length by %d and keeps pitch and level', (speed) => {
    for (const hz of [90, 210]) {
      const source = voice(4, hz);
      const { samples } = play(source, () => speed);
      expect(Math.abs(samples.length - source.length / speed) / RATE).toBeLessThan(0.05);
      expect(Math.abs(pitchOf(samples) / pitchOf(source) - 1)).toBeLessThan(0.06);
      expect(Math.abs(20 * Math.log10(rms(samples) / rms(source)))).toBeLessThan(1);
      expect(jump(samples)).toBeLessThan(jump(source) * 1.15);
    }
  });

  it('keeps a tone a tone: twice as fast, the same number of waves a second', () => {
    const { samples } = play(sine(2, 440), () => 2);
    const crossings = samples.reduce((sum, x, i) => sum + (i > 0 && samples[i - 1]! < 0 && x >= 0 ? 1 : 0), 0);
    expect(crossings / (samples.length / RATE)).toBeCloseTo(440, -1);
    expect(jump(samples)).toBeLessThan(jump(sine(1, 440)) * 1.05);
  });

  it.each([0.5, 1.5])('tells the place in the source at speed %d', (speed) => {
    const { positions } = play(voice(3, 120), () => speed);
    for (const [block, position] of positions.entries()) {
      if (block * BLOCK * speed > RATE * 2.9) break;
      expect(Math.abs(position - block * BLOCK * speed) / RATE).toBeLessThan(0.002);
    }
  });

  it('goes on without a click when the speed changes, and is exact again at 1', () => {
    const source = voice(4, 130);
    const { samples, positions } = play(source, (s) => (s < 0.5 ? 1 : s < 1 ? 2 : s < 1.5 ? 0.5 : 1));
    expect(jump(samples)).toBeLessThan(jump(source) * 1.15);
    for (let i = 1; i < positions.length; i++) {
      expect(positions[i]! - positions[i - 1]!).toBeGreaterThan(-RATE * 0.03);
      expect(positions[i]! - positions[i - 1]!).toBeLessThan(RATE * 0.04);
    }
    const rest = samples.subarray(-RATE / 2);
    expect(rest).toEqual(source.subarray(-rest.length));
  });

  it('gives less than is asked for where samples are missing, and all of it once they came', () => {
    const source = sine(1, 200);
    const stretcher = new Stretcher(RATE * 12);
    stretcher.speed = 1.5;
    stretcher.push(source.subarray(0, 2_000));
    const out = new Float32Array(RATE);
    const first = stretcher.pull(out);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(2_000 / 1.5);
    expect(stretcher.done).toBe(false);
    stretcher.push(source.subarray(2_000));
    stretcher.end();
    const second = stretcher.pull(out.subarray(first));
    expect(Math.abs(first + second - source.length / 1.5) / RATE).toBeLessThan(0.05);
    expect(stretcher.done).toBe(true);
  });

  it('is silent in silence', () => {
    const { samples } = play(new Float32Array(RATE), () => 0.5);
    expect(rms(samples)).toBe(0);
  });
});
