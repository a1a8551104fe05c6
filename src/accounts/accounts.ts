/** The rules of access: which key may do what, how much at once and a day, and that every credit is spent once. */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../log.js';
import { parseModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import {
  count,
  dailyLimit,
  freeDailyOf,
  LOCAL_KEY_ID,
  noSlot,
  refusalOf,
  secondsToMidnight,
  sessionsOf,
} from './access.js';
import { hashKey, keyId, sameHash } from './api-key.js';
import { isCommitUnknown } from './database.js';
import { createLease } from './lease.js';
import { AHEAD_BALANCE, CREDITS_PER_CHAR, Reservation } from './money/reservation.js';
import { createSettlements } from './money/settlements.js';
import { passesThrough } from './passes.js';
import { createPurges } from './purges.js';
import type { AccountStore, NewReservation, ReservationEnd } from './store.js';
import type { Accounts, Admission, AdmissionRequest, KeyRecord, Limits, LostReservations, RateLimit } from './types.js';

export interface AccountsOptions {
  /** Owned from here on: `close` closes it. */
  readonly store: AccountStore;
  readonly limits: Limits;
  /** A key of this process alone, for callers on the same machine: Partner access without balance or slots. */
  readonly localKey?: string;
  /** Debits what was delivered of requests that their client broke off; else they are free, however much was heard. */
  readonly billDelivered?: boolean;
  /** Told when the store fails, and when it is back. */
  readonly log?: Pick<Logger, 'error' | 'info'>;
  /** Of a shared store: how long what this server holds is safe after it was last heard of. */
  readonly leaseMs?: number;
}

export const DEFAULT_LIMITS: Limits = { freeConcurrency: 2, freeDaily: 200, partnerConcurrency: 8 };

/** Unwritten ends of one key beyond which its work is refused: with a price from the first on, free ones later. */
const MAX_WAITING_CHARGED = 1;
const MAX_WAITING_OF_KEY = 50;
/** Unwritten ends of all keys beyond which any work is refused. */
const MAX_WAITING = 5_000;
const STORE_RETRY_S = 5;
/** Every request would say it again. */
const COMPLAIN_MS = 10_000;

/** Compared where no key has the id that was asked for, so that a wrong id takes as long as a wrong key. */
const NO_HASH = new Uint8Array(32);

/**
 * Opens the accounts and sees to it that what dead servers had reserved is returned: at once where the store is this server's
 * alone (the caller holds the data folder's lock), else when their leases have run out.
 */
export async function createAccounts({
  store,
  limits,
  localKey,
  billDelivered = false,
  log,
  leaseMs,
}: AccountsOptions): Promise<Accounts> {
  const startedAt = new Date().toISOString();
  const lease = store.shared ? await createLease({ store, log, ...(leaseMs && { leaseMs }) }) : undefined;
  const holder = lease?.holder ?? '';
  if (!lease) await store.recover('all');
  const purges = createPurges(store.passes, log);

  const localHash = localKey === undefined ? undefined : hashKey(localKey);
  const local: KeyRecord = {
    id: LOCAL_KEY_ID,
    tier: 'partner',
    name: 'this machine',
    credits: Number.POSITIVE_INFINITY,
    reserved: 0,
    createdAt: startedAt,
    expiresAt: null,
    revoked: false,
    expired: false,
    limits: { concurrency: null, freeDaily: null },
  };

  const settlements = createSettlements(log);
  const lost: LostReservations = { renewed: 0, refused: 0, booked: 0 };
  /** The store's own words are for the log: they name files of this machine. */
  const unrecorded = (cause?: unknown) =>
    new TtsError(
      'store_unavailable',
      `The accounts cannot be read or written at the moment, so no new work is taken on. Try again in ${STORE_RETRY_S} seconds.`,
      { retryAfterS: STORE_RETRY_S, cause },
    );
  let complainedAtMs = Number.NEGATIVE_INFINITY;
  const asked = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof TtsError) || error.code !== 'store_unavailable') throw error;
      if (performance.now() - complainedAtMs > COMPLAIN_MS) {
        complainedAtMs = performance.now();
        log?.error({ err: error }, 'the accounts cannot be used');
      }
      throw unrecorded(error);
    }
  };

  let active = 0;
  /** Ends that are being written, by key: their slots are free to whoever waits for them. */
  const endings = new Map<string, Set<Promise<void>>>();
  const ending = async (keyId: string, end: Promise<void>): Promise<void> => {
    const ofKey = endings.get(keyId) ?? new Set();
    endings.set(keyId, ofKey.add(end));
    await end;
    ofKey.delete(end);
    if (ofKey.size === 0) endings.delete(keyId);
  };

  const authenticate = async (key: string | undefined): Promise<KeyRecord> => {
    if (key === undefined || key === '') {
      throw new TtsError(
        'missing_api_key',
        'No API key was sent. Send it in the header "Authorization: Bearer KEY"; "tts keys create" on the server makes one.',
      );
    }
    const hash = hashKey(key);
    if (localHash && sameHash(hash, localHash)) return local;
    const id = keyId(key);
    const stored = id === undefined ? undefined : await asked(() => store.findKey(id));
    const isSame = sameHash(hash, stored?.hash ?? NO_HASH);
    const refused = refusalOf(isSame ? stored : undefined);
    if (refused) throw refused;
    const { hash: _hash, ...record } = stored!;
    return record;
  };

  const refusedAmong = async (ids: readonly string[]): Promise<Map<string, TtsError>> => {
    const stored = ids.filter((id) => id !== LOCAL_KEY_ID);
    const found = new Map((await asked(() => store.findKeys(stored))).map((key) => [key.id, key]));
    return new Map(
      stored.flatMap((id) => {
        const refused = refusalOf(found.get(id));
        return refused === undefined ? [] : [[id, refused]];
      }),
    );
  };

  const renew = async ({ id }: Pick<KeyRecord, 'id'>): Promise<KeyRecord> => {
    if (id === LOCAL_KEY_ID) return local;
    const [found] = await asked(() => store.findKeys([id]));
    const refused = refusalOf(found);
    if (refused) throw refused;
    return found!;
  };

  const shortOf = (chars: number, balance: number): TtsError =>
    new TtsError(
      'insufficient_credits',
      `This needs ${count(Math.max(1, chars), 'credit')} (1 per character) and the key has ${balance} free.`,
    );

  const admit = async ({ key, requestId, model, voice, chars }: AdmissionRequest): Promise<Admission> => {
    const { base, free } = parseModel(model);
    if (!free && key.tier !== 'partner') {
      throw new TtsError(
        'early_access_required',
        `The model ${model} needs a Partner key; a Free key like this one speaks with ${model}:free over POST /v1/audio/speech.`,
        { param: 'model' },
      );
    }
    const isLocal = key.id === LOCAL_KEY_ID;
    const charged = !free && !isLocal;
    const sessions = sessionsOf(limits, key, base, free);
    const freeDaily = freeDailyOf(limits, key, base);
    const mostOfKey = charged ? MAX_WAITING_CHARGED : MAX_WAITING_OF_KEY;
    if (settlements.waitingOf(key.id) >= mostOfKey || settlements.waiting >= MAX_WAITING) throw unrecorded();

    const reservation: NewReservation = {
      id: randomUUID(),
      keyId: key.id,
      requestId,
      model,
      voice,
      characters: chars,
      credits: chars * CREDITS_PER_CHAR,
      charged,
      holder,
      ...(sessions !== undefined && { sessions }),
      ...(free && { free: { limit: freeDaily } }),
    };
    let epoch: number | undefined;
    const reserve = async () => {
      epoch = lease?.epoch;
      try {
        return await asked(() => store.reserve(reservation));
      } catch (error) {
        if (isCommitUnknown(error)) lease?.disown(reservation);
        throw error;
      }
    };
    let reserved = await reserve();
    if (!reserved.ok && reserved.reason === 'concurrency') {
      // A client may be back before the end of its last request is written: that slot is free already.
      const soon = endings.get(key.id);
      if (soon) {
        await Promise.all(soon);
        reserved = await reserve();
      }
    }
    if (!reserved.ok) {
      if (reserved.reason === 'revoked') throw refusalOf({ ...key, revoked: true })!;
      if (reserved.reason === 'insufficient_credits') throw shortOf(chars, reserved.balance);
      if (reserved.reason === 'daily_limit') throw dailyLimit(reserved.nowMs, model, freeDaily);
      throw noSlot(model, free, sessions!);
    }
    const { freeRequests, nowMs } = reserved;
    /** Days and times in the ledger are the database's, whatever this machine's clock says. */
    const clockAheadMs = nowMs - performance.now();
    active++;

    const rateLimit: RateLimit | undefined = free
      ? { limit: freeDaily, remaining: freeDaily - freeRequests, resetS: secondsToMidnight(nowMs) }
      : undefined;
    const reserveAhead = store.shared && (!charged || key.credits - key.reserved >= AHEAD_BALANCE);
    const held = new Reservation({ store, lease, epoch, reservation, reserveAhead, asked, shortOf, lost, log });
    let ended = false;
    let debited = 0;
    const endOnce = async (how: () => Promise<unknown>): Promise<void> => {
      if (ended) return;
      ended = true;
      active--;
      await ending(key.id, settlements.write(key.id, how));
    };
    const end = (
      outcome: ReservationEnd['outcome'],
      audioMs: number,
      deliveredCharacters: number,
      billedChars: number,
    ) => {
      // What made no sample was not delivered, and is not debited.
      const sounded = audioMs > 0;
      const credits = charged && sounded ? billedChars * CREDITS_PER_CHAR : 0;
      const delivered = sounded ? deliveredCharacters : 0;
      if (!ended) debited = credits;
      const time = new Date(clockAheadMs + performance.now()).toISOString();
      return endOnce(() => held.end({ outcome, audioMs, deliveredCharacters: delivered, credits, time }));
    };

    return {
      rateLimit,
      get chars() {
        return held.chars;
      },
      get debited() {
        return debited;
      },
      get held() {
        return held.held;
      },
      confirm: () => held.confirm(),
      extend: (more) => held.extend(more),
      settle: ({ audioMs }) => end('completed', audioMs, held.chars, held.chars),
      release(outcome, { audioMs, deliveredChars, byClient }) {
        // What was heard on a reservation that was gone is not the client's luck.
        const billed = billDelivered && (byClient || held.wasLost);
        return end(outcome, audioMs, deliveredChars, billed ? Math.min(deliveredChars, held.chars) : 0);
      },
      reject: () => endOnce(() => held.drop()),
    };
  };

  return {
    limits,
    local: localHash && local,
    authenticate,
    renew,
    refusedAmong,
    passes: passesThrough(store.passes, asked),
    shared: store.shared,
    freeDaily: (key, model) => freeDailyOf(limits, key, parseModel(model).base),
    admit,
    lost,
    get active() {
      return active;
    },
    async close() {
      await Promise.all([settlements.close(), purges.close()]);
      await lease?.close();
      await store.close();
    },
  };
}
