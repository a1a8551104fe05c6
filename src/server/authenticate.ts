/** Who calls: the key out of a request's headers, and the rate limit on addresses that try wrong ones. */
import type { IncomingMessage } from 'node:http';
import type { Accounts } from '../accounts/types.js';
import { TtsError } from '../protocol/errors.js';
import type { Authenticator } from './deps.js';

const WINDOW_MS = 60_000;
/** So that an attacker with many addresses cannot fill the memory. */
const MAX_ADDRESSES = 10_000;

/** `Authorization: Bearer KEY` is the documented way; stock clients of this protocol family send `xi-api-key`. */
export function presentedKey(request: IncomingMessage): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const header = request.headers['xi-api-key'];
  const key = (Array.isArray(header) ? header[0] : header)?.trim();
  return key ? key : undefined;
}

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

export interface AuthenticatorOptions {
  readonly accounts: Pick<Accounts, 'authenticate'>;
  readonly failedKeysPerMinute: number;
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number;
  readonly onFailedKey?: (code: string) => void;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { accounts, failedKeysPerMinute, now = () => performance.now(), onFailedKey } = options;
  const windows = new Map<string, { endsAtMs: number; failures: number }>();

  function countFailure(address: string): void {
    const time = now();
    let window = windows.get(address);
    if (window === undefined || window.endsAtMs <= time) {
      window = { endsAtMs: time + WINDOW_MS, failures: 0 };
      windows.delete(address);
      windows.set(address, window);
      for (const [oldest, { endsAtMs }] of windows) {
        if (endsAtMs > time && windows.size <= MAX_ADDRESSES) break;
        windows.delete(oldest);
      }
    }
    if (window.failures >= failedKeysPerMinute) {
      throw new TtsError(
        'too_many_failed_keys',
        `This address presented ${failedKeysPerMinute} keys that failed within a minute. Wait, then try with a valid key.`,
        { retryAfterS: Math.max(1, Math.ceil((window.endsAtMs - time) / 1000)) },
      );
    }
    window.failures++;
  }

  return {
    async authenticate(request, prove = () => accounts.authenticate(presentedKey(request))) {
      try {
        return await prove();
      } catch (error) {
        if (error instanceof TtsError && error.row.status === 401) {
          onFailedKey?.(error.code);
          if (error.code !== 'missing_api_key') countFailure(addressGroup(request.socket.remoteAddress));
        }
        throw error;
      }
    },
  };
}
