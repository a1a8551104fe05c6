/** The accounts, for the commands that look after them while servers may be running. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { AccountStore } from '../../accounts/store.js';
import type { Config } from '../../config.js';
import { settingsOf } from '../context.js';

interface OpenOptions {
  /** Only making the first key may make the folder; looking must leave no trace. */
  readonly create?: boolean;
}

/** The settings that say where the accounts are. */
export const ACCOUNT_SETTINGS = ['dataDir', 'database'] as const satisfies readonly (keyof Config)[];

interface Whereabouts {
  /** The file or the database, as messages name it. */
  readonly place: string;
  /** False where nobody has made any accounts yet. */
  readonly exists: boolean;
}

export async function withStore<T>(
  command: Command,
  { create = false }: OpenOptions,
  use: (store: AccountStore, where: Whereabouts) => Promise<T>,
): Promise<T> {
  const { dataDir, database } = settingsOf(command).config;
  if (database !== '') {
    const [{ openPostgresStore }, { parsePostgresUrl }] = await Promise.all([
      import('../../accounts/postgres/store.js'),
      import('../../accounts/postgres/url.js'),
    ]);
    const { place } = parsePostgresUrl(database);
    return closing(await openPostgresStore(database), (store) => use(store, { place, exists: true }));
  }
  const [{ accountsFile }, { openSqliteStore }] = await Promise.all([
    import('../../accounts/data-folder.js'),
    import('../../accounts/sqlite/store.js'),
  ]);
  const file = accountsFile(dataDir);
  const exists = existsSync(file);
  const opened = await openSqliteStore(create || exists ? file : ':memory:');
  return closing(opened, (store) => use(store, { place: file, exists }));
}

async function closing<T>(store: AccountStore, use: (store: AccountStore) => Promise<T>): Promise<T> {
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export const printJson = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined)}\n`);
};

/** Whoever pastes the whole key means its id. */
export const idOf = (text: string): string => (/^tts_[\w-]{43}$/.test(text) ? text.slice(4, 12) : text);
