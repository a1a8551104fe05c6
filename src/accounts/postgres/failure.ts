/**
 * PostgreSQL's failures in words: whether they may pass, and what to do where they will not by
 * themselves.
 */
import { TtsError } from '../../protocol/errors.js';
import { CommitUnknown } from '../database.js';

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');

/**
 * The server refused a statement and listens on; after anything else the connection is of no more
 * use.
 */
export const isStatementFailure = (error: unknown): boolean => (error as { severity?: unknown }).severity === 'ERROR';

/** Two transactions stood in each other's way: the same again is all it takes. */
export const isCollision = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error));

/** Mistakes in a statement or its values: the same would fail for ever. */
const isMistake = (error: unknown): boolean => /^(22|23|42)[0-9A-Z]{3}$/.test(codeOf(error));

const CONDITIONS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'refuses connections: is it running, and is this its port?'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'has a host name that cannot be resolved'],
  [/^ENOENT$/, 'has no such socket: is it running?'],
  [/^28/, 'does not let this user in: check user and password'],
  [/^3D000$/, 'has no such database: create it with "createdb", or correct the name'],
  [/^53300$/, 'has no connection left: raise its max_connections, or run fewer gateways'],
  [/^53/, 'is out of resources: disk or memory'],
  [/^57P03$/, 'is starting or stopping'],
  [/^57P/, 'was shut down'],
  [/^57014$|^55P03$/, 'took too long'],
  [/^40/, "has too many transactions that stand in each other's way"],
  [/^25006$/, 'is read-only: it may be a standby'],
  [/^42501$/, 'does not let this user make its tables: GRANT CREATE ON SCHEMA public TO it'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/,
    'has a certificate that cannot be believed: name its authority with sslrootcert=FILE in the address',
  ],
];

/** PgBouncer has one code (08P01) for all that it refuses, and its own words. */
const POOLER: readonly (readonly [RegExp, string])[] = [
  [
    /statement pooling mode/,
    'is behind a pooler that gives every statement another connection: set pool_mode = transaction there (pgbouncer.ini)',
  ],
  [
    /query_wait_timeout/,
    'is behind a pooler that had no connection free for too long: raise default_pool_size there (pgbouncer.ini)',
  ],
  [
    /max_client_conn/,
    'is behind a pooler that takes no more clients: raise max_client_conn there (pgbouncer.ini), 11 for each gateway',
  ],
  [
    /unsupported startup parameter/,
    'is behind a pooler that refuses a parameter: name it in ignore_startup_parameters',
  ],
  [/^(database ".*" does not exist|no such database)/, 'has no such database: create it, or name it to the pooler'],
  [/authentication failed|no such user/, 'does not let this user in: check user and password, there and at the pooler'],
];

function conditionOf(error: unknown): string {
  const { message = '' } = error as Partial<Error>;
  const code = codeOf(error);
  const known = CONDITIONS.find(([pattern]) => pattern.test(code))?.[1];
  if (known !== undefined) return known;
  const refused = code === '08P01' ? POOLER.find(([pattern]) => pattern.test(message))?.[1] : undefined;
  if (refused !== undefined) return refused;
  if (/SSL connections/.test(message)) {
    return 'offers no TLS: switch it on there, or add sslmode=disable to the address where the network is your own';
  }
  if (/timeout/i.test(message)) return 'does not answer';
  return `failed: ${message}`;
}

/**
 * `place` is the database's address without user and password; the driver's own words hold neither.
 */
export function postgresError(error: unknown, place: string): TtsError {
  if (error instanceof TtsError) return error;
  const code = isMistake(error) && codeOf(error) !== '42501' ? 'internal_error' : 'store_unavailable';
  return new TtsError(
    code,
    `The accounts database ${place} ${conditionOf(error instanceof CommitUnknown ? error.cause : error)}.`,
    { cause: error },
  );
}
