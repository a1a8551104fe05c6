/** The store over any database, put together from its tables. */
import type { AccountsDatabase } from './database.js';
import { callFunctions } from './money/functions.js';
import { runStatements } from './money/statements.js';
import { createPasses } from './passes.js';
import { createRequestRows } from './requests/request-rows.js';
import type { AccountStore } from './store.js';
import { createComparisons } from './tables/comparisons.js';
import { createDictionaries } from './tables/dictionaries.js';
import { createJobs } from './tables/jobs.js';
import { createKept } from './tables/kept.js';
import { createKeys } from './tables/keys.js';
import { createLeases } from './tables/leases.js';
import { createUsage } from './tables/usage.js';

interface BalanceRow {
  id: string;
  credits: number;
  reserved: number;
  due: number;
  held: number;
}

const SELECT_SECRET = 'SELECT hash FROM secrets WHERE name = ?';
const ADD_SECRET = 'INSERT INTO secrets (name, hash) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING name';
const SET_SECRET = `INSERT INTO secrets (name, hash) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET hash = excluded.hash RETURNING name`;
const SELECT_WRONG_BALANCES = `SELECT id, credits, reserved, due, held FROM (
    SELECT seq, id, credits, reserved,
      (SELECT coalesce(sum(credits), 0) FROM grants WHERE key_id = keys.id)
        - (SELECT coalesce(sum(credits), 0) FROM ledger WHERE key_id = keys.id) AS due,
      (SELECT coalesce(sum(credits), 0) FROM reservations WHERE key_id = keys.id) AS held
    FROM keys) AS balances
  WHERE credits <> due OR reserved <> held ORDER BY seq`;

function createSecrets(database: AccountsDatabase): Pick<AccountStore, 'secretHash' | 'putSecretHash'> {
  return {
    async secretHash(name) {
      return (await database.read<{ hash: Buffer }>(SELECT_SECRET, name))[0]?.hash;
    },
    async putSecretHash(name, hash, { keep = false } = {}) {
      const sql = keep ? ADD_SECRET : SET_SECRET;
      return (await database.writeOne({ durable: true }, sql, name, Buffer.from(hash))).length > 0;
    },
  };
}

async function check(database: AccountsDatabase): Promise<string[]> {
  const damage = await database.damage();
  if (damage.length > 0) return damage;
  const wrong = await database.read<BalanceRow>(SELECT_WRONG_BALANCES);
  return wrong.map(
    ({ id, credits, reserved, due, held }) =>
      `key ${id} has ${credits} credits and ${reserved} reserved; by its grants, ledger and open requests it should have ${due} and ${held}`,
  );
}

/** Owns the database from here on. */
export function createStore(database: AccountsDatabase): AccountStore {
  const { interrupt, ...statements } = runStatements(database);
  return {
    shared: database.shared,
    passes: createPasses(database),
    kept: createKept(database),
    dictionaries: createDictionaries(database),
    jobs: createJobs(database),
    comparisons: createComparisons(database),
    ...createRequestRows(database),
    ...createKeys(database),
    ...statements,
    ...(database.dialect.functions && callFunctions(database)),
    ...createLeases(database, { interrupt }),
    ...createUsage(database),
    ...createSecrets(database),
    check: () => check(database),
    backup: (file) => database.backup(file),
    close: () => database.close(),
  };
}
