/** Boxes of MP4 (ISO/IEC 14496-12) and of QuickTime, from which its chapters come. */

export const u8 = (...values: readonly number[]): Buffer => Buffer.from(values);

export function u16(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) out.writeUInt16BE(value, i * 2);
  return out;
}

export function u32(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) out.writeUInt32BE(value >>> 0, i * 4);
  return out;
}

export function u64(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(values.length * 8);
  for (const [i, value] of values.entries()) out.writeBigUInt64BE(BigInt(value), i * 8);
  return out;
}

export const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');

export function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const bytes = parts.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([u32(bytes), ascii(type), ...parts]);
}

/** A box in parts: those of a long book's tables are not copied from box to box. */
export function longBox(type: string, ...parts: readonly (Uint8Array | readonly Uint8Array[])[]): Uint8Array[] {
  const all = parts.flat() as Uint8Array[];
  return [u32(all.reduce((sum, part) => sum + part.length, 8)), ascii(type), ...all];
}

/** A box with a version and flags. */
export const fullBox = (type: string, version: number, flags: number, ...parts: readonly Uint8Array[]): Buffer =>
  box(type, u32((version << 24) | flags), ...parts);

/** No rotation: fixed-point numbers, 16.16 and 2.30. */
export const UNITY_MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** A descriptor of ISO/IEC 14496-1; lengths below 128 take one byte. */
export const descriptor = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([u8(tag, body.length), body]);
};

/** Three letters in fifteen bits. */
export const packedLanguage = (code: string): number =>
  [...code].reduce((packed, letter) => (packed << 5) | (letter.charCodeAt(0) - 0x60), 0);
