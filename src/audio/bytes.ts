/** Bytes put together without Node's Buffer, so that a page can make the same files. */

const ENCODER = new TextEncoder();

export const utf8 = (text: string): Uint8Array => ENCODER.encode(text);

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** To write numbers into `bytes`. */
export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
