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
  trustProxy: [],
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  stallTimeoutMs: 300_000,
  // A quarter of an hour of audio, and two hours and a half on disk: an eighth of both is more than any text of /v1 makes.
  maxHeldBytes: 44_000_000,
  maxHeldDiskBytes: 400_000_000,
  heldDir: undefined,
  heldStallMs: 20_000,
  failedKeysPerMinute: 20,
  docs: true,
  web: 'off',
  metrics: true,
};
