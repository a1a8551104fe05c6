/**
 * An utterance after the front, as it is kept for the light generator's own test, and its windows
 * as that is given them.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Tensor } from 'onnxruntime-node';
import { UNSCHEDULED } from '../../../src/engine/engine.js';
import { type Packed, packed } from '../../../src/engine/graphs/packed.js';
import { createFastVocoder } from '../../../src/engine/vocoder/fast-vocoder.js';
import { dueWindows } from '../../../src/engine/vocoder/windows.js';
import { PACKAGE_VOICES_DIR } from '../../../src/models/manifest.js';

export const LIGHT_GENERATOR = path.join(PACKAGE_VOICES_DIR, 'base-tts-fast/generator-int8.onnx');

/** The same, with the samples that the generator was trained to make of it. */
export function lightReference() {
  const kept = JSON.parse(readFileSync(path.join(PACKAGE_VOICES_DIR, 'base-tts-fast/reference.json'), 'utf8')) as {
    frames: number;
    xStep: number;
    [name: string]: string | number;
  };
  const bytes = (name: string): ArrayBuffer => new Uint8Array(Buffer.from(String(kept[name]), 'base64')).buffer;
  const { frames, xStep } = kept;
  const x = Float32Array.from(new Int16Array(bytes('x')), (value) => value * xStep);
  return {
    frames,
    durations: new Float32Array(0),
    x: new Tensor('float32', x, [1, 512, frames]),
    f0: new Tensor('float32', new Float32Array(bytes('f0')), [1, 1, frames]),
    s: new Tensor('float32', new Float32Array(bytes('s')), [1, 128]),
    waveform: Float32Array.from(new Int16Array(bytes('waveform')), (value) => value / 32_767),
  };
}

export async function lightWindows(): Promise<Packed[]> {
  const front = lightReference();
  const { frames } = front;
  const windows: Packed[] = [];
  const collect = {
    run: async (feeds: Readonly<Record<string, Tensor>>) => {
      windows.push(packed(feeds));
      return { waveform: new Tensor('float32', new Float32Array(frames * 300), [1, frames * 300]) };
    },
    release: async () => undefined,
  };
  const cut = createFastVocoder(collect, dueWindows()).begin(front, 0, frames);
  while (!cut.ended) await cut.next(UNSCHEDULED);
  return windows;
}
