/** Ogg pages: packets with the time at their end and a checksum. */
import { concat, utf8, viewOf } from './bytes.js';

const HEADER_BYTES = 27;
const MAX_LACES = 255;
/** The stream's number: the same on every page of a file that has one stream. */
const SERIAL = 0x74_74_73_31;

const CONTINUED = 1;
const FIRST = 2;
const LAST = 4;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1;
  return crc >>> 0;
});

function checksum(page: Uint8Array): number {
  let crc = 0;
  for (const byte of page) crc = (crc << 8) ^ CRC_TABLE[((crc >>> 24) ^ byte) & 0xff]!;
  return crc >>> 0;
}

/** The length of a packet as a page encodes it: 255 for "and more", then the rest. */
function laces(bytes: number): number[] {
  return [...new Array<number>(Math.floor(bytes / 255)).fill(255), bytes % 255];
}

export class OggWriter {
  #sequence = 0;

  /** A header packet on pages of its own. */
  head(packet: Uint8Array, first: boolean): Uint8Array {
    const all = laces(packet.length);
    const pages: Uint8Array[] = [];
    let at = 0;
    for (let from = 0; from < all.length; from += MAX_LACES) {
      const some = all.slice(from, from + MAX_LACES);
      const bytes = some.reduce((sum, lace) => sum + lace, 0);
      const flags = (first ? FIRST : 0) | (from > 0 ? CONTINUED : 0);
      pages.push(this.#page(flags, 0n, some, [packet.subarray(at, at + bytes)]));
      at += bytes;
    }
    return concat(pages);
  }

  /** One page of whole packets; `granule` is the time at its end, in samples at 48 kHz. */
  page(packets: readonly Uint8Array[], granule: number, last: boolean): Uint8Array {
    const lacing = packets.flatMap((packet) => laces(packet.length));
    return this.#page(last ? LAST : 0, BigInt(granule), lacing, packets);
  }

  #page(flags: number, granule: bigint, lacing: readonly number[], parts: readonly Uint8Array[]): Uint8Array {
    const header = new Uint8Array(HEADER_BYTES + lacing.length);
    const view = viewOf(header);
    header.set(utf8('OggS'));
    header[5] = flags;
    view.setBigInt64(6, granule, true);
    view.setUint32(14, SERIAL, true);
    view.setUint32(18, this.#sequence, true);
    header[26] = lacing.length;
    header.set(lacing, HEADER_BYTES);
    this.#sequence += 1;
    const page = concat([header, ...parts]);
    viewOf(page).setUint32(22, checksum(page), true);
    return page;
  }
}
