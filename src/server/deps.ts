/** What the server is made of: everything it talks to is handed in, so that tests and commands can put it together. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { AdminSecret } from '../accounts/admin-secret.js';
import type { Keyring } from '../accounts/keyring.js';
import type { RequestLog } from '../accounts/requests/request-log.js';
import type { AccountStore } from '../accounts/store.js';
import type { Accounts, KeyRecord } from '../accounts/types.js';
import type { FirstPieces } from '../gateway/first-piece.js';
import type { Gateway, ObservableGateway } from '../gateway/types.js';
import type { Worker } from '../gateway/workers/worker.js';
import type { Logger } from '../log.js';
import type { VoiceCatalogue } from '../models/catalogue.js';
import type { Texts } from '../text/thread/texts.js';
import type { ProxyTrust } from './access/client-address.js';
import type { StreamTickets } from './doors/v1/stream-input/tickets.js';
import type { Metrics } from './metrics/metrics.js';
import type { Admit } from './speech/admit.js';
import type { Grants } from './speech/grants.js';

/** Everything here has a default in `settings.ts`. */
export interface ServerSettings {
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Browser origins that may call; `*` for all. */
  readonly corsOrigins: readonly string[];
  readonly maxConnections: number;
  /** Of one address; 0 for no bound. */
  readonly maxConnectionsPerAddress: number;
  /** Hosts that may be asked for beside those of this machine; see `hosts.ts`. */
  readonly allowedHosts: readonly string[];
  /** Addresses and networks of proxies that may say the client's address; see `client-address.ts`. */
  readonly trustProxy: readonly string[];
  /** Time for a request's header lines, and for the whole request. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a reader may take nothing of a response that waits for it. */
  readonly stallTimeoutMs: number;
  /** Memory of responses that are not streamed, being made or read, all of them together; see `held-audio.ts`. */
  readonly maxHeldBytes: number;
  /** And of the temporary files that hold what memory does not. */
  readonly maxHeldDiskBytes: number;
  /** Where those files are made; the system's folder for them where it is undefined. */
  readonly heldDir: string | undefined;
  /** How long a reader may take nothing of such a response while others wait for room. */
  readonly heldStallMs: number;
  /** Failed keys an address may present a minute. */
  readonly failedKeysPerMinute: number;
  /** `/openapi.json` and `/docs`. */
  readonly docs: boolean;
  /** The pages: `auto` lets the playground speak without a key on a loopback address, `key` never does, `off` serves none. */
  readonly web: 'auto' | 'key' | 'off';
  /** `/metrics` on this server; false where it has an address of its own. */
  readonly metrics: boolean;
}

/** Who calls, by a request's headers. Rejects with the 401s, and `too_many_failed_keys` for an address over its rate limit of wrong ones. */
export interface Authenticator {
  /** `prove` looks at something other than the key; what it rejects with counts all the same. */
  authenticate(request: IncomingMessage, prove?: () => Promise<KeyRecord>): Promise<KeyRecord>;
}

/** What every door is given: a plugin of routes that share keys, limits and settlement with the others. */
export interface DoorOptions {
  readonly deps: ServerDeps;
  readonly settings: ServerSettings;
  readonly grants: Grants;
  readonly tickets: StreamTickets;
  readonly proxies: ProxyTrust;
  readonly admit: Admit;
  readonly authenticator: Authenticator;
  /** A hook that puts the caller's key on the request. */
  readonly authenticate: (request: FastifyRequest) => Promise<void>;
}

/** What the handler of a WebSocket handshake is told beside Node's own three. */
export interface UpgradeContext {
  /** The caller's or a new one: send it back as `x-request-id`, on success and failure alike. */
  readonly requestId: string;
  /** Decoded from the path. */
  readonly voiceId: string;
  readonly query: URLSearchParams;
  readonly authenticator: Authenticator;
  readonly tickets: StreamTickets;
}

/**
 * Takes over a WebSocket handshake on the stream-input path (GET, `Upgrade: websocket`); everything else was answered as
 * plain HTTP before. To refuse, call `answerRaw` of `raw-response.ts`. Shutdown is announced by `ServerDeps.shutdown`.
 */
export interface UpgradeHandler {
  handle(request: IncomingMessage, socket: Duplex, head: Buffer, context: UpgradeContext): void;
  /** Resolves when every session has ended. */
  drained(): Promise<void>;
  /** Breaks what is left. */
  terminate(): void;
}

/** What only the operator may see or change. */
export interface AdminDeps {
  readonly version: string;
  readonly secret: AdminSecret;
  readonly keyring: Keyring;
  readonly store: Pick<AccountStore, 'findKey' | 'usageByDay' | 'requestLog'>;
  readonly gateway: Pick<ObservableGateway, 'stats' | 'unusable'>;
  readonly workers: () => readonly Pick<
    Worker,
    'id' | 'state' | 'description' | 'capacity' | 'busy' | 'restarts' | 'lastError'
  >[];
}

export interface ServerDeps {
  readonly accounts: Accounts;
  readonly gateway: Gateway;
  readonly catalogue: Pick<VoiceCatalogue, 'version' | 'all' | 'voices' | 'get' | 'fitting'>;
  readonly texts: Texts;
  /** Of streamed HTTP; left out, the first sentence is cut at its first clause. */
  readonly firstPieces?: FirstPieces | undefined;
  readonly metrics: Metrics;
  /** Absent where no request log is kept. */
  readonly requestLog?: RequestLog | undefined;
  readonly log: Logger;
  /** Aborts when the server begins to stop: no new work, what runs is finished. */
  readonly shutdown: AbortSignal;
  /** Without it there is no /admin/v1. */
  readonly admin?: AdminDeps;
  readonly settings?: Partial<ServerSettings>;
  /** Makes the handler of the WebSocket path out of the same parts; without it the path answers 426 to everything. */
  readonly upgrades?: (deps: ServerDeps, grants: Grants) => UpgradeHandler;
}
