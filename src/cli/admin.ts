/** `tts admin`: the secret that opens the dashboard and the admin interface. */
import { Command } from 'commander';
import { printJson, withStore } from './account-store.js';
import { addSettings } from './context.js';

async function reset({ json }: { json?: boolean }, command: Command): Promise<void> {
  const { createAdminSecret } = await import('../accounts/admin-secret.js');
  await withStore(command, { create: true }, async (store) => {
    const secret = await createAdminSecret(store).reset();
    if (json) return printJson({ secret });
    process.stdout.write(`${secret}\n`);
    process.stderr.write('Keep it: it is not shown again. Whoever was signed in to the dashboard is signed out.\n');
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
    .addHelpText('after', '\nExamples:\n  tts admin reset\n  SECRET=$(tts admin reset)')
    .action((options: { json?: boolean }, self: Command) => reset(options, self));
  return admin;
}
