/** What the server is made of. Everything it talks to is handed in. */
import type { AdminSecret } from '../accounts/admin-secret.js';
import type { Keyring } from '../accounts/keyring.js';
import type { RequestLog } from '../accounts/requests/request-log.js';
import type { AccountStore } from '../accounts/store.js';
import type { Accounts } from '../accounts/types.js';
import type { Clock } from '../clock.js';
import type { FirstPieces } from '../gateway/first-piece.js';
import type { Gateway, ObservableGateway } from '../gateway/types.js';
import type { Worker } from '../gateway/workers/worker.js';
import type { Jobs } from '../jobs/jobs.js';
import type { Logger } from '../log.js';
import type { VoiceCatalogue } from '../models/catalogue.js';
import type { AdminSettings } from '../protocol/admin/figures.js';
import type { Texts } from '../text/thread/texts.js';
import type { Kept } from './kept.js';
import type { Metrics } from './metrics/metrics.js';
import type { ServerSettings } from './settings.js';

type ObservedWorker = Pick<
  Worker,
  | 'id'
  | 'state'
  | 'description'
  | 'capacity'
  | 'busy'
  | 'others'
  | 'roundTripMs'
  | 'restarts'
  | 'version'
  | 'textVersion'
  | 'unusable'
  | 'lastError'
>;

/** What only the operator may see or change. */
interface AdminDeps {
  readonly version: string;
  readonly secret: AdminSecret;
  readonly keyring: Keyring;
  readonly store: Pick<
    AccountStore,
    'findKey' | 'usageByDay' | 'usageSeries' | 'requestLog' | 'shared' | 'comparisons'
  >;
  /** Absent where a server keeps nothing for others: inside a command, in tests. */
  readonly kept?: Kept | undefined;
  readonly gateway: Pick<ObservableGateway, 'stats' | 'unusable'>;
  readonly workers: () => readonly ObservedWorker[];
  /** The settings that the server was started with; left out, the dashboard shows none. */
  readonly settings?: Pick<AdminSettings, 'config_file' | 'settings'> | undefined;
}

export interface ServerDeps {
  readonly accounts: Accounts;
  readonly gateway: Gateway;
  readonly catalogue: Pick<VoiceCatalogue, 'version' | 'all' | 'voices' | 'get' | 'speaker' | 'fitting'>;
  readonly texts: Texts;
  /** Of streamed HTTP; left out, the first sentence is cut at its first clause. */
  readonly firstPieces?: FirstPieces | undefined;
  readonly metrics: Metrics;
  /** Absent where the server takes no jobs. */
  readonly jobs?: Jobs | undefined;
  /** Absent where no request log is kept. */
  readonly requestLog?: RequestLog | undefined;
  readonly log: Logger;
  /** The system's where it is left out. */
  readonly clock?: Clock | undefined;
  /** Aborts when the server begins to stop: no new work, what runs is finished. */
  readonly shutdown: AbortSignal;
  readonly admin: AdminDeps;
  readonly settings?: Partial<ServerSettings>;
}
