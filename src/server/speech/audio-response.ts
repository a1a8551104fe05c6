/** Writes audio to a response no faster than it is read; a failure breaks the connection. */
import type { ServerResponse } from 'node:http';
import { STOP_STALL_MS } from '../settings.js';

export interface WriteLimits {
  /** How long the reader may take nothing before the connection is given up. */
  readonly stallTimeoutMs: number;
  /** And how long it may take over all of it. */
  readonly timeoutMs?: number | undefined;
  /** The server stops: from now on it waits no longer than that for a reader that takes nothing. */
  readonly stop: AbortSignal;
  readonly signal: AbortSignal;
}

/** Resolves on `event`; on a stall the connection is destroyed, which aborts `signal`. */
function waitFor(
  raw: ServerResponse,
  event: 'drain' | 'finish',
  { stallTimeoutMs, stop, signal }: WriteLimits,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(timer);
      raw.off(event, onEvent);
      signal.removeEventListener('abort', onAbort);
      stop.removeEventListener('abort', onStop);
      end();
    };
    const onEvent = () => settle(resolve);
    const onAbort = () => settle(() => reject(signal.reason));
    const giveUp = () => raw.req.socket.destroy();
    const onStop = () => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, Math.min(stallTimeoutMs, STOP_STALL_MS));
    };
    let timer = setTimeout(giveUp, stallTimeoutMs);
    raw.on(event, onEvent);
    signal.addEventListener('abort', onAbort);
    stop.addEventListener('abort', onStop);
    if (stop.aborted) onStop();
    if (signal.aborted) onAbort();
  });
}

/** Writes and ends the body; resolves when all of it was handed to the socket. */
export async function writeBody(
  raw: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  limits: WriteLimits,
): Promise<void> {
  const { timeoutMs } = limits;
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => raw.req.socket.destroy(), timeoutMs);
  try {
    for await (const chunk of chunks) {
      limits.signal.throwIfAborted();
      if (!raw.write(chunk)) await waitFor(raw, 'drain', limits);
    }
    const finished = waitFor(raw, 'finish', limits);
    raw.end();
    await finished;
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a response that has begun so that no client can take it for whole. */
export function breakOff(raw: ServerResponse): void {
  // Without chunks (HTTP/1.0) only a reset tells a broken body from a finished one; TLS has
  // close_notify.
  if (raw.socket !== null && !raw.chunkedEncoding && !('encrypted' in raw.socket)) raw.socket.resetAndDestroy();
  raw.destroy();
}
