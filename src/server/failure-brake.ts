/** How often an address may fail a minute: what guesses at a key or a secret run into. */
import type { IncomingMessage } from 'node:http';
import { TtsError } from '../protocol/errors.js';

const WINDOW_MS = 60_000;
/** So that an attacker with many addresses cannot fill the memory. */
const MAX_ADDRESSES = 10_000;

/** One IPv6 customer owns a /64: all of it is one address here. */
export function addressGroup(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [left = '', right = ''] = address.split('%')[0]!.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === '' ? [] : right.split(':');
  const groups = [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

export class FailureBrake {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #windows = new Map<string, { endsAtMs: number; failures: number }>();

  /** `now`: milliseconds of a clock that never jumps. */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Throws `too_many_failed_keys` where the address has failed too often already. */
  check(request: IncomingMessage): void {
    this.#refuse(this.#windowOf(addressGroup(request.socket.remoteAddress)));
  }

  /** It failed again. Throws instead where it has failed too often before. */
  count(request: IncomingMessage): void {
    const address = addressGroup(request.socket.remoteAddress);
    let window = this.#windowOf(address);
    if (window === undefined) {
      const time = this.#now();
      window = { endsAtMs: time + WINDOW_MS, failures: 0 };
      this.#windows.delete(address);
      this.#windows.set(address, window);
      for (const [oldest, { endsAtMs }] of this.#windows) {
        if (endsAtMs > time && this.#windows.size <= MAX_ADDRESSES) break;
        this.#windows.delete(oldest);
      }
    }
    this.#refuse(window);
    window.failures++;
  }

  #windowOf(address: string): { endsAtMs: number; failures: number } | undefined {
    const window = this.#windows.get(address);
    return window !== undefined && window.endsAtMs > this.#now() ? window : undefined;
  }

  #refuse(window: { endsAtMs: number; failures: number } | undefined): void {
    if (window === undefined || window.failures < this.#perMinute) return;
    throw new TtsError(
      'too_many_failed_keys',
      `This address presented ${this.#perMinute} keys that failed within a minute. Wait, then try with a valid key.`,
      { retryAfterS: Math.max(1, Math.ceil((window.endsAtMs - this.#now()) / 1000)) },
    );
  }
}
