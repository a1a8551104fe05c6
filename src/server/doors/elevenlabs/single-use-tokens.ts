/**
 * Tokens that stand for a key once, for a page that opens a socket without knowing the key. They
 * are tickets of the database, so that every server of it takes them.
 */
import { randomBytes } from 'node:crypto';
import { hashKey, sameHash } from '../../../accounts/api-key.js';
import type { Accounts, KeyRecord } from '../../../accounts/types.js';
import { TtsError } from '../../../protocol/errors.js';

export const TOKEN_TYPE = 'tts_websocket';

/** As long as ElevenLabs' are good. */
const TTL_MS = 15 * 60_000;
/** Tells these tickets from those of `/v1`, which are for one session. */
const SESSION = hashKey(`elevenlabs ${TOKEN_TYPE}`);

export class SingleUseTokens {
  readonly #accounts: Pick<Accounts, 'passes' | 'renew'>;

  constructor(accounts: Pick<Accounts, 'passes' | 'renew'>) {
    this.#accounts = accounts;
  }

  async create({ id }: Pick<KeyRecord, 'id'>): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.#accounts.passes.addTicket({ hash: hashKey(token), keyId: id, session: SESSION, ttlMs: TTL_MS });
    return token;
  }

  /** The key of a token, which is used up, accepted or not. */
  async redeem(token: string): Promise<KeyRecord> {
    const held = await this.#accounts.passes.takeTicket(hashKey(token));
    if (held === undefined || !sameHash(held.session, SESSION)) {
      throw new TtsError('invalid_api_key', 'This token is not known, was used before or has expired.');
    }
    return this.#accounts.renew({ id: held.keyId });
  }
}
