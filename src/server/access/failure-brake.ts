/** Limits failed keys and secrets per address and minute, at all servers of a database together. */
import type { IncomingMessage } from 'node:http';
import type { Passes } from '../../accounts/passes.js';
import { type Clock, systemClock } from '../../clock.js';
import { TtsError } from '../../protocol/errors.js';

const WINDOW_MS = 60_000;
/** Addresses remembered at once: an attacker with many must not fill the memory. */
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

export interface FailureBrakeOptions {
  /** What is tried: failures of one kind are counted together. */
  readonly kind: string;
  readonly perMinute: number;
  /** Where servers count together; each by itself without it, and while the database is away. */
  readonly shared?: Pick<Passes, 'failures' | 'countFailure'> | undefined;
  readonly addressOf?: ((request: IncomingMessage) => string | undefined) | undefined;
  readonly clock?: Clock | undefined;
}

interface Window {
  readonly endsAtMs: number;
  failures: number;
}

export class FailureBrake {
  readonly #options: FailureBrakeOptions;
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(options: FailureBrakeOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Rejects with `too_many_failed_keys` where the address has failed too often already. */
  async check(request: IncomingMessage): Promise<void> {
    const { kind, shared } = this.#options;
    const address = this.#addressOf(request);
    this.#refuse(this.#windowOf(address));
    if (shared === undefined) return;
    const window = await whileThere(() => shared.failures(kind, address));
    if (window === undefined) return;
    this.#remember(address, this.#clock.now() + window.leftMs, window.failures);
    this.#refuse(this.#windowOf(address));
  }

  /** It failed again. Rejects instead where it has failed too often before. */
  async count(request: IncomingMessage): Promise<void> {
    const { kind, shared, perMinute } = this.#options;
    const address = this.#addressOf(request);
    const known = this.#windowOf(address);
    this.#refuse(known);
    const together = shared && (await whileThere(() => shared.countFailure(kind, address, WINDOW_MS)));
    if (together !== undefined) {
      this.#remember(address, this.#clock.now() + together.leftMs, together.failures);
      if (together.failures > perMinute) this.#refuse(this.#windowOf(address));
      return;
    }
    const window = this.#windowOf(address) ?? this.#remember(address, this.#clock.now() + WINDOW_MS, 0);
    this.#refuse(window);
    window.failures++;
  }

  #addressOf(request: IncomingMessage): string {
    const { addressOf = ({ socket }) => socket.remoteAddress } = this.#options;
    return addressGroup(addressOf(request));
  }

  #windowOf(address: string): Window | undefined {
    const window = this.#windows.get(address);
    return window !== undefined && window.endsAtMs > this.#clock.now() ? window : undefined;
  }

  #remember(address: string, endsAtMs: number, failures: number): Window {
    const window = { endsAtMs, failures };
    const time = this.#clock.now();
    this.#windows.delete(address);
    this.#windows.set(address, window);
    for (const [oldest, { endsAtMs }] of this.#windows) {
      if (endsAtMs > time && this.#windows.size <= MAX_ADDRESSES) break;
      this.#windows.delete(oldest);
    }
    return window;
  }

  #refuse(window: Window | undefined): void {
    const { perMinute } = this.#options;
    if (window === undefined || window.failures < perMinute) return;
    throw new TtsError(
      'too_many_failed_keys',
      `This address presented ${perMinute} keys that failed within a minute. Wait, then try with a valid key.`,
      { retryAfterS: Math.max(1, Math.ceil((window.endsAtMs - this.#clock.now()) / 1000)) },
    );
  }
}

/** Undefined where the database is away: guesses are braked all the same. */
async function whileThere<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof TtsError && error.code === 'store_unavailable') return undefined;
    throw error;
  }
}
