/** The user's npm configuration (registry, proxy, certificates, credentials), as npm reads it. */
import { fileURLToPath } from 'node:url';
import { TtsError } from '../../protocol/errors.js';

export type NpmOptions = Readonly<Record<string, unknown>>;

const PACKAGE_DIR = fileURLToPath(new URL('../../..', import.meta.url));

export async function loadNpmOptions(): Promise<NpmOptions> {
  const { default: Config } = await import('@npmcli/config');
  const { default: npm } = await import('@npmcli/config/lib/definitions/index.js');
  // The package's folder counts as the project, not the folder in which the user happens to be.
  const config = new Config({
    definitions: npm.definitions,
    shorthands: npm.shorthands,
    flatten: npm.flatten,
    npmPath: PACKAGE_DIR,
    cwd: PACKAGE_DIR,
    argv: [],
    warn: false,
  });
  // It would set variables of this process's environment.
  config.setEnvs = () => undefined;
  try {
    await config.load();
  } catch (cause) {
    throw new TtsError(
      'download_failed',
      `npm's configuration could not be read: ${(cause as Error).message}. Check it with: npm config list`,
      { cause },
    );
  }
  return {
    ...config.flat,
    // The pack is the only copy that is kept.
    cache: undefined,
    offline: false,
    preferOffline: false,
    // Retries are ours: npm's are long and silent, and ignore an abort.
    retry: { retries: 0 },
  };
}
