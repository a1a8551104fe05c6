/** The request log's writer: rows in the background, bounded, and never in anybody's way. */
import { afterEach, describe, expect, it } from 'vitest';
import { CommitUnknown } from '../../src/accounts/database.js';
import { emptyRequestLog, RequestLog, type RequestLogOptions } from '../../src/accounts/requests/request-log.js';
import { openSqliteStore } from '../../src/accounts/sqlite/store.js';
import type { AccountStore, RequestRow } from '../../src/accounts/store.js';
import { until } from '../../testkit/server.js';
import { requestRow } from '../contract/request-log.js';

describe('the request log', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const open = async (more: Partial<RequestLogOptions> = {}) => {
    const store = await openSqliteStore(':memory:');
    closers.push(() => store.close());
    const log = new RequestLog({ store, days: 1, rows: 1_000, writeEveryMs: 1, ...more });
    closers.push(() => log.close());
    return { store, log };
  };
  const now = (n: number): RequestRow => requestRow(n, { time: new Date(Date.now() + n).toISOString() });
  const count = async (store: AccountStore) => (await store.requestLog({ limit: 10_000 })).length;

  it('writes what came, and what still waits when it is closed', async () => {
    const { store, log } = await open();
    log.add(now(1));
    await until(async () => (await count(store)) === 1, 'the row');
    for (let n = 0; n < 250; n++) log.add(now(n));
    await log.close();
    expect([await count(store), log.lost]).toEqual([251, 0]);
    log.add(now(1));
    expect(await count(store)).toBe(251);
  });

  it('keeps no more rows than its bound, and none that are older', async () => {
    const { store, log } = await open({ rows: 300 });
    log.add(requestRow(1));
    for (let n = 0; n < 1_000; n++) log.add(now(n));
    await until(async () => (await store.requestLog({ limit: 1 }))[0]?.requestId === 'req_999', 'the last row');
    // Between two trims a twentieth more, and one batch.
    expect(await count(store)).toBeLessThanOrEqual(300 + 15 + 100);
    expect(await store.requestLog({ requestId: 'req_1', limit: 10 })).toEqual([]);
    expect(log.lost).toBe(0);
  });

  it('neither throws nor waits where the database fails, loses the oldest, and goes on when it is back', async () => {
    const store = await openSqliteStore(':memory:');
    closers.push(() => store.close());
    let away = true;
    let tries = 0;
    const warnings: string[] = [];
    const log = new RequestLog({
      store: {
        ...store,
        async logRequests(rows) {
          tries++;
          if (away) throw new Error('away');
          await store.logRequests(rows);
        },
      },
      days: 1,
      rows: 1_000,
      writeEveryMs: 1,
      maxWaiting: 10,
      log: { warn: ((_about: object, message: string) => warnings.push(message)) as never },
    });
    for (let n = 0; n < 25; n++) log.add(now(n));
    await until(() => tries > 0, 'a try');
    expect(log.lost).toBe(15);
    expect(warnings).toEqual(['rows of the request log were lost: the database does not keep up']);
    away = false;
    await log.close();
    expect((await store.requestLog({ limit: 100 })).map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 10 }, (_, n) => `req_${24 - n}`),
    );
  });

  it('makes no row twice where a commit may have happened', async () => {
    const store = await openSqliteStore(':memory:');
    closers.push(() => store.close());
    const log = new RequestLog({
      store: {
        ...store,
        async logRequests(rows) {
          await store.logRequests(rows);
          throw new CommitUnknown('it broke off');
        },
      },
      days: 1,
      rows: 10,
      writeEveryMs: 1,
    });
    log.add(now(1));
    await until(() => log.lost === 1, 'the failure');
    await log.close();
    expect(await count(store)).toBe(1);
  });

  it('leaves nothing behind where it is switched off', async () => {
    const { store } = await open();
    await store.logRequests(Array.from({ length: 30 }, (_, n) => now(n)));
    await emptyRequestLog(store);
    expect(await count(store)).toBe(0);
  });
});
