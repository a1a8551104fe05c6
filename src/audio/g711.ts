/** ITU-T G.711: 16-bit samples in 8 bits, by μ-law (America, Japan) and A-law (elsewhere). */

const BIAS = 0x84;
const CLIP = 32_635;

function muLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const size = Math.min(CLIP, Math.abs(sample)) + BIAS;
  const exponent = 31 - Math.clz32(size) - 7;
  const mantissa = (size >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

function aLaw(sample: number): number {
  const positive = sample >= 0;
  const size = (positive ? sample : -sample - 1) >> 3;
  const exponent = size < 32 ? 0 : 31 - Math.clz32(size) - 4;
  const mantissa = (exponent === 0 ? size >> 1 : size >> exponent) & 0x0f;
  return ((exponent << 4) | mantissa | (positive ? 0x80 : 0)) ^ 0x55;
}

export const toMuLaw = (pcm: Int16Array): Uint8Array => Uint8Array.from(pcm, muLaw);
export const toALaw = (pcm: Int16Array): Uint8Array => Uint8Array.from(pcm, aLaw);
