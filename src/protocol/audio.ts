/** The service's audio format, and conversions between samples, bytes and time. */

export const SAMPLE_RATE = 24_000;
const BYTES_PER_SAMPLE = 2;
export const CHANNELS = 1;
const WAV_HEADER_BYTES = 44;

/** The length in a header that is sent before the length is known. */
const UNKNOWN_LENGTH = 0xffff_ffff;

/** The largest length that a WAV header can hold. */
export const MAX_WAV_DATA_BYTES = 0xffff_ffff - WAV_HEADER_BYTES;

export const samplesToMs = (samples: number): number => (samples * 1000) / SAMPLE_RATE;
export const msToSamples = (ms: number): number => Math.round((ms * SAMPLE_RATE) / 1000);
export const bytesToSamples = (bytes: number): number => bytes / BYTES_PER_SAMPLE;
export const samplesToBytes = (samples: number): number => samples * BYTES_PER_SAMPLE;

/** A view, not a copy: the samples of `pcm` as little-endian bytes. */
export function pcmBytes(pcm: Int16Array): Buffer {
  return Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
}

/** The samples in `bytes`: a view where the memory is aligned, a copy where it is not. */
export function pcmSamples(bytes: Uint8Array): Int16Array {
  const length = bytes.byteLength >> 1;
  if (bytes.byteOffset % 2 === 0) return new Int16Array(bytes.buffer, bytes.byteOffset, length);
  return new Int16Array(bytes.slice(0, length * 2).buffer);
}

/** Pieces of audio as one, in a buffer of its own, which may be handed to another thread. */
export function joinPcm(parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Joins samples whose two bytes arrive in different chunks. */
export class SampleJoiner {
  #half: Buffer | undefined;

  /** Returns the bytes of the samples that `part` completes. */
  take(part: Buffer): Buffer {
    const bytes = this.#half ? Buffer.concat([this.#half, part]) : part;
    const whole = bytes.length - (bytes.length % BYTES_PER_SAMPLE);
    this.#half = whole < bytes.length ? bytes.subarray(whole) : undefined;
    return bytes.subarray(0, whole);
  }

  /** Whether half a sample is left. */
  get isOdd(): boolean {
    return this.#half !== undefined;
  }
}

/** The 44-byte header of a WAV of `dataBytes` bytes, or of a stream whose length is unknown. */
export function wavHeader(dataBytes?: number, sampleRate: number = SAMPLE_RATE): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(dataBytes === undefined ? UNKNOWN_LENGTH : dataBytes + WAV_HEADER_BYTES - 8, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(CHANNELS, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * CHANNELS * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(CHANNELS * BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes === undefined ? UNKNOWN_LENGTH : dataBytes, 40);
  return header;
}
