/**
 * The request log's writer: takes rows at once, and writes them together, in the background. Where
 * the database cannot keep up the oldest waiting rows are lost, and counted; no request ever waits
 * for the log.
 */
import { type Clock, systemClock, type Timer } from '../../clock.js';
import type { Logger } from '../../log.js';
import { loopTurn } from '../../loop-turn.js';
import { isCommitUnknown } from '../database.js';
import type { RequestLogStore, RequestRow } from '../store.js';
import {
  LOG_AGE_EVERY_MS,
  LOG_BATCH,
  LOG_MAX_WAITING,
  LOG_RETRY_MS,
  LOG_TRIM_EVERY_MS,
  LOG_TRIM_SHARE,
  LOG_WARN_EVERY_MS,
  LOG_WRITE_EVERY_MS,
} from '../tuning.js';

/** Bounds of the request log: the age of its rows in days, and their number. */
export interface RequestLogBounds {
  readonly days: number;
  readonly rows: number;
}

export interface RequestLogOptions extends RequestLogBounds {
  readonly store: Pick<RequestLogStore, 'logRequests' | 'trimRequestLog'>;
  readonly log?: Pick<Logger, 'warn'> | undefined;
  /** Longest time that a row waits while the database can be written. */
  readonly writeEveryMs?: number;
  /** Rows that wait at most. */
  readonly maxWaiting?: number;
  readonly clock?: Clock;
}

const DAY_MS = 86_400_000;

export class RequestLog {
  readonly #options: Required<Omit<RequestLogOptions, 'log'>> & Pick<RequestLogOptions, 'log'>;
  #waiting: RequestRow[] = [];
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  readonly #ageing: Timer;
  #closed = false;
  #lost = 0;
  #trimAtMs = Number.NEGATIVE_INFINITY;
  #writtenSinceTrim = 0;
  #warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: RequestLogOptions) {
    this.#options = { writeEveryMs: LOG_WRITE_EVERY_MS, maxWaiting: LOG_MAX_WAITING, clock: systemClock, ...options };
    // Rows grow old while there are no requests too.
    this.#ageing = this.#options.clock.setInterval(() => void this.#trim(), LOG_AGE_EVERY_MS).unref();
  }

  /** Rows that were never written, since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** Never throws, never waits. */
  add(row: RequestRow): void {
    if (this.#closed) return;
    this.#waiting.push(row);
    this.#bound();
    this.#writeIn(this.#options.writeEveryMs);
  }

  /** Writes what waits, once. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    this.#ageing.cancel();
    await this.#writing;
    await this.#writeAll();
    this.#lost += this.#waiting.length;
    this.#waiting = [];
  }

  #bound(): void {
    const excess = this.#waiting.length - this.#options.maxWaiting;
    if (excess <= 0) return;
    this.#waiting.splice(0, excess);
    this.#lost += excess;
    this.#warn('rows of the request log were lost: the database does not keep up');
  }

  #writeIn(ms: number): void {
    if (this.#timer !== undefined || this.#writing !== undefined || this.#closed) return;
    const due = () => {
      this.#timer = undefined;
      this.#writing = this.#writeAll().then((written) => {
        this.#writing = undefined;
        if (this.#waiting.length > 0) this.#writeIn(written ? 0 : LOG_RETRY_MS);
      });
    };
    this.#timer = this.#options.clock.setTimeout(due, ms).unref();
  }

  /** False where the database failed: what was not written waits on. Never rejects. */
  async #writeAll(): Promise<boolean> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, LOG_BATCH);
      try {
        await this.#options.store.logRequests(batch);
      } catch (error) {
        // A batch whose commit broke off may be there: writing it again could make rows twice.
        if (isCommitUnknown(error)) this.#lost += batch.length;
        else this.#waiting.unshift(...batch);
        this.#bound();
        this.#warn('the request log cannot be written', error);
        return false;
      }
      this.#writtenSinceTrim += batch.length;
      if (!this.#closed && this.#isTrimDue()) await this.#trim();
      await loopTurn();
    }
    return true;
  }

  #isTrimDue(): boolean {
    return this.#options.clock.now() >= this.#trimAtMs || this.#writtenSinceTrim >= this.#options.rows * LOG_TRIM_SHARE;
  }

  /** Never rejects. */
  async #trim(): Promise<void> {
    const { store, days, rows } = this.#options;
    const before = new Date(this.#options.clock.wallMs() - days * DAY_MS).toISOString();
    this.#writtenSinceTrim = 0;
    try {
      const { done } = await store.trimRequestLog({ before, rows });
      this.#trimAtMs = this.#options.clock.now() + (done ? LOG_TRIM_EVERY_MS : 0);
    } catch (error) {
      this.#trimAtMs = this.#options.clock.now() + LOG_TRIM_EVERY_MS;
      this.#warn('the request log cannot be trimmed', error);
    }
  }

  #warn(message: string, err?: unknown): void {
    const nowMs = this.#options.clock.now();
    if (nowMs < this.#warnedAtMs + LOG_WARN_EVERY_MS) return;
    this.#warnedAtMs = nowMs;
    this.#options.log?.warn({ lost: this.#lost, ...(err !== undefined && { err }) }, message);
  }
}

/** Removes what a log that is switched off has left behind. */
export async function emptyRequestLog(store: Pick<RequestLogStore, 'trimRequestLog'>): Promise<void> {
  const nothing = { before: '9999', rows: 0 };
  while (!(await store.trimRequestLog(nothing)).done);
}
