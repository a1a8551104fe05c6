/** `tts admin`: the secret that opens the dashboard and the admin interface. */
import { Command } from 'commander';
import { addSettings, settingsOf } from '../../context.js';
import { printJson } from '../../output.js';
import { withStore } from '../../service/account-store.js';

const HELP = `
The secret goes to the standard output, a terminal or not: it was asked for. In a service's script, keep that output out
of the log. The file admin-secret that a first start left in the data folder is removed.

Examples:
  tts admin reset
  SECRET=$(tts admin reset)`;

async function reset({ json }: { json?: boolean }, command: Command): Promise<void> {
  const [{ createAdminSecret }, { removeAdminSecret }] = await Promise.all([
    import('../../../accounts/admin-secret.js'),
    import('../../../accounts/data-folder.js'),
  ]);
  await withStore(command, { create: true }, async (store) => {
    const secret = await createAdminSecret(store).reset();
    // The secret that a first start left there is void now.
    removeAdminSecret(settingsOf(command).config.dataDir);
    if (json) return printJson({ secret });
    process.stdout.write(`${secret}\n`);
    process.stderr.write(
      'Keep it: it is not shown again. Everybody who was signed in to the dashboard is signed out.\n',
    );
  });
}

export function command(): Command {
  const admin = new Command('admin').description(
    'Looks after the secret of the dashboard (/dashboard) and of the admin interface (/admin/v1).',
  );
  addSettings(
    admin.command('reset').description('Makes a new admin secret and prints it, once. The one before is void at once.'),
    ['dataDir'],
  )
    .option('--json', 'print {"secret"}')
    .addHelpText('after', HELP)
    .action((options: { json?: boolean }, self: Command) => reset(options, self));
  return admin;
}
