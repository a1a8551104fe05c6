/** mp3 by LAME at a constant bit rate. Its first frame says how much silence the codec added. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder, type WasmMediaEncoder } from 'wasm-media-encoders';
import type { Codec, EncoderOptions } from './codec.js';
import type { AudioSpec } from './format.js';
import { id3Tag } from './id3.js';
import { DECODER_DELAY, ENCODER_DELAY, FrameWalker, frameSamples, infoFrame } from './mp3-frames.js';
import { createResampler } from './resampler.js';
import { type Chapter, untimed } from './tags.js';

type Mp3Spec = Extract<AudioSpec, { readonly codec: 'mp3' }>;
type Compiled = Parameters<typeof createEncoder>[1];
type Lame = WasmMediaEncoder<'audio/mpeg'>;

/** Instances of the codec that are kept for reuse; each reserves 16 MiB of addresses. */
const MAX_IDLE = 8;
const idle: Lame[] = [];
let compiled: Promise<Compiled> | undefined;

/** Compiled once, which takes longer than everything else. */
async function compile(): Promise<Compiled> {
  const bytes = await readFile(createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3'));
  return new Promise((resolve, reject) => {
    createEncoder('audio/mpeg', bytes, resolve).catch(reject);
  });
}

async function takeLame(): Promise<Lame> {
  const free = idle.pop();
  if (free) return free;
  compiled ??= compile();
  return createEncoder('audio/mpeg', await compiled);
}

export async function createMp3(
  { sampleRate, kbps }: Mp3Spec,
  { tags = {}, chapterTitles = [] }: EncoderOptions,
): Promise<Codec> {
  let lame: Lame | undefined = await takeLame();
  lame.configure({ channels: 1, sampleRate, outputSampleRate: sampleRate, bitrate: kbps });
  const resampler = createResampler(sampleRate);
  const walker = new FrameWalker();
  const perFrame = frameSamples(sampleRate);
  let samples = 0;
  let bytes = 0;
  let frames = 0;
  let begun = false;

  function begin(): Uint8Array[] {
    if (begun) return [];
    begun = true;
    return [id3Tag(tags, untimed(chapterTitles)), infoFrame({ sampleRate, kbps })];
  }
  /** A copy: the next call of the codec overwrites its output. */
  function encode(input: Float32Array): Buffer {
    samples += input.length;
    const out = Buffer.from(lame!.encode([input]));
    walker.pass(out);
    bytes += out.length;
    return out;
  }
  /** Removes the frames of silence with which the codec fills up. */
  function flush(): Buffer {
    const out = Buffer.from(lame!.finalize());
    walker.pass(out);
    frames = Math.ceil((samples + ENCODER_DELAY + DECODER_DELAY) / perFrame);
    const surplus = walker.frames - frames;
    const to = surplus > 0 ? walker.recent.at(-surplus)! - bytes : out.length;
    // Only frames that were not sent yet can be removed; the others count as padding.
    const kept = out.subarray(0, Math.max(0, to));
    if (to < 0 || surplus < 0) frames = walker.frames;
    bytes += kept.length;
    return kept;
  }

  return {
    encode: (pcm) => Buffer.concat([...begin(), encode(resampler.push(pcm))]),
    end: () => Buffer.concat([...begin(), encode(resampler.end()), flush()]),
    settledHead(chapters: readonly Chapter[] = untimed(chapterTitles)) {
      const padding = Math.max(0, Math.min(4095, frames * perFrame - samples - ENCODER_DELAY));
      return Buffer.concat([
        id3Tag(tags, chapters),
        infoFrame({ sampleRate, kbps, whole: { frames, bytes, padding } }),
      ]);
    },
    close() {
      if (lame && idle.length < MAX_IDLE) idle.push(lame);
      lame = undefined;
    },
  };
}
