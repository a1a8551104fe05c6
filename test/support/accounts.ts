/** Accounts on a database in memory whose clock stands. */
import { expect } from 'vitest';
import { createAccounts, DEFAULT_LIMITS } from '../../src/accounts/accounts.js';
import { createStore } from '../../src/accounts/database-store.js';
import { createKeyring } from '../../src/accounts/keyring.js';
import { openSqliteDatabase } from '../../src/accounts/sqlite/database.js';
import { systemClock } from '../../src/clock.js';
import { withClock } from './processes/database-clock.js';

/** What the database's clock shows until a test sets it. */
export const NOW = new Date('2026-03-01T23:59:30.000Z');
/** Times in the ledger go on from the database's with this clock, which stands still as well. */
export const STILL = { ...systemClock, now: () => 1000 };

export const code = (expected: string) => expect.objectContaining({ code: expected });

export async function openAccounts() {
  const database = await withClock(await openSqliteDatabase(':memory:'));
  await database.freezeAt(NOW.toISOString());
  const store = createStore(database);
  const keys = createKeyring(store, () => NOW);
  const accounts = await createAccounts({ store, limits: DEFAULT_LIMITS, localKey: 'local-secret', clock: STILL });
  return { database, store, keys, accounts };
}
