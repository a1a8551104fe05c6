/** `tts db`: care of the accounts database. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { replaceFile } from '../atomic-file.js';
import { TtsError } from '../protocol/errors.js';
import { withStore } from './account-store.js';
import { addSettings } from './context.js';

async function backup(target: string, { force = false }: { force?: boolean }, command: Command): Promise<void> {
  await withStore(command, {}, async (store, file) => {
    if (!existsSync(file)) {
      throw new TtsError('usage', `There are no accounts to back up: ${file} does not exist. Is --data-dir right?`);
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
    process.stderr.write(`Backed up ${file} to ${target}.\n`);
  });
}

async function check(_options: unknown, command: Command): Promise<void> {
  await withStore(command, {}, async (store, file) => {
    if (!existsSync(file)) {
      throw new TtsError('usage', `There are no accounts to check: ${file} does not exist. Is --data-dir right?`);
    }
    const found = await store.check();
    for (const line of found) process.stdout.write(`${line}\n`);
    if (found.length > 0) {
      throw new TtsError(
        'internal_error',
        `${file} is not in order. A copy made with "tts db backup" can take its place.`,
      );
    }
    process.stderr.write(`${file} is whole, and every balance agrees with its grants and ledger.\n`);
  });
}

export function command(): Command {
  const db = new Command('db').description('Looks after the accounts database.');
  addSettings(db.command('backup'), ['dataDir'])
    .description('Writes a consistent copy of the accounts to a file, while the server may be running.')
    .argument('<file>', 'where to write it')
    .option('--force', 'replace the file if it exists')
    .addHelpText(
      'after',
      '\nExamples:\n  tts db backup accounts-monday.db\n\nTo restore: stop the server and copy the file to accounts.db in the data folder\n(remove accounts.db-wal and accounts.db-shm beside it).',
    )
    .action((target: string, options: { force?: boolean }, command: Command) => backup(target, options, command));
  addSettings(db.command('check'), ['dataDir'])
    .description('Reads all of the accounts: is the file whole, and does every balance agree with grants and ledger?')
    .addHelpText('after', '\nExit code 0 when all is well, 1 when something is not. The server may be running.')
    .action(check);
  return db;
}
