/**
 * Transactions on pooled connections: what needs no answer travels with what does, and collisions
 * are tried again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { TtsError } from '../../protocol/errors.js';
import { type Change, CommitUnknown, type Query } from '../database.js';
import { isCollision, isStatementFailure, postgresError } from './failure.js';
import { BEGIN, beginOn, createTranslator, isPooled } from './pool.js';

/**
 * Tries of a transaction that failed by a collision (40001, 40P01), all within the database's
 * patience.
 */
const COLLISION_TRIES = 12;
/** Longest pause before the second try; it doubles with each further try, up to the maximum. */
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 500;

/** Statements whose answers are waited for together. */
class Sent {
  readonly #answers: Promise<unknown>[] = [];

  add<T>(answer: Promise<T>): Promise<T> {
    // A failure is reported by `answered`, or never where something else failed first.
    answer.catch(() => undefined);
    this.#answers.push(answer);
    return answer;
  }

  /** Rejects with the first failure, once nothing is under way on the connection any more. */
  async answered(): Promise<void> {
    const failure = (await Promise.allSettled(this.#answers)).find(({ status }) => status === 'rejected');
    if (failure) throw (failure as PromiseRejectedResult).reason;
  }
}

/** What the server did is unknown unless it said so itself. */
const atCommit = (cause: unknown): unknown =>
  isStatementFailure(cause) ? cause : new CommitUnknown('it broke off at a commit', { cause });

/** Lends a connection. One that failed in any way but by a statement is not used again. */
export async function connected<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await use(client);
    client.release();
    return result;
  } catch (error) {
    client.release(!(error instanceof TtsError) && !isStatementFailure(error));
    throw error;
  }
}

/** `use` hands statements whose answers it does not need to `sent`. */
export function transaction<T>(
  pool: pg.Pool,
  begin: string,
  use: (client: pg.PoolClient, sent: Sent) => Promise<T>,
): Promise<T> {
  return connected(pool, async (client) => {
    const sent = new Sent();
    const begun = sent.add(client.query(beginOn(client, begin)));
    let result: T;
    try {
      result = await use(client, sent);
    } catch (error) {
      // Where even the rollback fails the connection ends, and the transaction with it.
      if (error instanceof TtsError || isStatementFailure(error)) await client.query('ROLLBACK');
      // A pooler that allows no transaction says so to the first statement, and hangs up.
      else await begun;
      throw error;
    }
    // After a statement that failed this is a rollback, which the server does not call a failure:
    // the statement does.
    sent.add(client.query('COMMIT'));
    try {
      await sent.answered();
      return result;
    } catch (cause) {
      throw atCommit(cause);
    }
  });
}

/** Translates and runs statements; one a server, since names of prepared statements are its own. */
export class Statements {
  readonly #translated = createTranslator();

  async read(client: pg.PoolClient, query: Query, more: object = {}): Promise<unknown[]> {
    return (await client.query({ ...this.#translated(client, query), ...more })).rows;
  }

  async run<T>(client: pg.PoolClient, sent: Sent, course: Change<T>): Promise<T> {
    let step = course.next();
    while (!step.done) {
      const answer = client.query(this.#translated(client, step.value));
      if (step.value.told) sent.add(answer);
      step = course.next(step.value.told ? [] : (await answer).rows);
    }
    return step.value;
  }

  /**
   * A statement that is a transaction by itself, in one round trip. Through a pooler its
   * transaction brings its settings along: BEGIN, the statement and COMMIT travel together.
   */
  single(pool: pg.Pool, query: Query): Promise<unknown[]> {
    return connected(pool, async (client) => {
      const sent = new Sent();
      const pooled = isPooled(client);
      if (pooled) sent.add(client.query(beginOn(client, BEGIN)));
      const answer = sent.add(client.query(this.#translated(client, query)));
      if (pooled) sent.add(client.query('COMMIT'));
      try {
        await sent.answered();
      } catch (cause) {
        throw atCommit(cause);
      }
      return (await answer).rows;
    });
  }
}

/**
 * Tries collisions again after a random pause: transactions that met once would meet again in step.
 */
export async function withRetries<T>(place: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
  const lastTryMs = performance.now() + patienceMs;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
      const isLast = tries === COLLISION_TRIES || performance.now() + pauseMs > lastTryMs;
      if (!isCollision(error) || isLast) throw postgresError(error, place);
      await sleep(pauseMs);
    }
  }
}
