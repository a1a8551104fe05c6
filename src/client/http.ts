/** The HTTP client: speech as samples while they are made, and the voice catalogue. */
import http from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { pcmSamples, SampleJoiner } from '../protocol/audio.js';
import { SPEECH_PATH, VOICES_PATH } from '../protocol/contract.js';
import type { TextPart } from '../protocol/delivery/delivery.js';
import { TtsError } from '../protocol/errors.js';
import type { SpeechRequest, VoiceCatalog } from '../protocol/http.js';
import { endpoint, headersOf, type ServerAddress, trustIn } from './address.js';
import { connectionLost, errorOfConnecting, errorOfResponse, orOneDelivery } from './wire-error.js';

const MAX_ERROR_BYTES = 65_536;

interface SpokenResponse {
  readonly requestId: string | undefined;
  /** Characters the server counted. */
  readonly inputChars: number | undefined;
  /** Whole samples in order. Throws `connection_lost` when the response breaks off. */
  readonly audio: AsyncIterable<Int16Array>;
}

/** A `speed` other than 1 and a style take OpenAI's dialect: the contract's own has neither. */
export type PacedRequest = Omit<SpeechRequest, 'stream' | 'response_format'> & {
  readonly speed?: number;
  readonly part?: TextPart;
};

const OTHER_DOOR = '/openai';

export interface HttpClient {
  /** Streams the speech for one request of at most the interface's length. */
  speech(request: PacedRequest, signal: AbortSignal): Promise<SpokenResponse>;
  voices(model: string, signal: AbortSignal): Promise<VoiceCatalog>;
  /** The status and body of a page that needs no key, such as `/readyz`. */
  probe(path: string, signal: AbortSignal): Promise<{ status: number; body: string }>;
  close(): void;
}

/** A request; one without a body is a GET. */
interface Sent {
  readonly url: URL;
  readonly body?: string;
  readonly part?: TextPart | undefined;
}

export function createHttpClient(address: ServerAddress): HttpClient {
  const { baseUrl } = address;
  const secure = endpoint(baseUrl, '/').protocol === 'https:';
  let agent: http.Agent | HttpsAgent | undefined;

  async function request(sent: Sent, signal: AbortSignal): Promise<http.IncomingMessage> {
    const { url, body, part } = sent;
    // TLS takes time to load, and the server of a command is usually on the same machine.
    const transport = secure ? await import('node:https') : http;
    agent ??= new transport.Agent({ keepAlive: true, ...trustIn(address) });
    return new Promise((resolve, reject) => {
      const outgoing = transport.request(url, {
        agent,
        signal,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...headersOf(address, part),
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
        },
      });
      outgoing.on('response', resolve);
      outgoing.on('error', (cause: NodeJS.ErrnoException) => {
        if (signal.aborted) reject(signal.reason);
        // The server closed an idle connection as it was reused; it has not read the request.
        else if (outgoing.reusedSocket && cause.code === 'ECONNRESET') resolve(request(sent, signal));
        else reject(errorOfConnecting(cause, url));
      });
      outgoing.end(body);
    });
  }

  async function answered(sent: Sent, signal: AbortSignal): Promise<http.IncomingMessage> {
    const response = await request(sent, signal);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    throw errorOfResponse({
      status,
      body: await readText(response, MAX_ERROR_BYTES),
      requestId: header(response, 'x-request-id'),
      retryAfter: header(response, 'retry-after'),
    });
  }

  return {
    async speech({ speed = 1, part, ...fields }, signal) {
      const contract = { ...fields, stream: true, response_format: 'pcm' } satisfies SpeechRequest;
      const isContract = speed === 1 && address.delivery === undefined;
      const path = isContract ? SPEECH_PATH : `${OTHER_DOOR}${SPEECH_PATH}`;
      const body = JSON.stringify(isContract ? contract : { ...fields, response_format: 'pcm', speed });
      const response = await answered({ url: endpoint(baseUrl, path), body, part }, signal).catch((error: unknown) => {
        throw isContract ? error : orOneDelivery(error, OTHER_DOOR);
      });
      const requestId = header(response, 'x-request-id');
      const chars = Number(header(response, 'x-usage-input-characters') ?? Number.NaN);
      return {
        requestId,
        inputChars: Number.isInteger(chars) ? chars : undefined,
        audio: wholeSamples(response, requestId, signal),
      };
    },

    async voices(model, signal) {
      const url = endpoint(baseUrl, VOICES_PATH);
      url.searchParams.set('model', model);
      const response = await answered({ url }, signal);
      const text = await readText(response, 16 * 1024 * 1024);
      return parseCatalog(text);
    },

    async probe(path, signal) {
      const response = await request({ url: endpoint(baseUrl, path) }, signal);
      return { status: response.statusCode ?? 0, body: await readText(response, MAX_ERROR_BYTES) };
    },

    close: () => agent?.destroy(),
  };
}

function header(response: http.IncomingMessage, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

async function readText(response: http.IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseCatalog(text: string): VoiceCatalog {
  try {
    const catalog = JSON.parse(text) as VoiceCatalog;
    if (Array.isArray(catalog.data)) return catalog;
  } catch (cause) {
    throw new TtsError('connection_failed', 'The server answered the voice list with something that is not JSON.', {
      cause,
    });
  }
  throw new TtsError('connection_failed', 'The server answered the voice list without a list of voices.');
}

async function* wholeSamples(
  response: http.IncomingMessage,
  requestId: string | undefined,
  signal: AbortSignal,
): AsyncIterable<Int16Array> {
  const joiner = new SampleJoiner();
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      const bytes = joiner.take(part);
      if (bytes.length > 0) yield pcmSamples(bytes);
    }
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw connectionLost('The connection broke off before the speech was complete.', requestId, cause);
  }
  if (!response.complete || joiner.isOdd) {
    throw connectionLost('The speech ended before it was complete.', requestId);
  }
}
