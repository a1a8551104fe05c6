/** Samples as speech-dispatcher's server takes them from a module: a block of `705` lines. */
import { pcmBytes } from '../protocol/audio.js';

/** HDLC's: a newline and the escape itself are sent behind an escape, with bit 5 inverted. */
const ESCAPE = 0x7d;
const INVERTED = 0x20;
const NEWLINE = 0x0a;

/** 16 bits, mono, little-endian. */
export function audioBlock(pcm: Int16Array, sampleRate: number): Buffer {
  const head =
    `705-bits=16\n705-num_channels=1\n705-sample_rate=${sampleRate}\n` +
    `705-num_samples=${pcm.length}\n705-big_endian=0\n705-AUDIO\0`;
  return Buffer.concat([Buffer.from(head), escaped(pcmBytes(pcm)), Buffer.from('\n705 AUDIO\n')]);
}

function escaped(bytes: Uint8Array): Buffer {
  let extra = 0;
  for (let i = 0; i < bytes.length; i += 1) if (isEscaped(bytes[i]!)) extra += 1;
  if (extra === 0) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = Buffer.allocUnsafe(bytes.length + extra);
  let at = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (isEscaped(byte)) {
      out[at++] = ESCAPE;
      out[at++] = byte ^ INVERTED;
    } else out[at++] = byte;
  }
  return out;
}

const isEscaped = (byte: number): boolean => byte === ESCAPE || byte === NEWLINE;
