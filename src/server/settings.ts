/** The server's bounds, and their values where nobody says otherwise. */
import { DEFAULT_STYLE, type DeliveryStyle } from '../protocol/delivery/delivery.js';
import type { HeartbeatOptions } from './sockets/heartbeat.js';

export interface ServerSettings {
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Browser origins that may call; `*` for all. */
  readonly corsOrigins: readonly string[];
  readonly maxConnections: number;
  /** Connections of one address; 0 for no bound. */
  readonly maxConnectionsPerAddress: number;
  /** Hosts that may be asked for beside those of this machine; see `access/hosts.ts`. */
  readonly allowedHosts: readonly string[];
  /** Addresses and networks of trusted proxies; see `access/client-address.ts`. */
  readonly trustProxy: readonly string[];
  /** Time for a request's header lines, and for the whole request. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a reader may take nothing of a response that waits for it. */
  readonly stallTimeoutMs: number;
  /** Memory for all buffered responses that are being made or read; see `speech/held-audio.ts`. */
  readonly maxHeldBytes: number;
  /** The same for the temporary files that hold what memory does not. */
  readonly maxHeldDiskBytes: number;
  /** Folder of those files; the system's temporary folder where it is undefined. */
  readonly heldDir: string | undefined;
  /** How long a reader may take nothing of such a response while others wait for room. */
  readonly heldStallMs: number;
  /** Failed keys an address may present a minute. */
  readonly failedKeysPerMinute: number;
  /** Pings on WebSockets. */
  readonly heartbeat: HeartbeatOptions;
  /** `/openapi.json` and `/docs`. */
  readonly docs: boolean;
  /**
   * Playground and dashboard: `auto` lets the playground speak without a key on a loopback address,
   * `key` never does, `off` serves neither.
   */
  readonly web: 'auto' | 'key' | 'off';
  /** The routes of jobs, which say so where the server takes none. */
  readonly jobs: boolean;
  /** How texts are delivered whose request names no style, which those of `/v1` never do. */
  readonly style: DeliveryStyle;
  /** `/metrics` on this server; false where it has an address of its own. */
  readonly metrics: boolean;
}

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
  // A quarter of an hour of audio, and two hours and a half on disk. An eighth of both, the share
  // of one response, is more than any text of /v1 makes.
  maxHeldBytes: 44_000_000,
  maxHeldDiskBytes: 400_000_000,
  heldDir: undefined,
  heldStallMs: 20_000,
  failedKeysPerMinute: 20,
  heartbeat: { intervalMs: 20_000, timeoutMs: 45_000 },
  docs: true,
  web: 'off',
  jobs: false,
  style: DEFAULT_STYLE,
  metrics: true,
};
