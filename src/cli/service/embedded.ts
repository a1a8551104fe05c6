/** A server inside a command: loopback, any free port, accounts in memory, an engine on demand. */

import type { Config } from '../../config.js';
import type { Logger } from '../../log.js';
import { BASE_MODELS } from '../../protocol/job.js';
import type { Preparation } from '../../protocol/preparation.js';
import { createService } from './service.js';

export interface EmbeddedOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Called while a first run gets ready. */
  readonly onPreparation?: (progress: Preparation) => void;
  /** Speech is coming for sure: the engine starts before the server does. */
  readonly speech?: boolean;
  /** Many will listen at once: the engine may be more than one process. */
  readonly crowd?: boolean;
  /** Nobody hears the speech while it is made. */
  readonly unheard?: boolean;
}

export interface EmbeddedServer {
  /** `http://127.0.0.1:PORT`, no slash at the end. */
  readonly baseUrl: string;
  /** A Partner key that is never debited and dies with the server. */
  readonly apiKey: string;
  /** Starts the engine ahead of the first request. Resolves when it can speak, or rejects. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** The first run downloads a model: its speech waits for that, as long as the command does. */
const START_PATIENCE_MS = 3_600_000;

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { log, onPreparation, speech = false, crowd = false, unheard = false } = options;
  // A command speaks by itself, also where the server of this machine leaves that to others.
  const config = options.config.workers === 0 ? { ...options.config, workers: 1 } : options.config;
  const { drawKey } = await import('../../accounts/api-key.js');
  const { key: localKey } = drawKey();
  // A command speaks with one model. Where it names none, none is loaded ahead.
  const model = BASE_MODELS.find((name) => name === config.model.replace(/:free$/, ''));
  const service = await createService({
    config,
    log,
    store: async () => (await import('../../accounts/sqlite/store.js')).openSqliteStore(':memory:'),
    localKey,
    settings: { docs: false, metrics: false, maxConnections: config.maxConnections },
    metrics: false,
    startPatienceMs: START_PATIENCE_MS,
    engine: {
      start: speech ? 'now' : 'demand',
      models: model === undefined ? [] : [model],
      crowd,
      unheard,
      ...(onPreparation ? { onProgress: onPreparation } : {}),
    },
  });
  const { port } = await service.listen('127.0.0.1', 0);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: localKey,
    ready: service.ready,
    close: () => service.stop(0),
  };
}
