/** A voice's style table: one Kokoro style, or several blended by their shares. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { TtsError } from '../protocol/errors.js';
import type { StyleShare } from './catalogue.js';

/** One row for each number of tokens (without pads): 0 to 509. */
export const STYLE_ROWS = 510;
export const STYLE_WIDTH = 256;

/** The whole table, rows one after another; the row for `tokens` begins at `min(tokens, 509) × 256`. */
export async function loadStyle(stylesDir: string, mix: readonly StyleShare[]): Promise<Float32Array> {
  const table = new Float32Array(STYLE_ROWS * STYLE_WIDTH);
  for (const { style, weight } of mix) {
    const file = path.join(stylesDir, `${style}.bin`);
    const bytes = await readFile(file).catch((cause) => {
      throw new TtsError('model_corrupt', `The style ${file} could not be read. Repair it with: tts models pull`, {
        cause,
      });
    });
    if (bytes.byteLength !== table.byteLength) {
      throw new TtsError('model_corrupt', `The style ${file} has a wrong size. Repair it with: tts models pull`);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let index = 0; index < table.length; index++) table[index]! += weight * view.getFloat32(index * 4, true);
  }
  return table;
}
