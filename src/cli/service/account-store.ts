/** The accounts, for the commands that look after them while servers may be running. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Keyring } from '../../accounts/keyring.js';
import type { AccountStore } from '../../accounts/store.js';
import type { Config } from '../../config.js';
import { TtsError } from '../../protocol/errors.js';
import { settingsOf } from '../context.js';

interface OpenOptions {
  /** Makes folder and database where there are none; commands that only look must not. */
  readonly create?: boolean;
}

/** The settings that say where the accounts are. */
export const ACCOUNT_SETTINGS = ['dataDir', 'database'] as const satisfies readonly (keyof Config)[];

interface Whereabouts {
  /** The file or the database, as messages name it. */
  readonly place: string;
  /** False where there are no accounts yet. */
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

/** Opens the accounts for work on keys. */
export const withKeyring = <T>(
  command: Command,
  options: OpenOptions,
  use: (keyring: Keyring, where: Whereabouts) => Promise<T>,
): Promise<T> =>
  withStore(command, options, async (store, where) => {
    const { createKeyring } = await import('../../accounts/keyring.js');
    return use(createKeyring(store), where);
  });

/** Throws where `--key` names a key that there is not; `local` is the use on this machine. */
export async function checkKeyId(store: AccountStore, id: string | undefined): Promise<void> {
  if (id === undefined || id === 'local' || (await store.findKey(id))) return;
  throw new TtsError('key_not_found', `There is no key with the id "${id}". See the ids with: tts keys list`);
}

/** The id of a key, also where the whole key was pasted. */
export const idOf = (text: string): string => (/^tts_[\w-]{43}$/.test(text) ? text.slice(4, 12) : text);
