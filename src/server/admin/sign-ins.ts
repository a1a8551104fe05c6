/** Who is signed in to the dashboard: the operator by the admin secret, the holder of a key by the key. */
import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AdminSecret } from '../../accounts/admin-secret.js';
import type { AccountStore } from '../../accounts/store.js';
import type { Accounts, KeyRecord } from '../../accounts/types.js';
import { TtsError } from '../../protocol/errors.js';
import { SESSION_COOKIE } from '../../protocol/pages.js';
import { presentedKey } from '../authenticate.js';
import type { Authenticator } from '../deps.js';
import { FailureBrake } from '../failure-brake.js';
import { checkOrigin } from '../origins.js';

export type Caller = { readonly role: 'admin' } | { readonly role: 'key'; readonly key: KeyRecord };

/** What a sign-in stands on: a key's id, or the secret of that day. */
type Standing = { readonly role: 'admin'; readonly secret: string } | { readonly role: 'key'; readonly keyId: string };

export interface SignInsOptions {
  readonly secret: AdminSecret;
  readonly store: Pick<AccountStore, 'findKey'>;
  readonly accounts: Pick<Accounts, 'authenticate'>;
  readonly authenticator: Authenticator;
  readonly now?: () => number;
}

export const SIGN_IN_S = 12 * 3600;
/** The oldest makes room. */
const MAX_SIGN_INS = 1_000;
const GUESSES_PER_MINUTE = 5;
const API_KEY = /^tts_/;

export class SignIns {
  readonly #options: Required<SignInsOptions>;
  readonly #brake = new FailureBrake(GUESSES_PER_MINUTE);
  /** By the hash of the cookie's token, oldest first. */
  readonly #open = new Map<string, Standing & { readonly expiresAtMs: number }>();

  constructor(options: SignInsOptions) {
    this.#options = { now: Date.now, ...options };
  }

  /** The token for the cookie. */
  async signIn(request: IncomingMessage, secret: string): Promise<{ token: string; caller: Caller }> {
    const { caller, standing } = await this.#prove(request, secret);
    const token = randomBytes(32).toString('base64url');
    const oldest = this.#open.keys().next().value;
    if (this.#open.size >= MAX_SIGN_INS && oldest !== undefined) this.#open.delete(oldest);
    this.#open.set(hashed(token), { ...standing, expiresAtMs: this.#options.now() + SIGN_IN_S * 1000 });
    return { token, caller };
  }

  signOut(request: IncomingMessage): void {
    const token = tokenOf(request);
    if (token !== undefined) this.#open.delete(hashed(token));
  }

  /**
   * Who asks: a script by the secret in its header, a page by the cookie of its sign-in. A cookie comes along with
   * whatever a browser sends, so what changes something must come from a page of ours.
   */
  async caller(request: IncomingMessage): Promise<Caller> {
    const presented = presentedKey(request);
    if (presented !== undefined) {
      checkOrigin(request);
      return (await this.#prove(request, presented)).caller;
    }
    checkOrigin(request, { named: request.method !== 'GET' && request.method !== 'HEAD' });
    const token = tokenOf(request);
    const standing = token === undefined ? undefined : this.#open.get(hashed(token));
    const caller = standing && (await this.#callerOf(standing));
    if (caller !== undefined) return caller;
    if (token !== undefined) this.#open.delete(hashed(token));
    throw new TtsError(
      'sign_in_required',
      'Sign in first, or send the admin secret in "Authorization: Bearer SECRET".',
    );
  }

  async #callerOf(standing: Standing & { readonly expiresAtMs: number }): Promise<Caller | undefined> {
    const { secret, store, now } = this.#options;
    if (standing.expiresAtMs <= now()) return undefined;
    if (standing.role === 'admin') return (await secret.holds(standing.secret)) ? { role: 'admin' } : undefined;
    const found = await store.findKey(standing.keyId);
    if (found === undefined || found.revoked || found.expired) return undefined;
    const { hash: _hash, ...key } = found;
    return { role: 'key', key };
  }

  /** A right secret does not get past the brake either: otherwise guessing could go on at full speed behind it. */
  async #prove(request: IncomingMessage, secret: string): Promise<{ caller: Caller; standing: Standing }> {
    const { accounts, authenticator } = this.#options;
    if (API_KEY.test(secret)) {
      const key = await authenticator.authenticate(request, () => accounts.authenticate(secret));
      return { caller: { role: 'key', key }, standing: { role: 'key', keyId: key.id } };
    }
    this.#brake.check(request);
    const standing = await this.#options.secret.verify(secret);
    if (standing !== undefined) return { caller: { role: 'admin' }, standing: { role: 'admin', secret: standing } };
    this.#brake.count(request);
    throw new TtsError(
      'invalid_secret',
      'This is not the admin secret. "tts admin reset" on the server makes a new one.',
    );
  }
}

const hashed = (token: string): string => hash('sha256', token, 'base64');

function tokenOf({ headers: { cookie = '' } }: IncomingMessage): string | undefined {
  const pair = cookie.split(';').find((part) => part.trim().startsWith(`${SESSION_COOKIE}=`));
  return pair?.trim().slice(SESSION_COOKIE.length + 1);
}
