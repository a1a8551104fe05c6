/**
 * Ends of requests until they are written, key by key: delivered audio is debited also where the
 * store was away.
 */
import { type Clock, systemClock, type Timer } from '../../clock.js';
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';
import { FIRST_RETRY_MS, LAST_TRY_MS, MAX_RETRY_MS } from '../tuning.js';

type Write = () => Promise<unknown>;

/**
 * The unwritten ends of one key, retried at a pace of their own: a key whose row is locked holds up
 * no other.
 */
interface Backlog {
  readonly ends: Set<Write>;
  waitMs: number;
  timer: Timer | undefined;
  retrying: Promise<void> | undefined;
}

export class Settlements {
  readonly #backlogs = new Map<string, Backlog>();
  readonly #log: Pick<Logger, 'error' | 'info'> | undefined;
  readonly #clock: Clock;

  constructor(log?: Pick<Logger, 'error' | 'info'>, clock = systemClock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Ends of all keys that are not written yet. */
  get waiting(): number {
    let sum = 0;
    for (const { ends } of this.#backlogs.values()) sum += ends.size;
    return sum;
  }

  /** Ends of one key that are not written yet. */
  waitingOf(keyId: string): number {
    return this.#backlogs.get(keyId)?.ends.size ?? 0;
  }

  /** Resolves when the end was written, or is kept to be tried again. */
  async write(keyId: string, end: Write): Promise<void> {
    if (await this.#attempt(end)) return;
    const fresh: Backlog = { ends: new Set(), waitMs: FIRST_RETRY_MS, timer: undefined, retrying: undefined };
    const backlog = this.#backlogs.get(keyId) ?? fresh;
    this.#backlogs.set(keyId, backlog);
    backlog.ends.add(end);
    this.#schedule(keyId, backlog);
  }

  /**
   * Tries once more, for a bounded time. An end that stays unwritten is returned at the next start,
   * as after a crash.
   */
  async close(): Promise<void> {
    if (this.#backlogs.size > 0) {
      const giveUp = new AbortController();
      const late = this.#clock.sleep(LAST_TRY_MS, giveUp.signal).catch(() => undefined);
      const all = [...this.#backlogs].map(([keyId, backlog]) => this.#retryNow(keyId, backlog));
      await Promise.race([Promise.all(all), late]);
      giveUp.abort();
    }
    for (const { timer } of this.#backlogs.values()) timer?.cancel();
    if (this.#backlogs.size > 0) {
      const lost = this.waiting;
      this.#log?.error({ lost }, 'requests could not be booked: their credits are returned at the next start');
    }
  }

  /**
   * False where the store cannot write. An end that the store refuses for another reason would be
   * refused for ever.
   */
  async #attempt(end: Write): Promise<boolean> {
    try {
      await end();
    } catch (error) {
      if (error instanceof TtsError && error.code === 'store_unavailable') {
        if (this.#backlogs.size === 0) {
          this.#log?.error({ err: error }, 'the accounts cannot be written; what ends is kept until they can');
        }
        return false;
      }
      this.#log?.error({ err: error }, 'the end of a request could not be booked');
    }
    return true;
  }

  /**
   * One end goes ahead: where it is written, the rest of its key follow together and share a
   * commit.
   */
  async #retry(keyId: string, backlog: Backlog): Promise<void> {
    const { ends } = backlog;
    const settle = async (end: Write) => {
      if (await this.#attempt(end)) ends.delete(end);
    };
    const [first, ...rest] = ends;
    await settle(first!);
    if (!ends.has(first!)) await Promise.all(rest.map(settle));
    backlog.waitMs = ends.size > 0 ? Math.min(MAX_RETRY_MS, backlog.waitMs * 2) : FIRST_RETRY_MS;
    if (ends.size > 0) return;
    this.#backlogs.delete(keyId);
    if (this.#backlogs.size === 0) this.#log?.info('the accounts can be written again');
  }

  #retryNow(keyId: string, backlog: Backlog): Promise<void> {
    backlog.timer?.cancel();
    backlog.timer = undefined;
    backlog.retrying ??= this.#retry(keyId, backlog).finally(() => {
      backlog.retrying = undefined;
      this.#schedule(keyId, backlog);
    });
    return backlog.retrying;
  }

  #schedule(keyId: string, backlog: Backlog): void {
    if (backlog.ends.size === 0 || backlog.timer !== undefined || backlog.retrying !== undefined) return;
    backlog.timer = this.#clock.setTimeout(() => void this.#retryNow(keyId, backlog), backlog.waitMs).unref();
  }
}
