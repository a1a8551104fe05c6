/** The server's bounds where nobody says otherwise. */
import type { ServerSettings } from './deps.js';

/** How long a reader may take nothing once the server stops. */
export const STOP_STALL_MS = 5_000;

export const DEFAULT_SETTINGS: ServerSettings = {
  tls: undefined,
  corsOrigins: [],
  maxConnections: 4_096,
  maxConnectionsPerAddress: 1_024,
  allowedHosts: [],
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  stallTimeoutMs: 300_000,
  // A quarter of an hour of audio: the longest text six times over, or a sentence a hundred times.
  maxHeldBytes: 44_000_000,
  failedKeysPerMinute: 20,
  docs: true,
  web: 'off',
  metrics: true,
};
