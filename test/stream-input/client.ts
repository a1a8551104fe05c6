/** A plain client of the stream-input socket that keeps everything it is told. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type ClientOptions, WebSocket } from 'ws';
import type { Alignment } from '../../src/protocol/stream-messages.js';
import { startTestServer, type TestServerOptions } from '../../testkit/server.js';

export const VOICE = 'english_female_professional';
export const SPACE = { text: ' ' };
export const END = { text: '' };

export interface Received {
  audio?: string;
  isFinal?: boolean;
  alignment?: Alignment;
  error?: string;
  message?: string;
  requestId?: string;
}

/** What a refused handshake was answered with. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly headers: IncomingMessage['headers'],
    readonly body: { error: { code: string; param: string | null; request_id: string; message: string } },
  ) {
    super(`refused with ${status} ${JSON.stringify(body)}`);
  }
}

export interface ConnectOptions {
  key?: string;
  voice?: string;
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  client?: ClientOptions;
}

/** A server of a test, or a `tts serve` of which a port and a key are known. */
interface Reachable {
  readonly port: number;
  readonly partner: { readonly key: string };
}

export const startStreamServer = (options?: TestServerOptions) => startTestServer(options);

export class StreamClient {
  readonly messages: Received[] = [];
  readonly closed: Promise<number>;
  audioBytes = 0;
  requestId: string | undefined;
  #wake: (() => void)[] = [];
  #closeCode: number | undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as Received;
      this.messages.push(message);
      this.audioBytes += Buffer.byteLength(message.audio ?? '', 'base64');
      this.#ring();
    });
    socket.on('upgrade', (response) => {
      this.requestId = response.headers['x-request-id'] as string | undefined;
    });
    socket.on('error', () => this.#ring());
    this.closed = new Promise((resolve) => {
      socket.on('close', (code) => {
        this.#closeCode = code;
        this.#ring();
        resolve(code);
      });
    });
  }

  /** Rejects with `Refused` where the handshake is. */
  static connect(server: Reachable, options: ConnectOptions = {}): Promise<StreamClient> {
    const { voice = VOICE, query = {}, headers, key = server.partner.key, client = {} } = options;
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const url = `ws://127.0.0.1:${server.port}/v1/text-to-speech/${encodeURIComponent(voice)}/stream-input?${search}`;
    const socket = new WebSocket(url, { headers: headers ?? { authorization: `Bearer ${key}` }, ...client });
    const stream = new StreamClient(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(stream));
      socket.once('error', reject);
      socket.once('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => reject(new Refused(response.statusCode!, response.headers, JSON.parse(body))));
      });
    });
  }

  static async open(server: Reachable, options: ConnectOptions = {}): Promise<StreamClient> {
    const client = await StreamClient.connect(server, options);
    client.send(SPACE);
    return client;
  }

  /** Resolves when the server has read everything that was sent before. */
  async read(): Promise<void> {
    const pong = once(this.socket, 'pong');
    this.socket.ping();
    await pong;
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  say(...texts: string[]): void {
    for (const text of texts) this.send({ text });
  }

  get audio(): Buffer {
    return Buffer.concat(this.messages.map(({ audio }) => Buffer.from(audio ?? '', 'base64')));
  }

  get error(): Received | undefined {
    return this.messages.find((message) => message.error !== undefined);
  }

  get final(): boolean {
    return this.messages.at(-1)?.isFinal === true && this.messages.at(-1)!.audio === undefined;
  }

  #ring(): void {
    for (const resolve of this.#wake.splice(0)) resolve();
  }

  /** Waits for a state of affairs; an end of the connection before it is a failure. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#closeCode !== undefined) throw new Error(`closed with ${this.#closeCode}: ${this.error?.error}`);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  async untilAudio(bytes = 1): Promise<void> {
    await this.until(() => this.audioBytes >= bytes);
  }

  /** End, everything that follows, and the close. */
  async finish(): Promise<{ audio: Buffer; code: number; final: boolean; error: string | undefined }> {
    this.send(END);
    return this.ended();
  }

  async ended() {
    const code = await this.closed;
    return { audio: this.audio, code, final: this.final, error: this.error?.error };
  }
}

/** One whole session with the text in these pieces. */
export async function speak(
  server: Reachable,
  pieces: readonly (string | { text: string; flush?: boolean })[],
  options: ConnectOptions = {},
): Promise<Buffer> {
  const client = await StreamClient.open(server, options);
  for (const piece of pieces) client.send(typeof piece === 'string' ? { text: piece } : piece);
  const { audio, code, final, error } = await client.finish();
  if (code !== 1000 || !final) throw new Error(`the session ended with ${code} ${error}`);
  return audio;
}
