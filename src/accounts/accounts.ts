/**
 * The rules of access: which key may do what, how much at once and a day, and that every credit is
 * spent once.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../clock.js';
import type { Logger } from '../log.js';
import { parseModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import {
  dailyLimit,
  freeDailyOf,
  LOCAL_KEY_ID,
  needsPartner,
  noSlot,
  refusalOf,
  replacedSecret,
  secondsToMidnight,
  sessionsOf,
  shortOf,
} from './access.js';
import { hashKey, keyId, sameHash } from './api-key.js';
import { isCommitUnknown } from './database.js';
import { Lease } from './lease.js';
import { AdmittedRequest } from './money/admitted.js';
import { AHEAD_BALANCE, CREDITS_PER_CHAR, Reservation } from './money/reservation.js';
import { Settlements } from './money/settlements.js';
import { type Passes, passesThrough } from './passes.js';
import { Purges } from './purges.js';
import type { AccountStore, NewReservation, ReserveResult } from './store.js';
import { StoreGuard, storeUnavailable } from './store-guard.js';
import { type DictionaryTable, dictionariesThrough } from './tables/dictionaries.js';
import { MAX_UNWRITTEN, MAX_UNWRITTEN_CHARGED, MAX_UNWRITTEN_OF_KEY } from './tuning.js';
import type {
  Accounts,
  Admission,
  AdmissionRequest,
  CallerKey,
  KeyRecord,
  Limits,
  LostReservations,
  RateLimit,
} from './types.js';

export interface AccountsOptions {
  /** Owned from here on: `close` closes it. */
  readonly store: AccountStore;
  readonly limits: Limits;
  /**
   * A key of this process alone, for callers on the same machine: Partner access without balance or
   * limits.
   */
  readonly localKey?: string;
  /**
   * Debits what was delivered of requests that their client broke off; otherwise they are free,
   * however long they were.
   */
  readonly billDelivered?: boolean;
  /** Receives a line when the store fails, and when it is back. */
  readonly log?: Pick<Logger, 'error' | 'info'>;
  /**
   * With a shared store: how long this server's reservations are safe after its last sign of life.
   */
  readonly leaseMs?: number;
  readonly clock?: Clock;
}

export const DEFAULT_LIMITS: Limits = { freeConcurrency: 2, freeDaily: 200, partnerConcurrency: 8 };

/**
 * Compared where no key has the id that was asked for, so that a wrong id takes as long as a wrong
 * key.
 */
const NO_HASH = new Uint8Array(32);

const localRecord = (createdAt: string): KeyRecord => ({
  id: LOCAL_KEY_ID,
  tier: 'partner',
  name: 'this machine',
  credits: Number.POSITIVE_INFINITY,
  reserved: 0,
  createdAt,
  expiresAt: null,
  revoked: false,
  expired: false,
  rotations: 0,
  rotatedAt: null,
  previousEndsAt: null,
  limits: { concurrency: null, freeDaily: null },
});

class StoreAccounts implements Accounts {
  readonly limits: Limits;
  readonly local: KeyRecord | undefined;
  readonly passes: Passes;
  readonly dictionaries: DictionaryTable;
  readonly shared: boolean;
  readonly lost: LostReservations = { renewed: 0, refused: 0, booked: 0 };
  readonly #options: AccountsOptions;
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #asked: StoreGuard['asked'];
  readonly #lease: Lease | undefined;
  readonly #localHash: Uint8Array | undefined;
  readonly #purges: Purges;
  readonly #settlements: Settlements;
  /** Ends that are being written, by key: their slots are free to requests that wait for them. */
  readonly #endings = new Map<string, Set<Promise<void>>>();
  #active = 0;

  constructor(options: AccountsOptions, lease: Lease | undefined) {
    const { store, limits, localKey, log, clock = systemClock } = options;
    this.#options = options;
    this.#store = store;
    this.#clock = clock;
    this.#asked = new StoreGuard(log, clock).asked;
    this.#lease = lease;
    this.limits = limits;
    this.shared = store.shared;
    this.passes = passesThrough(store.passes, this.#asked);
    this.dictionaries = dictionariesThrough(store.dictionaries, this.#asked);
    this.#localHash = localKey === undefined ? undefined : hashKey(localKey);
    this.local = this.#localHash && localRecord(new Date(clock.wallMs()).toISOString());
    this.#purges = new Purges(store, log, clock);
    this.#settlements = new Settlements(log, clock);
  }

  get active(): number {
    return this.#active;
  }

  async authenticate(key: string | undefined): Promise<KeyRecord> {
    if (key === undefined || key === '') {
      throw new TtsError(
        'missing_api_key',
        'No API key was sent. Send it in the header "Authorization: Bearer KEY"; "tts keys create" on the server makes one.',
      );
    }
    const hash = hashKey(key);
    if (this.local && this.#localHash && sameHash(hash, this.#localHash)) return this.local;
    const id = keyId(key);
    const stored = id === undefined ? undefined : await this.#asked(() => this.#store.findKey(id));
    const isCurrent = sameHash(hash, stored?.hash ?? NO_HASH);
    const isPrevious = sameHash(hash, stored?.previousHash ?? NO_HASH);
    const refused = refusalOf(isCurrent || isPrevious ? stored : undefined);
    if (refused) throw refused;
    const { hash: _hash, previousHash: _previous, ...record } = stored!;
    const shown = { ...record, rotations: record.rotations - (isCurrent ? 0 : 1) };
    const replaced = replacedSecret(record, shown);
    if (replaced) throw replaced;
    return shown;
  }

  async renew({ id }: Pick<KeyRecord, 'id'>): Promise<KeyRecord> {
    if (id === LOCAL_KEY_ID && this.local) return this.local;
    const [found] = await this.#asked(() => this.#store.findKeys([id]));
    const refused = refusalOf(found);
    if (refused) throw refused;
    return found!;
  }

  async refusedAmong<Caller extends CallerKey>(callers: readonly Caller[]): Promise<Map<Caller, TtsError>> {
    const stored = callers.filter(({ id }) => id !== LOCAL_KEY_ID);
    const ids = [...new Set(stored.map(({ id }) => id))];
    const found = new Map((await this.#asked(() => this.#store.findKeys(ids))).map((key) => [key.id, key]));
    return new Map(
      stored.flatMap((caller) => {
        const key = found.get(caller.id);
        const refused = refusalOf(key) ?? replacedSecret(key!, caller);
        return refused === undefined ? [] : [[caller, refused] as const];
      }),
    );
  }

  freeDaily(key: KeyRecord, model: AdmissionRequest['model']): number {
    return freeDailyOf(this.limits, key, parseModel(model).base);
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { key, model, chars } = request;
    const { free } = parseModel(model);
    if (!free && key.tier !== 'partner') throw needsPartner(model);
    const reservation = this.#reservationFor(request);
    const mostOfKey = reservation.charged ? MAX_UNWRITTEN_CHARGED : MAX_UNWRITTEN_OF_KEY;
    if (this.#settlements.waitingOf(key.id) >= mostOfKey || this.#settlements.waiting >= MAX_UNWRITTEN) {
      throw storeUnavailable();
    }
    const { reserved, epoch } = await this.#reserve(reservation);
    if (!reserved.ok) {
      if (reserved.reason === 'revoked') throw refusalOf({ ...key, revoked: true })!;
      if (reserved.reason === 'insufficient_credits') throw shortOf(chars, reserved.balance);
      if (reserved.reason === 'daily_limit') throw dailyLimit(reserved.nowMs, model, reservation.free!.limit);
      throw noSlot(model, free, reservation.sessions!);
    }
    this.#active++;
    return this.#admitted(key, reservation, reserved, epoch);
  }

  async close(): Promise<void> {
    await Promise.all([this.#settlements.close(), this.#purges.close()]);
    await this.#lease?.close();
    await this.#store.close();
  }

  #reservationFor({ key, requestId, model, voice, chars }: AdmissionRequest): NewReservation {
    const { base, free } = parseModel(model);
    const sessions = sessionsOf(this.limits, key, base, free);
    return {
      id: randomUUID(),
      keyId: key.id,
      requestId,
      model,
      voice,
      characters: chars,
      credits: chars * CREDITS_PER_CHAR,
      charged: !free && key.id !== LOCAL_KEY_ID,
      holder: this.#lease?.holder ?? '',
      ...(sessions !== undefined && { sessions }),
      ...(free && { free: { limit: freeDailyOf(this.limits, key, base) } }),
    };
  }

  /**
   * A client may be back before the end of its last request is written: that slot is free already.
   */
  async #reserve(reservation: NewReservation): Promise<{ reserved: ReserveResult; epoch: number | undefined }> {
    const first = await this.#reserveOnce(reservation);
    if (first.reserved.ok || first.reserved.reason !== 'concurrency') return first;
    const endings = this.#endings.get(reservation.keyId);
    if (endings === undefined) return first;
    await Promise.all(endings);
    return this.#reserveOnce(reservation);
  }

  async #reserveOnce(reservation: NewReservation) {
    const epoch = this.#lease?.epoch;
    try {
      return { reserved: await this.#asked(() => this.#store.reserve(reservation)), epoch };
    } catch (error) {
      if (isCommitUnknown(error)) this.#lease?.disown(reservation);
      throw error;
    }
  }

  #admitted(
    key: KeyRecord,
    reservation: NewReservation,
    { freeRequests, nowMs }: Extract<ReserveResult, { ok: true }>,
    epoch: number | undefined,
  ): Admission {
    const { log, billDelivered = false } = this.#options;
    const { charged, free } = reservation;
    const rateLimit: RateLimit | undefined = free && {
      limit: free.limit,
      remaining: free.limit - freeRequests,
      resetS: secondsToMidnight(nowMs),
    };
    const held = new Reservation({
      store: this.#store,
      lease: this.#lease,
      epoch,
      reservation,
      reserveAhead: this.shared && (!charged || key.credits - key.reserved >= AHEAD_BALANCE),
      asked: this.#asked,
      lost: this.lost,
      log,
    });
    return new AdmittedRequest({
      reservation: held,
      charged,
      billDelivered,
      rateLimit,
      clockAheadMs: nowMs - this.#clock.now(),
      clock: this.#clock,
      onEnd: (write) => this.#ended(key.id, write),
    });
  }

  async #ended(keyId: string, write: () => Promise<unknown>): Promise<void> {
    this.#active--;
    const ending = this.#settlements.write(keyId, write);
    const ofKey = this.#endings.get(keyId) ?? new Set();
    this.#endings.set(keyId, ofKey.add(ending));
    await ending;
    ofKey.delete(ending);
    if (ofKey.size === 0) this.#endings.delete(keyId);
  }
}

/**
 * Opens the accounts and returns what dead servers had reserved: at once where the store is this
 * server's alone (the caller holds the data folder's lock), otherwise when their leases have run
 * out.
 */
export async function createAccounts(options: AccountsOptions): Promise<Accounts> {
  const { store, log, leaseMs, clock } = options;
  const lease = store.shared
    ? await Lease.take({ store, log, ...(leaseMs && { leaseMs }), ...(clock && { clock }) })
    : undefined;
  if (!lease) await store.recover('all');
  return new StoreAccounts(options, lease);
}
