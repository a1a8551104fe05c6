/** How a response ends: heard to its last byte, or left by the client. Fastify's own signal aborts once a body is read. */
import type { ServerResponse } from 'node:http';

export interface ResponseWatch {
  /** Aborts when the client goes away before the response is whole. */
  readonly signal: AbortSignal;
  /** True when all of the response was handed to the socket, false when the connection closed before. */
  readonly ended: Promise<boolean>;
}

/** To be called before anything is awaited, or a close may be missed. */
export function watchResponse(raw: ServerResponse): ResponseWatch {
  const controller = new AbortController();
  const ended = new Promise<boolean>((resolve) => {
    raw.once('finish', () => resolve(true));
    raw.once('close', () => {
      if (!raw.writableFinished) controller.abort();
      resolve(raw.writableFinished);
    });
  });
  return { signal: controller.signal, ended };
}
