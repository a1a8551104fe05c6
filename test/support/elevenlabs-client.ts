/** A plain client of ElevenLabs' sockets that keeps everything it is told. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type TestServer, until } from '../../testkit/server.js';

const VOICE = 'english_female_professional';

interface Alignment {
  chars: string[];
  charStartTimesMs: number[];
  charDurationsMs: number[];
}
export interface Received {
  audio?: string;
  isFinal?: boolean | null;
  contextId?: string;
  alignment?: Alignment | null;
  normalizedAlignment?: Alignment | null;
  error?: string;
  message?: string;
}

export class ElevenLabsClient {
  readonly messages: Received[] = [];
  readonly closed: Promise<number>;
  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => this.messages.push(JSON.parse(String(data)) as Received));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  /** Rejects with the status and body of a refusal. */
  static open(
    server: TestServer,
    kind: string,
    options: { query?: string; key?: string; voice?: string; base?: string; headers?: Record<string, string> } = {},
  ) {
    const {
      query = 'output_format=pcm_24000',
      key = server.partner.key,
      voice = VOICE,
      base = '/elevenlabs',
      headers = {},
    } = options;
    const url = `ws://127.0.0.1:${server.port}${base}/v1/text-to-speech/${voice}/${kind}?${query}`;
    const socket = new WebSocket(url, { headers: { 'xi-api-key': key, ...headers } });
    const client = new ElevenLabsClient(socket);
    return new Promise<ElevenLabsClient>((resolve, reject) => {
      socket.once('open', () => resolve(client));
      socket.once('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => reject({ status: response.statusCode, body: JSON.parse(body) }));
      });
    });
  }

  /** Resolves when the server has read everything that was sent before. */
  async read(): Promise<void> {
    const pong = once(this.socket, 'pong');
    this.socket.ping();
    await pong;
  }

  send(...messages: object[]): void {
    for (const message of messages) this.socket.send(JSON.stringify(message));
  }

  of(contextId?: string): Received[] {
    return this.messages.filter((message) => message.contextId === contextId);
  }

  audio(contextId?: string): Buffer {
    return Buffer.concat(this.of(contextId).map(({ audio }) => Buffer.from(audio ?? '', 'base64')));
  }

  async final(contextId?: string): Promise<void> {
    await until(() => this.of(contextId).some(({ isFinal }) => isFinal === true), 'the final message');
  }
}
