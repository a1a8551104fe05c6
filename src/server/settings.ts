/** The server's bounds where nobody says otherwise. */
import type { ServerSettings } from './deps.js';

export const DEFAULT_SETTINGS: ServerSettings = {
  tls: undefined,
  corsOrigins: [],
  maxConnections: 4_096,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  stallTimeoutMs: 300_000,
  failedKeysPerMinute: 20,
  docs: true,
  metrics: true,
};
