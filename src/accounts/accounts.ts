/** The rules of access: which key may do what, how much at once and a day, and that every credit is spent once. */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../log.js';
import { parseModel } from '../protocol/contract.js';
import { TtsError } from '../protocol/errors.js';
import { hashKey, keyId, sameHash } from './api-key.js';
import { isCommitUnknown } from './database.js';
import { createLease } from './lease.js';
import { createSettlements } from './settlements.js';
import type { AccountStore, ReservationEnd } from './store.js';
import type { Accounts, Admission, AdmissionRequest, KeyRecord, Limits, RateLimit } from './types.js';

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
  readonly now?: () => Date;
  /** Of a shared store: how long what this server holds is safe after it was last heard of. */
  readonly leaseMs?: number;
}

export const DEFAULT_LIMITS: Limits = { freeConcurrency: 2, freeDaily: 200, partnerConcurrency: 8 };

const LOCAL_KEY_ID = 'local';
const DAY_MS = 86_400_000;
/** A request that failed for want of a slot may try again soon: sentences take about as long. */
const SLOT_RETRY_S = 1;

/** Ends kept for a store that cannot write. Partner work is refused from the first on, any work beyond so many. */
const MAX_WAITING = 1_000;
const STORE_RETRY_S = 5;
/** Every request would say it again. */
const COMPLAIN_MS = 10_000;

const CREDITS_PER_CHAR = 1;
/**
 * A session that is sent an LLM's words one by one would ask a database elsewhere for each. Where the balance is far from its end it
 * reserves so much more at a time; what it did not need is returned when it ends.
 */
const AHEAD_CHARS = 256;
const AHEAD_BALANCE = 100 * AHEAD_CHARS * CREDITS_PER_CHAR;
/** Compared where no key has the id that was asked for, so that a wrong id takes as long as a wrong key. */
const NO_HASH = new Uint8Array(32);

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

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
  now = () => new Date(),
  leaseMs,
}: AccountsOptions): Promise<Accounts> {
  const startedAt = now().toISOString();
  const lease = store.shared ? await createLease({ store, log, now, ...(leaseMs && { leaseMs }) }) : undefined;
  const holder = lease?.holder ?? '';
  if (!lease) await store.recover(startedAt, 'all');

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
    limits: { concurrency: null, freeDaily: null },
  };

  const settlements = createSettlements(log);
  /** The store's own words are for the log: they name files of this machine. */
  const unrecorded = (cause?: unknown) =>
    new TtsError(
      'overloaded',
      `The accounts cannot be written at the moment, so no new work is taken on. Try again in ${STORE_RETRY_S} seconds.`,
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

  const secondsToMidnight = (at: Date): number => Math.ceil((DAY_MS - (at.getTime() % DAY_MS)) / 1000);

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
    if (!sameHash(hash, stored?.hash ?? NO_HASH) || !stored) {
      throw new TtsError(
        'invalid_api_key',
        'This API key is not known here. "tts keys list" on the server shows the ids.',
      );
    }
    if (stored.revoked) throw new TtsError('revoked_api_key', `The API key ${stored.id} was revoked.`);
    if (stored.expiresAt !== null && Date.parse(stored.expiresAt) <= now().getTime()) {
      throw new TtsError('expired_api_key', `The API key ${stored.id} expired at ${stored.expiresAt}.`);
    }
    const { hash: _hash, ...record } = stored;
    return record;
  };

  const dailyLimit = (at: Date, freeDaily: number): TtsError =>
    new TtsError(
      'daily_limit_exceeded',
      `This key has used its ${count(freeDaily, 'Free request')} of today. The count begins again at 00:00 UTC.`,
      { retryAfterS: secondsToMidnight(at) },
    );
  const noSlot = (free: boolean, limit: number): TtsError =>
    new TtsError(
      'concurrency_limit_exceeded',
      `This key already has ${count(limit, 'session')} running, which is the limit of ${free ? 'Free' : 'Partner'} access. Wait for one to end.`,
      { retryAfterS: SLOT_RETRY_S },
    );
  const shortOf = (chars: number, balance: number): TtsError =>
    new TtsError(
      'insufficient_credits',
      `This needs ${count(Math.max(1, chars), 'credit')} (1 per character) and the key has ${balance} free.`,
    );

  const admit = async ({ key, requestId, model, voice, chars }: AdmissionRequest): Promise<Admission> => {
    const { free } = parseModel(model);
    if (!free && key.tier !== 'partner') {
      throw new TtsError(
        'early_access_required',
        `The model ${model} needs a Partner key; a Free key like this one speaks with ${model}:free over POST /v1/audio/speech.`,
        { param: 'model' },
      );
    }
    const isLocal = key.id === LOCAL_KEY_ID;
    const charged = !free && !isLocal;
    const sessions =
      key.limits.concurrency ?? (free ? limits.freeConcurrency : isLocal ? undefined : limits.partnerConcurrency);
    const freeDaily = key.limits.freeDaily ?? limits.freeDaily;
    const at = now();
    const day = at.toISOString().slice(0, 10);
    if (settlements.waiting >= (charged ? 1 : MAX_WAITING)) throw unrecorded();

    const id = randomUUID();
    const reserve = async () => {
      try {
        return await asked(() =>
          store.reserve({
            id,
            keyId: key.id,
            requestId,
            model,
            voice,
            characters: chars,
            credits: chars * CREDITS_PER_CHAR,
            charged,
            holder,
            ...(sessions !== undefined && { sessions }),
            ...(free && { free: { day, limit: freeDaily } }),
          }),
        );
      } catch (error) {
        if (isCommitUnknown(error)) lease?.disown(id);
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
      if (reserved.reason === 'insufficient_credits') throw shortOf(chars, reserved.balance);
      throw reserved.reason === 'daily_limit' ? dailyLimit(at, freeDaily) : noSlot(free, sessions!);
    }
    const { freeRequests } = reserved;
    active++;

    const rateLimit: RateLimit | undefined = free
      ? { limit: freeDaily, remaining: freeDaily - freeRequests, resetS: secondsToMidnight(at) }
      : undefined;
    let total = chars;
    /** Reserved beyond that. */
    let spare = 0;
    const mayReserveAhead = store.shared && (!charged || key.credits - key.reserved >= AHEAD_BALANCE);
    const extendBy = (by: number) => asked(() => store.extend(id, by, charged ? by * CREDITS_PER_CHAR : 0));
    let ended = false;
    const endOnce = async (how: () => Promise<unknown>): Promise<void> => {
      if (ended) return;
      ended = true;
      active--;
      await ending(key.id, settlements.write(how));
    };
    const end = (
      outcome: ReservationEnd['outcome'],
      audioMs: number,
      deliveredCharacters: number,
      billedChars: number,
    ) => {
      const credits = charged ? billedChars * CREDITS_PER_CHAR : 0;
      return endOnce(() =>
        store.end(id, { outcome, audioMs, characters: total, deliveredCharacters, credits, time: now().toISOString() }),
      );
    };

    return {
      rateLimit,
      get chars() {
        return total;
      },
      async extend(more) {
        if (ended || more === 0) return;
        const fromSpare = Math.min(spare, more);
        spare -= fromSpare;
        const needed = more - fromSpare;
        if (needed > 0) {
          let ahead = mayReserveAhead ? AHEAD_CHARS : 0;
          let balance = await extendBy(needed + ahead);
          if (balance !== undefined && ahead > 0) {
            ahead = 0;
            balance = await extendBy(needed);
          }
          if (balance !== undefined) {
            spare += fromSpare;
            throw shortOf(more, balance);
          }
          spare += ahead;
        }
        total += more;
      },
      settle: ({ audioMs }) => end('completed', audioMs, total, total),
      release: (outcome, { audioMs, deliveredChars, byClient }) =>
        end(outcome, audioMs, deliveredChars, billDelivered && byClient ? Math.min(deliveredChars, total) : 0),
      reject: () => endOnce(() => store.drop(id)),
    };
  };

  return {
    limits,
    local: localHash && local,
    authenticate,
    revokedAmong: (ids) => asked(() => store.revokedAmong(ids)),
    admit,
    get active() {
      return active;
    },
    async close() {
      await settlements.close();
      await lease?.close();
      await store.close();
    },
  };
}
