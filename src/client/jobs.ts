/** The client of jobs: orders, looks, fetches with what broke off gone on, cancels. */
import { open, rename, rm } from 'node:fs/promises';
import http from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { TtsError } from '../protocol/errors.js';
import { JOBS_PATH } from '../protocol/jobs/names.js';
import type { Job, JobList } from '../protocol/jobs/schemas.js';
import { endpoint, headersOf, type ServerAddress, trustIn } from './address.js';
import { connectionLost, errorOfConnecting, errorOfResponse } from './wire-error.js';

interface Asked {
  readonly method?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable | string;
}

export interface OrderedSource {
  readonly contentType: string;
  readonly body: Readable | string;
}

/** Times that a download goes on after it broke, and the wait before each (ms). */
const ATTEMPTS = 6;
const WAIT_MS = 1_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export class JobsClient {
  readonly #address: ServerAddress;

  constructor(address: ServerAddress) {
    this.#address = address;
  }

  submit(
    { contentType, body }: OrderedSource,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Job> {
    const headers = { 'content-type': contentType };
    return this.#json<Job>(JOBS_PATH, { method: 'POST', query, headers, body }, signal);
  }

  list(query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<JobList> {
    return this.#json<JobList>(JOBS_PATH, { query }, signal);
  }

  find(id: string, signal: AbortSignal): Promise<Job> {
    return this.#json<Job>(pathOf(id), {}, signal);
  }

  cancel(id: string, signal: AbortSignal): Promise<Job> {
    return this.#json<Job>(pathOf(id), { method: 'DELETE' }, signal);
  }

  /** Writes the result to a file, which appears under its name when it is complete. */
  async fetch(id: string, file: string, signal: AbortSignal): Promise<void> {
    const part = `${file}.part`;
    const handle = await open(part, 'w').catch((cause: Error) => {
      throw new TtsError('output_failed', `${file} cannot be written: ${cause.message}.`, { cause });
    });
    let etag: string | undefined;
    try {
      for (let attempt = 1; ; attempt++) {
        const { size } = await handle.stat();
        const headers = etag && size > 0 ? { range: `bytes=${size}-`, 'if-range': etag } : {};
        try {
          const response = await this.#answered(`${pathOf(id)}/result`, { headers }, signal);
          etag = String(response.headers.etag ?? '');
          const start = response.statusCode === 206 ? size : 0;
          if (start === 0) await handle.truncate(0);
          let at = start;
          for await (const chunk of response as AsyncIterable<Buffer>) {
            await handle.write(chunk, 0, chunk.length, at);
            at += chunk.length;
          }
          if (!response.complete) throw connectionLost('The download broke off.', undefined);
          break;
        } catch (error) {
          const isOver = signal.aborted || attempt >= ATTEMPTS || (error instanceof TtsError && !error.row.retryable);
          if (isOver) throw error;
          await delay(WAIT_MS * attempt, undefined, { signal });
        }
      }
      await handle.sync();
      await handle.close();
      await rename(part, file);
    } catch (error) {
      await handle.close().catch(() => undefined);
      await rm(part, { force: true });
      throw error;
    }
  }

  async #json<T>(path: string, asked: Asked, signal: AbortSignal): Promise<T> {
    const text = await textOf(await this.#answered(path, asked, signal));
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw new TtsError('connection_failed', 'The server answered with something that is not JSON.', { cause });
    }
  }

  async #answered(path: string, asked: Asked, signal: AbortSignal): Promise<http.IncomingMessage> {
    const response = await this.#request(path, asked, signal);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    const named = (name: string) => [response.headers[name]].flat()[0];
    const [requestId, retryAfter] = [named('x-request-id'), named('retry-after')];
    throw errorOfResponse({ status, body: await textOf(response), requestId, retryAfter });
  }

  async #request(path: string, asked: Asked, signal: AbortSignal): Promise<http.IncomingMessage> {
    const { method = 'GET', query = {}, headers = {}, body } = asked;
    const url = endpoint(this.#address.baseUrl, path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const transport = url.protocol === 'https:' ? await import('node:https') : http;
    return new Promise((resolve, reject) => {
      const outgoing = transport.request(url, {
        method,
        signal,
        agent: false,
        ...trustIn(this.#address),
        headers: { ...headersOf(this.#address), ...headers },
      });
      outgoing.on('response', resolve);
      outgoing.on('error', (cause: NodeJS.ErrnoException) => {
        reject(signal.aborted ? signal.reason : errorOfConnecting(cause, url));
      });
      if (body === undefined || typeof body === 'string') outgoing.end(body);
      else pipeline(body, outgoing).catch(reject);
    });
  }
}

const pathOf = (id: string): string => `${JOBS_PATH}/${encodeURIComponent(id)}`;

async function textOf(response: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
