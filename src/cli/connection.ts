/** The server a command speaks through: the one named, one on this machine, or one of its own. */
import type { ServerAddress } from '../client/address.js';
import { type Config, flagOf, type Sources } from '../config.js';
import { IN_THE_LOG, TtsError } from '../protocol/errors.js';
import type { Preparation } from '../protocol/preparation.js';
import type { RuntimeRecord } from '../protocol/runtime.js';
import { chooseLocalServer, engineSettingsAsked, type LocalChoice } from './service/local-server.js';
import { complain } from './terminal.js';

export interface Connection extends ServerAddress {
  readonly kind: 'remote' | 'local' | 'embedded';
  /** What speaks, for people. */
  readonly name: string;
  /** Settings of the engine of a local server. */
  readonly engine?: RuntimeRecord['engine'];
  /** Resolves when speech can be asked for; only a server of our own may need time for it. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectHooks {
  readonly onPreparation?: (progress: Preparation) => void;
  /** Speech will be asked for: an engine of our own may start at once. */
  readonly speech?: boolean;
  /** Many will listen at once: an engine of our own may be more than one process. */
  readonly crowd?: boolean;
  /** The speech is written, not heard: an engine of our own need not begin it soon. */
  readonly unheard?: boolean;
}

/** Settings of an engine that have no effect on a server that was named. */
export function lostSettings({ config, sources }: Sources): string | undefined {
  const lost = config.server === '' ? [] : engineSettingsAsked({ sources });
  if (lost.length === 0) return undefined;
  const names = lost.map(flagOf).join(', ');
  return `${names} ${lost.length > 1 ? 'have' : 'has'} no effect: ${config.server} speaks with settings of its own.`;
}

export async function connect(settings: Sources, hooks: ConnectHooks, signal: AbortSignal): Promise<Connection> {
  const { config, sources } = settings;
  const nothing = async () => undefined;
  if (config.server) {
    const { parseBaseUrl } = await import('../client/address.js');
    const baseUrl = parseBaseUrl(config.server).href.replace(/\/$/, '');
    return { kind: 'remote', name: baseUrl, baseUrl, apiKey: config.apiKey, ready: nothing, close: nothing };
  }
  const local = await chooseLocalServer(settings, signal);
  if (local) {
    const { server, others } = local;
    if (others.length > 0 && process.stderr.isTTY) complain(whichServer(local));
    return { ...server, kind: 'local', name: `tts serve at ${server.baseUrl}`, ready: nothing, close: nothing };
  }

  // It logs only where somebody asked for it: its failures reach the command on the wire.
  return embed({ ...config, logLevel: sources.logLevel === 'default' ? 'silent' : config.logLevel }, hooks, signal);
}

const whichServer = ({ server, others }: LocalChoice): string =>
  `${others.length + 1} servers run here; this took ${server.baseUrl}. ` +
  `TTS_PORT=${new URL(others[0]!.baseUrl).port} takes ${others.length > 1 ? 'another' : 'the other'}.`;

/** A server of the command's own, whatever else runs on this machine. */
export async function embed(config: Config, hooks: ConnectHooks, signal: AbortSignal): Promise<Connection> {
  const [{ startEmbedded }, { createLogger }] = await Promise.all([
    import('./service/embedded.js'),
    import('../log.js'),
  ]);
  signal.throwIfAborted();
  const log = await createLogger({ level: config.logLevel });
  const { onPreparation, speech = false, crowd = false, unheard = false } = hooks;
  const server = await startEmbedded({
    config,
    log,
    speech,
    crowd,
    unheard,
    ...(onPreparation ? { onPreparation } : {}),
  });
  return {
    kind: 'embedded',
    name: 'an engine of this command',
    baseUrl: server.baseUrl,
    apiKey: server.apiKey,
    ready: () => server.ready(),
    close: () => server.close(),
  };
}

/** How long a command waits for its own server to close: after its work, and after a signal. */
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

/** An error of the command's own server, without a request id that no log knows. */
export function ofOwnServer(error: unknown): unknown {
  if (!(error instanceof TtsError)) return error;
  const { code, message, cause, param, retryAfterS } = error;
  return new TtsError(code, message.replace(IN_THE_LOG, 'Set TTS_LOG_LEVEL=error and try again to see why.'), {
    cause: cause ?? error,
    ...(param === null ? {} : { param }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  });
}
