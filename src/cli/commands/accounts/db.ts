/** `tts db`: care of the accounts database. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { replaceFile } from '../../../atomic-file.js';
import { TtsError } from '../../../protocol/errors.js';
import { addSettings, settingsOf } from '../../context.js';
import { ACCOUNT_SETTINGS, withStore } from '../../service/account-store.js';

async function backup(target: string, { force = false }: { force?: boolean }, command: Command): Promise<void> {
  await withStore(command, {}, async (store, { place, exists }) => {
    if (!exists) {
      throw new TtsError('usage', `There are no accounts to back up: ${place} does not exist. Is --data-dir right?`);
    }
    if (!force && existsSync(target)) {
      throw new TtsError(
        'output_failed',
        `${target} exists already. Choose another name, or add --force to replace it.`,
      );
    }
    try {
      await replaceFile(target, (fresh) => store.backup(fresh));
    } catch (cause) {
      throw new TtsError('output_failed', `The backup to ${target} failed: ${(cause as Error).message}`, { cause });
    }
    process.stderr.write(`Backed up ${place} to ${target}.\n`);
  });
}

async function check(_options: unknown, command: Command): Promise<void> {
  await withStore(command, {}, async (store, { place, exists }) => {
    if (!exists) {
      throw new TtsError('usage', `There are no accounts to check: ${place} does not exist. Is --data-dir right?`);
    }
    const found = await store.check();
    for (const line of found) process.stdout.write(`${line}\n`);
    if (found.length > 0) {
      throw new TtsError(
        'internal_error',
        `${place} is not in order. A copy made with "tts db backup" can take its place.`,
      );
    }
    process.stderr.write(`${place} is whole, and every balance agrees with its grants and ledger.\n`);
  });
}

/** Under the folder's lock: what a server did there after the copy would be lost. */
async function copy({ from }: { from?: string }, command: Command): Promise<void> {
  const { dataDir, database } = settingsOf(command).config;
  if (database === '') {
    throw new TtsError('usage', 'Name the PostgreSQL database to copy to with --database or TTS_DATABASE.');
  }
  const [{ accountsFile }, { acquireServerLock }, { copyAccounts }, sqlite, postgres, { parsePostgresUrl }] =
    await Promise.all([
      import('../../../accounts/data-folder.js'),
      import('../../../accounts/server-lock.js'),
      import('../../../accounts/copy.js'),
      import('../../../accounts/sqlite/database.js'),
      import('../../../accounts/postgres/database.js'),
      import('../../../accounts/postgres/url.js'),
    ]);
  const file = from ?? accountsFile(dataDir);
  if (!existsSync(file)) {
    throw new TtsError('usage', `There are no accounts to copy: ${file} does not exist. Is --data-dir right?`);
  }
  const { place } = parsePostgresUrl(database);
  const lock = from === undefined ? acquireServerLock(dataDir) : undefined;
  try {
    const source = await sqlite.openSqliteDatabase(file, { quickCheck: true });
    try {
      const target = await postgres.openPostgresDatabase(database);
      try {
        const rows = await copyAccounts(source, target);
        const { keys = 0, grants = 0, ledger = 0, reservations = 0 } = rows;
        process.stderr.write(
          `Copied ${keys} keys, ${grants} grants, ${ledger} rows of the ledger and ${reservations} open reservations from ${file} to ${place}; counts and sums agree.\n`,
        );
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  } finally {
    lock?.release();
  }
}

export function command(): Command {
  const db = new Command('db').description('Looks after the accounts database.');
  addSettings(db.command('backup'), ACCOUNT_SETTINGS)
    .description('Writes a consistent copy of the accounts to a file, while servers may be running.')
    .argument('<file>', 'where to write it: an SQLite database, also where the accounts are in PostgreSQL')
    .option('--force', 'replace the file if it exists')
    .addHelpText(
      'after',
      '\nExamples:\n  tts db backup accounts-monday.db\n\nTo restore: stop the server and copy the file to accounts.db in the data folder\n(remove accounts.db-wal and accounts.db-shm beside it); into PostgreSQL with\n"tts db copy --from accounts-monday.db", the database being empty.',
    )
    .action((target: string, options: { force?: boolean }, command: Command) => backup(target, options, command));
  addSettings(db.command('check'), ACCOUNT_SETTINGS)
    .description('Reads all of the accounts: are they whole, and does every balance agree with grants and ledger?')
    .addHelpText('after', '\nExit code 0 when all is well, 1 when something is not. Servers may be running.')
    .action(check);
  addSettings(db.command('copy'), ACCOUNT_SETTINGS)
    .description('Copies all accounts from the data folder into an empty PostgreSQL database, all or nothing.')
    .option('--from <file>', 'an SQLite file instead, such as one made with "tts db backup"')
    .addHelpText(
      'after',
      '\nThe server of the data folder must be stopped. What it had reserved is returned by the first server that works\non the new database. A database that holds accounts already is refused and left as it is.\n\nExample:\n  TTS_DATABASE=postgres://tts:PASSWORD@db.example.org/tts tts db copy',
    )
    .action(copy);
  return db;
}
