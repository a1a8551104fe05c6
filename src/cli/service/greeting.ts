/** What `tts serve` says once it listens. */
import { type Config, SETTINGS } from '../../config.js';
import type { Logger } from '../../log.js';
import { type Listening, localAddress, outerAddresses } from './addresses.js';
import { processesOf } from './engine-options.js';

/** `newSecret` is the admin secret that this start made, where it made one. */
export async function greet(
  config: Config,
  listening: Listening,
  log: Logger,
  newSecret: string | undefined,
): Promise<void> {
  const address = localAddress(listening);
  const outer = outerAddresses(listening);
  // On a terminal the lines below say it.
  if (!process.stderr.isTTY) log.info({ address, outer, dataDir: config.dataDir }, 'listening');
  if (outer.length > 0 && !listening.secure) {
    const advice = 'give it --tls-cert and --tls-key, or a proxy that has them';
    log.warn({ advice }, 'listening beyond this machine without TLS: keys and text travel readable');
  }
  const isDefault = config.dataDir === SETTINGS.find((row) => row.key === 'dataDir')!.defaultValue(process.env);
  const folder = isDefault ? '' : ` --data-dir ${config.dataDir}`;
  const { least, most } = await processesOf(config, true);
  process.stdout.write(
    `tts is listening on ${address} (${address}/docs says what it can do)\n` +
      `${least} engine process${least === 1 ? '' : 'es'}${most > least ? `, up to ${most} while work waits` : ''}\n` +
      (outer.length > 0 ? `reached from elsewhere at ${outer.join(' and ')}\n` : '') +
      (config.web === 'off' ? '' : `try it in a browser: ${address}/, and run it at ${address}/dashboard\n`) +
      (await secretText(newSecret, config, log, `tts admin reset${folder}`)) +
      `make a key with: tts keys create --tier partner --credits 100000${folder}\n`,
  );
}

/** The admin secret in words. Only a terminal shows a new one: other output may be logged. */
async function secretText(
  secret: string | undefined,
  { dataDir, web }: Config,
  log: Logger,
  reset: string,
): Promise<string> {
  if (web === 'off') return '';
  if (secret === undefined) return `the dashboard asks for the admin secret of the first start (a new one: ${reset})\n`;
  const another = `(another one: ${reset})\n`;
  if (process.stdout.isTTY) return `the dashboard's admin secret, shown this once: ${secret}\n${another}`;
  const { adminSecretFile, writeAdminSecret } = await import('../../accounts/data-folder.js');
  const file = adminSecretFile(dataDir);
  try {
    writeAdminSecret(dataDir, secret);
    log.info({ file }, "the dashboard's admin secret is in a file that only this user can read");
    return `the dashboard's admin secret is in ${file}: keep it elsewhere and delete the file\n${another}`;
  } catch (error) {
    log.warn({ err: error, file }, `the dashboard's admin secret could not be written; make one with: ${reset}`);
    return `the dashboard's admin secret could not be written to ${file}. Make one with: ${reset}\n`;
  }
}
