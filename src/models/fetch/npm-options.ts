/** The user's own npm configuration (registry, proxy, certificates, credentials), as npm itself would read it. */
import { fileURLToPath } from 'node:url';
import { TtsError } from '../../protocol/errors.js';

export type NpmOptions = Readonly<Record<string, unknown>>;

const PACKAGE_DIR = fileURLToPath(new URL('../../..', import.meta.url));

export async function loadNpmOptions(): Promise<NpmOptions> {
  const { default: Config } = await import('@npmcli/config');
  const { default: npm } = await import('@npmcli/config/lib/definitions/index.js');
  // The package's own folder counts as the project: an .npmrc that happens to lie where the user stands does not.
  const config = new Config({
    definitions: npm.definitions,
    shorthands: npm.shorthands,
    flatten: npm.flatten,
    npmPath: PACKAGE_DIR,
    cwd: PACKAGE_DIR,
    argv: [],
    warn: false,
  });
  // It would write its findings into this process's environment.
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
    // The pack is the only copy we keep.
    cache: undefined,
    offline: false,
    preferOffline: false,
    // Retries are ours: npm's wait long, silently, and deaf to an abort.
    retry: { retries: 0 },
  };
}
