/** Writes a zip as it comes: small files at once, long ones in parts. No entry has a time. */
import type { FileHandle } from 'node:fs/promises';
import { crc32, deflateRawSync } from 'node:zlib';

interface Entry {
  readonly name: string;
  readonly offset: number;
  readonly method: number;
  crc: number;
  packedBytes: number;
  bytes: number;
}

const STORED = 0;
const DEFLATED = 8;
/** Names are UTF-8. */
const UTF8_FLAG = 0x800;
/** The first of January 1980, the earliest that a zip can name. */
const NO_DATE = 0x21;
const COPY_BYTES = 256 * 1024;
/** Sizes and offsets have 32 bits. */
const MAX_BYTES = 0xffff_ffff;

export class ZipWriter {
  readonly #handle: FileHandle;
  readonly #entries: Entry[] = [];
  #at = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** `isStored`: as it is, for what is compressed already, and for the `mimetype`. */
  async add(name: string, content: string | Buffer, isStored = false): Promise<void> {
    const bytes = Buffer.from(content);
    const data = isStored ? bytes : deflateRawSync(bytes);
    const entry = this.#begin(name, isStored ? STORED : DEFLATED);
    Object.assign(entry, { crc: crc32(bytes), packedBytes: data.length, bytes: bytes.length });
    await this.#write(Buffer.concat([localHead(entry), data]));
  }

  /** A file that is written in parts and may have its beginning replaced. One at a time. */
  async open(name: string): Promise<ZipFile> {
    const entry = this.#begin(name, STORED);
    await this.#write(localHead(entry));
    const from = this.#at;
    return {
      write: (part) => this.#write(part),
      close: async (head) => {
        if (head) await this.#handle.write(head, 0, head.length, from);
        entry.bytes = this.#at - from;
        entry.packedBytes = entry.bytes;
        entry.crc = await this.#checksum(from, this.#at);
        await this.#handle.write(localHead(entry), 0, undefined, entry.offset);
      },
    };
  }

  async finish(): Promise<void> {
    const offset = this.#at;
    for (const entry of this.#entries) await this.#write(directoryEntry(entry));
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06', 0, 'latin1');
    end.writeUInt16LE(this.#entries.length, 8);
    end.writeUInt16LE(this.#entries.length, 10);
    end.writeUInt32LE(this.#at - offset, 12);
    end.writeUInt32LE(offset, 16);
    await this.#write(end);
  }

  #begin(name: string, method: number): Entry {
    const entry = { name, offset: this.#at, method, crc: 0, packedBytes: 0, bytes: 0 };
    this.#entries.push(entry);
    return entry;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#at + bytes.length > MAX_BYTES) throw new Error('an EPUB of more than 4 GB cannot be opened everywhere');
    await this.#handle.write(bytes, 0, bytes.length, this.#at);
    this.#at += bytes.length;
  }

  /** Read back: a codec may have changed what it wrote first. */
  async #checksum(from: number, to: number): Promise<number> {
    const part = Buffer.alloc(COPY_BYTES);
    let crc = 0;
    for (let at = from; at < to; ) {
      const { bytesRead } = await this.#handle.read(part, 0, Math.min(COPY_BYTES, to - at), at);
      if (bytesRead === 0) throw new Error('the file became shorter while it was written');
      crc = crc32(part.subarray(0, bytesRead), crc);
      at += bytesRead;
    }
    return crc;
  }
}

export interface ZipFile {
  write(part: Uint8Array): Promise<void>;
  /** `head` replaces as many bytes at the beginning. */
  close(head?: Uint8Array): Promise<void>;
}

/** What the head of an entry and the directory have in common. */
function commonHead({ name, method, crc, packedBytes, bytes }: Entry): Buffer {
  const head = Buffer.alloc(26);
  head.writeUInt16LE(20, 0);
  head.writeUInt16LE(UTF8_FLAG, 2);
  head.writeUInt16LE(method, 4);
  head.writeUInt16LE(NO_DATE, 8);
  head.writeUInt32LE(crc, 10);
  head.writeUInt32LE(packedBytes, 14);
  head.writeUInt32LE(bytes, 18);
  head.writeUInt16LE(Buffer.byteLength(name), 22);
  return head;
}

const localHead = (entry: Entry): Buffer =>
  Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), commonHead(entry), Buffer.from(entry.name)]);

function directoryEntry(entry: Entry): Buffer {
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(entry.offset, 10);
  const version = Buffer.from('PK\x01\x02\x14\x00', 'latin1');
  return Buffer.concat([version, commonHead(entry), tail, Buffer.from(entry.name)]);
}
