/**
 * Who is signed in to the dashboard: the operator by the admin secret, the holder of a key by the
 * key. Sign-ins are rows of the store: they hold and end at every server of a database, and outlive
 * a restart.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AdminSecret } from '../../../accounts/admin-secret.js';
import { hashKey } from '../../../accounts/api-key.js';
import type { Standing } from '../../../accounts/passes.js';
import type { AccountStore } from '../../../accounts/store.js';
import type { Accounts, KeyRecord } from '../../../accounts/types.js';
import { TtsError } from '../../../protocol/errors.js';
import { SESSION_COOKIE } from '../../../protocol/pages.js';
import { type Authenticator, presentedKey } from '../../access/authenticate.js';
import { FailureBrake, type FailureBrakeOptions } from '../../access/failure-brake.js';
import { checkOrigin } from '../../access/origins.js';

export type Caller = { readonly role: 'admin' } | { readonly role: 'key'; readonly key: KeyRecord };

export interface SignInsOptions extends Pick<FailureBrakeOptions, 'addressOf' | 'clock'> {
  readonly secret: AdminSecret;
  readonly store: Pick<AccountStore, 'findKey'>;
  readonly accounts: Pick<Accounts, 'authenticate' | 'passes' | 'shared'>;
  readonly authenticator: Authenticator;
}

export const SIGN_IN_S = 12 * 3600;
const GUESSES_PER_MINUTE = 5;
const API_KEY = /^tts_/;

export class SignIns {
  readonly #options: SignInsOptions;
  readonly #brake: FailureBrake;

  constructor(options: SignInsOptions) {
    const { accounts, addressOf, clock } = options;
    this.#options = options;
    const shared = accounts.shared ? accounts.passes : undefined;
    this.#brake = new FailureBrake({ kind: 'secret', perMinute: GUESSES_PER_MINUTE, shared, addressOf, clock });
  }

  /** The token for the cookie. */
  async signIn(request: IncomingMessage, secret: string): Promise<{ token: string; caller: Caller }> {
    const { caller, standing } = await this.#prove(request, secret);
    const token = randomBytes(32).toString('base64url');
    await this.#options.accounts.passes.addSignIn({ ...standing, hash: hashKey(token), ttlMs: SIGN_IN_S * 1000 });
    return { token, caller };
  }

  async signOut(request: IncomingMessage): Promise<void> {
    const token = tokenOf(request);
    if (token !== undefined) await this.#options.accounts.passes.removeSignIn(hashKey(token));
  }

  /**
   * Who asks: a script by the secret in its header, a page by the cookie of its sign-in. A cookie
   * comes along with whatever a browser sends, so what changes something must come from a page of
   * ours.
   */
  async caller(request: IncomingMessage): Promise<Caller> {
    const presented = presentedKey(request);
    if (presented !== undefined) {
      checkOrigin(request);
      return (await this.#prove(request, presented)).caller;
    }
    checkOrigin(request, { named: request.method !== 'GET' && request.method !== 'HEAD' });
    const token = tokenOf(request);
    const { passes } = this.#options.accounts;
    const standing = token === undefined ? undefined : await passes.findSignIn(hashKey(token));
    const caller = standing && (await this.#callerOf(standing));
    if (caller !== undefined) return caller;
    throw new TtsError(
      'sign_in_required',
      'Sign in first, or send the admin secret in "Authorization: Bearer SECRET".',
    );
  }

  async #callerOf({ role, standing }: Standing): Promise<Caller | undefined> {
    const { secret, store } = this.#options;
    if (role === 'admin') return (await secret.holds(standing)) ? { role: 'admin' } : undefined;
    const found = await store.findKey(standing);
    if (found === undefined || found.revoked || found.expired) return undefined;
    const { hash: _hash, previousHash: _previous, ...key } = found;
    return { role: 'key', key };
  }

  /** Checks the brake first, also for a right secret: else guessing could go on at full speed. */
  async #prove(request: IncomingMessage, secret: string): Promise<{ caller: Caller; standing: Standing }> {
    const { accounts, authenticator } = this.#options;
    if (API_KEY.test(secret)) {
      const key = await authenticator.authenticate(request, () => accounts.authenticate(secret));
      return { caller: { role: 'key', key }, standing: { role: 'key', standing: key.id } };
    }
    await this.#brake.check(request);
    const standing = await this.#options.secret.verify(secret);
    if (standing !== undefined) return { caller: { role: 'admin' }, standing: { role: 'admin', standing } };
    await this.#brake.count(request);
    throw new TtsError(
      'invalid_secret',
      'This is not the admin secret. "tts admin reset" on the server makes a new one.',
    );
  }
}

function tokenOf({ headers: { cookie = '' } }: IncomingMessage): string | undefined {
  const pair = cookie.split(';').find((part) => part.trim().startsWith(`${SESSION_COOKIE}=`));
  return pair?.trim().slice(SESSION_COOKIE.length + 1);
}
