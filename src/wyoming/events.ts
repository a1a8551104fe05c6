/**
 * Events of the Wyoming protocol on a byte stream: a line of JSON, more data of the given length,
 * a payload of the given length (https://github.com/OHF-Voice/wyoming, "Format").
 */
import { TtsError } from '../protocol/errors.js';

export type EventData = Readonly<Record<string, unknown>>;

export interface WyomingEvent {
  readonly type: string;
  /** Of the header, with the additional data merged on top. */
  readonly data: EventData;
}

/** Bounds of what one event may take; payloads are skipped and take nothing. */
const MAX_HEADER_BYTES = 65_536;
const MAX_DATA_BYTES = 1_048_576;
const NEWLINE = 0x0a;

interface Header {
  readonly type: string;
  readonly data: EventData;
  readonly dataBytes: number;
  readonly payloadBytes: number;
}

const broken = (why: string): TtsError => new TtsError('invalid_message', `This is no Wyoming event: ${why}.`);

/** Turns the bytes of a connection, however they are cut, into events. */
export class EventParser {
  #parts: Buffer[] = [];
  #bytes = 0;
  /** The event whose data or payload is awaited. */
  #header: Header | undefined;
  #payloadLeft = 0;

  /** The events that `bytes` completes. Throws `invalid_message`; nothing can be read after it. */
  *push(bytes: Buffer): Generator<WyomingEvent> {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#payloadLeft > 0) {
        const skipped = Math.min(this.#payloadLeft, rest.length);
        this.#payloadLeft -= skipped;
        rest = rest.subarray(skipped);
        continue;
      }
      const size = this.#header === undefined ? rest.indexOf(NEWLINE) + 1 : this.#header.dataBytes - this.#bytes;
      const isWhole = size > 0 && size <= rest.length;
      const part = isWhole ? rest.subarray(0, size) : rest;
      this.#keep(part);
      rest = rest.subarray(part.length);
      if (!isWhole) return;
      const whole = this.#take();
      if (this.#header === undefined) this.#header = readHeader(whole);
      else this.#header = { ...this.#header, data: { ...this.#header.data, ...readObject(whole) }, dataBytes: 0 };
      if (this.#header.dataBytes > 0) continue;
      const { type, data, payloadBytes } = this.#header;
      this.#header = undefined;
      this.#payloadLeft = payloadBytes;
      yield { type, data };
    }
  }

  #keep(part: Buffer): void {
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#header === undefined && this.#bytes > MAX_HEADER_BYTES)
      throw broken(`its first line is longer than ${MAX_HEADER_BYTES} bytes`);
  }

  #take(): Buffer {
    const whole = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return whole;
  }
}

function readHeader(line: Buffer): Header {
  const { type, data, data_length: dataLength, payload_length: payloadLength } = readObject(line);
  if (typeof type !== 'string') throw broken('it has no type');
  const dataBytes = readLength(dataLength, 'data_length');
  if (dataBytes > MAX_DATA_BYTES) throw broken(`its data is longer than ${MAX_DATA_BYTES} bytes`);
  return {
    type,
    data: isObject(data) ? data : {},
    dataBytes,
    payloadBytes: readLength(payloadLength, 'payload_length'),
  };
}

function readLength(value: unknown, name: string): number {
  if (value === undefined || value === null) return 0;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw broken(`its ${name} is no number of bytes`);
}

function readObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new TtsError('invalid_message', 'This is no Wyoming event: it is not JSON.', { cause });
  }
  if (isObject(value)) return value;
  throw broken('it is not an object');
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The bytes of an event, as the protocol's own library cuts them: data behind the first line. */
export function encodeEvent(type: string, data: EventData = {}, payload?: Buffer): Buffer {
  const more = Object.keys(data).length === 0 ? Buffer.alloc(0) : Buffer.from(JSON.stringify(data));
  const header = {
    type,
    ...(more.length > 0 && { data_length: more.length }),
    ...(payload !== undefined && { payload_length: payload.length }),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), more, payload ?? Buffer.alloc(0)]);
}
