/** Repeats requests that a busy server has refused. */
import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, TtsError } from '../protocol/errors.js';

const PASSING: readonly ErrorCode[] = [
  'overloaded',
  'store_unavailable',
  'no_worker_ready',
  'concurrency_limit_exceeded',
];
const ATTEMPTS = 6;
/** A server that asks for a longer wait than this is not asked again. */
const MAX_WAIT_S = 15;

/** For attempts that fail before any audio: they can be repeated without saying a thing twice. */
export async function patiently<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = error instanceof TtsError && PASSING.includes(error.code) ? (error.retryAfterS ?? 1) : Infinity;
      if (count >= ATTEMPTS || wait > MAX_WAIT_S) throw error;
      await delay(wait * 1000, undefined, { signal });
    }
  }
}
