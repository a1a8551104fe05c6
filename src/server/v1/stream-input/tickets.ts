/** Tickets for browsers, which cannot send a key with a WebSocket's handshake: good once, for a moment, for one session. */
import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Accounts, KeyRecord } from '../../../accounts/types.js';
import type { VoiceCatalogue } from '../../../models/catalogue.js';
import { SPEECH_PATH } from '../../../protocol/contract.js';
import { TtsError } from '../../../protocol/errors.js';
import type { StreamTicket } from '../../../protocol/http.js';
import { TICKET_PROTOCOL_PREFIX, TICKET_TTL_MS } from '../../../protocol/stream.js';
import { checkPartner } from '../../live-access.js';
import { parseParams } from './params.js';

/** Those of one key that wait to be used; the oldest makes room. */
const MAX_PER_KEY = 64;
const MAX_TICKETS = 10_000;

export interface TicketRequest {
  readonly voice: string;
  /** The query of the session's address. */
  readonly query: URLSearchParams;
}

interface Held {
  readonly key: KeyRecord;
  readonly session: string;
  readonly expiresAtMs: number;
}

export interface StreamTicketsOptions {
  readonly accounts: Pick<Accounts, 'renew'>;
  readonly catalogue: Pick<VoiceCatalogue, 'get'>;
  readonly now?: () => number;
}

/** The ticket among the subprotocols of a handshake. */
export function presentedTicket(request: IncomingMessage): string | undefined {
  const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  return offered.find((name) => name.startsWith(TICKET_PROTOCOL_PREFIX))?.slice(TICKET_PROTOCOL_PREFIX.length);
}

export class StreamTickets {
  readonly #options: Required<StreamTicketsOptions>;
  /** By hash, oldest first. */
  readonly #held = new Map<string, Held>();

  constructor(options: StreamTicketsOptions) {
    this.#options = { now: Date.now, ...options };
  }

  /** Whatever is wrong with the session is said here: a browser is not told why a handshake failed. */
  issue(key: KeyRecord, request: TicketRequest): { ticket: string; expiresAt: Date } {
    const session = this.#sessionOf(request);
    checkPartner(key, `POST ${SPEECH_PATH}`);
    if (key.credits - key.reserved <= 0) {
      throw new TtsError('insufficient_credits', 'This key has no free credits, of which a character needs 1.');
    }
    this.#makeRoom(key.id);
    const ticket = randomBytes(32).toString('base64url');
    const expiresAtMs = this.#options.now() + TICKET_TTL_MS;
    this.#held.set(hashed(ticket), { key, session, expiresAtMs });
    return { ticket, expiresAt: new Date(expiresAtMs) };
  }

  /** The same out of a body and as one. */
  answer(key: KeyRecord, voice: string, fields: Readonly<Record<string, string | number | boolean>>): StreamTicket {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) query.set(name, String(value));
    const { ticket, expiresAt } = this.issue(key, { voice, query });
    return { ticket, expires_at: expiresAt.toISOString() };
  }

  /** Whose it is. Used up by the first handshake that shows it, whatever becomes of that. */
  async redeem(ticket: string, request: TicketRequest): Promise<KeyRecord> {
    const { accounts, now } = this.#options;
    const name = hashed(ticket);
    const held = this.#held.get(name);
    this.#held.delete(name);
    if (held === undefined || held.expiresAtMs <= now()) {
      throw new TtsError('invalid_api_key', 'This ticket is not known, was used before or has expired.');
    }
    if (this.#sessionOf(request) !== held.session) {
      throw new TtsError('invalid_api_key', 'This ticket is for another voice or other parameters.');
    }
    return accounts.renew(held.key);
  }

  /** The session that is asked for, as one string: two that mean the same are the same. */
  #sessionOf({ voice, query }: TicketRequest): string {
    const params = parseParams(query);
    this.#options.catalogue.get(params.model_id, voice);
    return JSON.stringify([voice, params]);
  }

  #makeRoom(keyId: string): void {
    const nowMs = this.#options.now();
    const own: string[] = [];
    for (const [name, { key, expiresAtMs }] of this.#held) {
      if (expiresAtMs <= nowMs) this.#held.delete(name);
      else if (key.id === keyId) own.push(name);
    }
    if (own.length >= MAX_PER_KEY) this.#held.delete(own[0]!);
    if (this.#held.size >= MAX_TICKETS) this.#held.delete(this.#held.keys().next().value!);
  }
}

const hashed = (ticket: string): string => hash('sha256', ticket, 'base64');
