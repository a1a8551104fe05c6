/** Our WAV header beside the one that the package wav writes. */

import { describe, expect, it } from 'vitest';
import { Writer } from 'wav';
import { CHANNELS, SAMPLE_RATE, wavHeader } from '../../src/protocol/audio.js';

/** The header that wav's writer tells once it has seen `bytes` of data. */
async function headerByWav(bytes: number): Promise<Buffer> {
  const writer = new Writer({ sampleRate: SAMPLE_RATE, channels: CHANNELS, bitDepth: 16 });
  const header = new Promise<Buffer>((resolve) => writer.once('header', resolve));
  writer.resume();
  writer.end(Buffer.alloc(bytes));
  return header;
}

describe('a WAV header', () => {
  it.each([0, 2, 48_000, 1_234_566])("is that of wav's writer for %d bytes", async (bytes) => {
    expect(wavHeader(bytes)).toEqual(await headerByWav(bytes));
  });
});
