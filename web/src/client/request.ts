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
  /** An API key, if there is one. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function request(url: string, { method, body, key, signal }: CallOptions = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key && { authorization: `Bearer ${key}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
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
