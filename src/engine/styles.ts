/** Style vectors: the row for a length of text, mixes of styles, and variations by seed. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { TtsError } from '../protocol/errors.js';
import type { StyleShare } from '../protocol/job.js';
import { AsyncMemo } from './async-memo.js';

export const STYLE_SIZE = 256;
/** Elements before this one colour the sound; those from it on shape melody and rhythm. */
const PROSODY_FROM = 128;
const ROWS = 510;

export interface SpokenStyle {
  readonly style: Float32Array;
  readonly speed: number;
}

export interface Styles {
  /**
   * The style for a text of `tokens` tokens (pads not counted), varied by `seed`; seed 0 is the
   * canonical reading.
   */
  take(mix: readonly StyleShare[], tokens: number, seed: number): Promise<SpokenStyle>;
}

export function createStyles(stylesDir: string): Styles {
  const tables = new AsyncMemo<string, Float32Array>();

  async function load(style: string): Promise<Float32Array> {
    const file = path.join(stylesDir, `${style}.bin`);
    let bytes: Buffer;
    try {
      bytes = await readFile(file);
    } catch (cause) {
      throw new TtsError('model_missing', `The style file ${file} could not be read. Run: tts models pull`, { cause });
    }
    if (bytes.length !== ROWS * STYLE_SIZE * 4) {
      throw new TtsError('model_corrupt', `The style file ${file} has a wrong size. Run: tts models verify`);
    }
    const table = new Float32Array(ROWS * STYLE_SIZE);
    // Little-endian, as every processor is that the runtime is built for.
    new Uint8Array(table.buffer).set(bytes);
    return table;
  }

  async function rowOf(mix: readonly StyleShare[], row: number): Promise<Float32Array> {
    const mixed = new Float32Array(STYLE_SIZE);
    for (const { style, weight } of mix) {
      const table = await tables.get(style, load);
      const from = Math.min(ROWS - 1, Math.max(0, row)) * STYLE_SIZE;
      for (let i = 0; i < STYLE_SIZE; i += 1) mixed[i]! += weight * table[from + i]!;
    }
    return mixed;
  }

  return {
    async take(mix, tokens, seed) {
      const style = await rowOf(mix, tokens);
      if (seed === 0) return { style, speed: 1 };
      return vary(style, await rowOf(mix, tokens + NEAR_TOKENS), await rowOf(mix, tokens + FAR_TOKENS), seed);
    },
  };
}

/** Tokens further on at which a style is taken as "near" and "far" for the variations of a seed. */
const NEAR_TOKENS = 24;
const FAR_TOKENS = 96;

/**
 * Another reading of the same sentence. The melody half moves at random along the way the voice
 * itself takes between shorter and longer texts, and the tempo by up to 3 %. The half that colours
 * the sound stays, so that the voice is the same.
 */
function vary(style: Float32Array, near: Float32Array, far: Float32Array, seed: number): SpokenStyle {
  const random = randomOf(seed);
  const towardsNear = 1.2 * random() - 0.6;
  const towardsFar = 0.7 * random() - 0.3;
  const speed = 1 + 0.06 * (random() - 0.5);
  const varied = style.slice();
  for (let i = PROSODY_FROM; i < STYLE_SIZE; i += 1) {
    const grain = 0.12 * (random() + random() - 1);
    const step = towardsNear * (near[i]! - style[i]!) + towardsFar * (far[i]! - style[i]!);
    varied[i] = style[i]! + step + grain * (Math.abs(style[i]!) + 0.1);
  }
  return { style: varied, speed };
}

/** Numbers in [0, 1) that follow from the seed alone (splitmix32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 2 ** 32;
  };
}
