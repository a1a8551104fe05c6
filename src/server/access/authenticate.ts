/** The key of a request, and the rate limit on addresses that present wrong keys. */
import type { IncomingMessage } from 'node:http';
import type { Accounts, KeyRecord } from '../../accounts/types.js';
import { TtsError } from '../../protocol/errors.js';
import { FailureBrake, type FailureBrakeOptions } from './failure-brake.js';

/**
 * Who calls, by a request's headers. Rejects with the 401s, and with `too_many_failed_keys` for an
 * address that presented too many wrong keys.
 */
export interface Authenticator {
  /** `prove` looks at something other than the key; what it rejects with counts all the same. */
  authenticate(request: IncomingMessage, prove?: () => Promise<KeyRecord>): Promise<KeyRecord>;
}

/** `Authorization: Bearer KEY` is the documented way; ElevenLabs' clients send `xi-api-key`. */
export function presentedKey(request: IncomingMessage): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const header = request.headers['xi-api-key'];
  const key = (Array.isArray(header) ? header[0] : header)?.trim();
  return key ? key : undefined;
}

export interface AuthenticatorOptions extends Pick<FailureBrakeOptions, 'shared' | 'addressOf' | 'clock'> {
  readonly accounts: Pick<Accounts, 'authenticate'>;
  readonly failedKeysPerMinute: number;
  readonly onFailedKey?: (code: string) => void;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { accounts, failedKeysPerMinute, shared, addressOf, clock, onFailedKey } = options;
  const brake = new FailureBrake({ kind: 'key', perMinute: failedKeysPerMinute, shared, addressOf, clock });

  return {
    async authenticate(request, prove = () => accounts.authenticate(presentedKey(request))) {
      try {
        return await prove();
      } catch (error) {
        if (error instanceof TtsError && error.row.status === 401) {
          onFailedKey?.(error.code);
          if (error.code !== 'missing_api_key') await brake.count(request);
        }
        throw error;
      }
    },
  };
}
