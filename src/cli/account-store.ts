/** The accounts of a data folder, for the commands that look after them while a server may be running. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { AccountStore } from '../accounts/store.js';
import { settingsOf } from './context.js';

interface OpenOptions {
  /** Only making the first key may make the folder; looking must leave no trace. */
  readonly create?: boolean;
}

export async function withStore<T>(
  command: Command,
  { create = false }: OpenOptions,
  use: (store: AccountStore, file: string, dataDir: string) => Promise<T>,
): Promise<T> {
  const { dataDir } = settingsOf(command).config;
  const [{ accountsFile }, { openSqliteStore }] = await Promise.all([
    import('../accounts/data-folder.js'),
    import('../accounts/sqlite-store.js'),
  ]);
  const file = accountsFile(dataDir);
  const store = await openSqliteStore(create || existsSync(file) ? file : ':memory:');
  try {
    return await use(store, file, dataDir);
  } finally {
    await store.close();
  }
}

export const printJson = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined)}\n`);
};

/** Whoever pastes the whole key means its id. */
export const idOf = (text: string): string => (/^tts_[\w-]{43}$/.test(text) ? text.slice(4, 12) : text);
