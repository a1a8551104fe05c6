/**
 * A Wyoming client whose events have the bytes that the protocol's own library makes of them
 * (`async_write_event` in wyoming/event.py, version 1.9): a version in the first line, data behind
 * it, Python's spaces in the JSON.
 */
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { Condition } from '../../src/condition.js';

export interface HeardEvent {
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly payload: Buffer;
}

/** `json.dumps` separates with a space. */
const dumps = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([[{]) /g, '$1')
    .replaceAll(/ ([\]}])/g, '$1');

export function pythonEvent(type: string, data?: object, payload?: Buffer): Buffer {
  const more = Buffer.from(data === undefined || Object.keys(data).length === 0 ? '' : dumps(data));
  const header = {
    type,
    version: '1.9.0',
    ...(more.length > 0 && { data_length: more.length }),
    ...(payload && { payload_length: payload.length }),
  };
  return Buffer.concat([Buffer.from(`${dumps(header)}\n`), more, payload ?? Buffer.alloc(0)]);
}

export class WyomingClient {
  readonly events: HeardEvent[] = [];
  closed = false;
  #bytes = Buffer.alloc(0);
  readonly #changed = new Condition();

  private constructor(readonly socket: Socket) {
    socket.on('data', (part) => {
      this.#bytes = Buffer.concat([this.#bytes, part]);
      while (this.#read());
      this.#changed.notify();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.#changed.notify();
    });
  }

  static async connect(port: number, host = '127.0.0.1'): Promise<WyomingClient> {
    const socket = createConnection({ port, host });
    await once(socket, 'connect');
    return new WyomingClient(socket);
  }

  send(type: string, data?: object, payload?: Buffer): void {
    this.socket.write(pythonEvent(type, data, payload));
  }

  types(): string[] {
    return this.events.map(({ type }) => type);
  }

  get audio(): Buffer {
    return Buffer.concat(this.events.filter(({ type }) => type === 'audio-chunk').map(({ payload }) => payload));
  }

  /** The first event of this type; rejects where the connection ends without one. */
  async until(type: string): Promise<HeardEvent> {
    await this.#changed.until(() => this.closed || this.types().includes(type));
    const found = this.events.find((event) => event.type === type);
    if (found) return found;
    throw new Error(`closed without "${type}" after ${this.types().join(', ') || 'nothing'}`);
  }

  async ended(): Promise<void> {
    await this.#changed.until(() => this.closed);
  }

  #read(): boolean {
    const end = this.#bytes.indexOf('\n');
    if (end < 0) return false;
    const header = JSON.parse(this.#bytes.subarray(0, end).toString()) as Record<string, unknown>;
    const dataBytes = Number(header.data_length ?? 0);
    const payloadBytes = Number(header.payload_length ?? 0);
    const from = end + 1;
    if (this.#bytes.length < from + dataBytes + payloadBytes) return false;
    const more = this.#bytes.subarray(from, from + dataBytes).toString();
    const data = { ...(header.data as object | undefined), ...(more === '' ? {} : (JSON.parse(more) as object)) };
    const payload = Buffer.from(this.#bytes.subarray(from + dataBytes, from + dataBytes + payloadBytes));
    this.events.push({ type: String(header.type), data, payload });
    this.#bytes = this.#bytes.subarray(from + dataBytes + payloadBytes);
    return true;
  }
}
