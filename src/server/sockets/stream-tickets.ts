/**
 * Tickets for browsers, which cannot send a key with a WebSocket handshake. A ticket is good once,
 * for 30 s, for one session, at every server of a database.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hashKey, sameHash } from '../../accounts/api-key.js';
import type { Accounts, KeyRecord } from '../../accounts/types.js';
import type { VoiceCatalogue } from '../../models/catalogue.js';
import { DEFAULT_VOICE, SPEECH_PATH } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import type { StreamTicket, StreamTicketRequest } from '../../protocol/http.js';
import { TICKET_PROTOCOL_PREFIX, TICKET_TTL_MS } from '../../protocol/stream.js';
import { checkPartner } from '../access/live-access.js';
import { parseParams } from './stream-params.js';

export interface TicketRequest {
  readonly voice: string;
  /** The query of the session's address. */
  readonly query: URLSearchParams;
}

export interface StreamTicketsOptions {
  readonly accounts: Pick<Accounts, 'renew' | 'local' | 'passes'>;
  readonly catalogue: Pick<VoiceCatalogue, 'speaker'>;
}

/** The ticket among the subprotocols of a handshake. */
export function presentedTicket(request: IncomingMessage): string | undefined {
  const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  return offered.find((name) => name.startsWith(TICKET_PROTOCOL_PREFIX))?.slice(TICKET_PROTOCOL_PREFIX.length);
}

export class StreamTickets {
  readonly #options: StreamTicketsOptions;
  /** In the digest of tickets of the local key, which are no use at other servers. */
  readonly #own = randomBytes(16).toString('base64url');

  constructor(options: StreamTicketsOptions) {
    this.#options = options;
  }

  /** Checks the whole session: a browser does not learn why a handshake failed. */
  async issue(key: KeyRecord, request: TicketRequest): Promise<{ ticket: string; expiresAt: Date }> {
    const session = this.#sessionOf(key.id, request);
    checkPartner(key, `POST ${SPEECH_PATH}`);
    if (key.credits - key.reserved <= 0) {
      throw new TtsError('insufficient_credits', 'This key has no free credits, of which a character needs 1.');
    }
    const ticket = randomBytes(32).toString('base64url');
    const row = { hash: hashKey(ticket), keyId: key.id, session, ttlMs: TICKET_TTL_MS };
    return { ticket, expiresAt: new Date(await this.#options.accounts.passes.addTicket(row)) };
  }

  /** Issues a ticket for a request's body, as the body of the response. */
  async answer(
    key: KeyRecord,
    { voice = DEFAULT_VOICE, query: fields = {} }: StreamTicketRequest,
  ): Promise<StreamTicket> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) query.set(name, String(value));
    const { ticket, expiresAt } = await this.issue(key, { voice, query });
    return { ticket, expires_at: expiresAt.toISOString() };
  }

  /** The key of a ticket. The first handshake that shows a ticket uses it up, accepted or not. */
  async redeem(ticket: string, request: TicketRequest): Promise<KeyRecord> {
    const { accounts } = this.#options;
    const held = await accounts.passes.takeTicket(hashKey(ticket));
    if (held === undefined) {
      throw new TtsError('invalid_api_key', 'This ticket is not known, was used before or has expired.');
    }
    if (!sameHash(this.#sessionOf(held.keyId, request), held.session)) {
      throw new TtsError('invalid_api_key', 'This ticket is for another voice or other parameters.');
    }
    return accounts.renew({ id: held.keyId });
  }

  /** A digest of the session that is asked for: equal for addresses that mean the same. */
  #sessionOf(keyId: string, { voice, query }: TicketRequest): Uint8Array {
    const params = parseParams(query);
    this.#options.catalogue.speaker(params.model_id, voice);
    const isLocal = keyId === this.#options.accounts.local?.id;
    return hashKey(JSON.stringify([voice, params, ...(isLocal ? [this.#own] : [])]));
  }
}
