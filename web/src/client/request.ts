/** Requests to a server: JSON in and out, failures with the server's messages. */
import type { SpeechError } from './types.js';

export class ApiError extends Error implements SpeechError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | undefined,
  ) {
    super(message);
  }
}

export interface CallOptions {
  readonly method?: string;
  readonly body?: unknown;
  /** A file as the body, with its content type. */
  readonly file?: Blob;
  readonly type?: string;
  /** An API key, if there is one. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function request(url: string, options: CallOptions = {}): Promise<Response> {
  const { method, body, file, type = 'application/json', key, signal } = options;
  const sent = file ?? (body === undefined ? undefined : JSON.stringify(body));
  let response: Response;
  try {
    response = await fetch(url, {
      method: method ?? (sent === undefined ? 'GET' : 'POST'),
      headers: {
        ...(sent !== undefined && { 'content-type': type }),
        ...(key && { authorization: `Bearer ${key}` }),
      },
      ...(sent !== undefined && { body: sent }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', 'The server does not answer. Is it still running?', undefined);
  }
  if (response.ok) return response;
  const told = await response.json().catch(() => undefined);
  const error = told?.error ?? {};
  throw new ApiError(response.status, error.code ?? 'failed', error.message ?? response.statusText, error.request_id);
}

export async function call<T>(url: string, options?: CallOptions): Promise<T> {
  const response = await request(url, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}
