/** Which server a command speaks through: the one that was named, one that runs on this machine, or one of its own. */
import type { Config } from '../config.js';
import type { DownloadProgress } from './embedded.js';
import { findLocalServer } from './local-server.js';

export interface Connection {
  readonly kind: 'remote' | 'local' | 'embedded';
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Resolves when speech can be asked for; only a server of our own may need time for it. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectHooks {
  readonly onDownload?: (progress: DownloadProgress) => void;
  /** The embedded server logs only where somebody asked for it: its failures reach the command on the wire. */
  readonly logLevelAsked: boolean;
  /** Speech will be asked for: an engine of our own may start at once. */
  readonly speech?: boolean;
}

export async function connect(config: Config, hooks: ConnectHooks, signal: AbortSignal): Promise<Connection> {
  const nothing = async () => undefined;
  if (config.server) {
    const { parseBaseUrl } = await import('../client/address.js');
    const baseUrl = parseBaseUrl(config.server).href.replace(/\/$/, '');
    return { kind: 'remote', baseUrl, apiKey: config.apiKey, ready: nothing, close: nothing };
  }
  const local = await findLocalServer(config.runtimeDir, signal);
  if (local) return { kind: 'local', baseUrl: local.baseUrl, apiKey: local.apiKey, ready: nothing, close: nothing };

  const [{ startEmbedded }, { createLogger }] = await Promise.all([import('./embedded.js'), import('../log.js')]);
  signal.throwIfAborted();
  const log = await createLogger({ level: hooks.logLevelAsked ? config.logLevel : 'silent' });
  const { onDownload, speech = false } = hooks;
  const server = await startEmbedded({ config, log, speech, ...(onDownload ? { onDownload } : {}) });
  return {
    kind: 'embedded',
    baseUrl: server.baseUrl,
    apiKey: server.apiKey,
    ready: () => server.ready(),
    close: () => server.close(),
  };
}

/** How long a command waits for its own server to fold up: once the work is done, and when it was told to stop. */
const CLOSE_MS = 3_000;
const STOP_MS = 200;

/** Ends the connection without letting a slow end hold the command. */
export async function closeSoon(connection: Connection | undefined, signal: AbortSignal): Promise<void> {
  if (!connection) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, signal.aborted ? STOP_MS : CLOSE_MS);
  });
  await Promise.race([connection.close(), late]);
  clearTimeout(timer);
}
