/** A sentence as it is kept: its sound, and when its characters begin. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

export interface KeptSentence {
  readonly pcm: Int16Array;
  /** For each code point of the text as sent (ms); empty where they are not known. */
  readonly startsMs: readonly number[];
}

/** Bytes of the count before the times. */
const COUNT_BYTES = 4;

export function packed({ pcm, startsMs }: KeptSentence): Buffer {
  const times: number[] = [];
  let before = 0;
  for (const start of startsMs) {
    // Differences, the sign in the lowest bit, seven bits a byte.
    const difference = Math.round(start) - before;
    before += difference;
    let left = difference < 0 ? -difference * 2 - 1 : difference * 2;
    for (; left >= 128; left = Math.floor(left / 128)) times.push((left % 128) | 128);
    times.push(left);
  }
  const count = Buffer.alloc(COUNT_BYTES);
  count.writeUInt32BE(times.length);
  return Buffer.concat([count, Buffer.from(times), packedSamples(pcm)]);
}

export function unpacked(body: Buffer): KeptSentence {
  const end = COUNT_BYTES + body.readUInt32BE();
  const startsMs: number[] = [];
  let before = 0;
  let value = 0;
  let weight = 1;
  for (const byte of body.subarray(COUNT_BYTES, end)) {
    value += (byte & 127) * weight;
    weight *= 128;
    if (byte & 128) continue;
    before += value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    startsMs.push(before);
    [value, weight] = [0, 1];
  }
  return { pcm: unpackedSamples(body.subarray(end)), startsMs };
}

/** Differences of samples, high bytes before low ones: deflate then halves speech. */
function packedSamples(pcm: Int16Array): Buffer {
  const planes = Buffer.alloc(pcm.length * 2);
  let before = 0;
  for (let at = 0; at < pcm.length; at += 1) {
    const sample = pcm[at]!;
    const difference = (sample - before) & 0xffff;
    planes[at] = difference >> 8;
    planes[pcm.length + at] = difference & 0xff;
    before = sample;
  }
  return deflateRawSync(planes, { level: 1 });
}

function unpackedSamples(body: Buffer): Int16Array {
  const planes = inflateRawSync(body);
  const samples = planes.length / 2;
  const pcm = new Int16Array(samples);
  let before = 0;
  for (let at = 0; at < samples; at += 1) {
    before = ((before + ((planes[at]! << 8) | planes[samples + at]!)) << 16) >> 16;
    pcm[at] = before;
  }
  return pcm;
}
