/**
 * The address of a PostgreSQL database, as libpq writes it: who, where, and how the connection is
 * kept from strangers.
 */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { TtsError } from '../../protocol/errors.js';

export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user?: string;
  readonly password?: string;
  readonly ssl: false | ConnectionOptions;
  /** Where it is, for messages: never with a user or a password. */
  readonly place: string;
}

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const KNOWN = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'application_name'];
const LOOPBACK = /^(localhost|127(\.\d+){3}|::1|\/.*)$/;

const invalid = (what: string, cause?: unknown): TtsError =>
  new TtsError(
    'config_invalid',
    `The database address ${what}. It has the form postgres://USER:PASSWORD@HOST:5432/DATABASE?sslmode=verify-full.`,
    { cause },
  );

function fileOf(name: string, file: string | null): string | undefined {
  if (file === null) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw invalid(`names a file as ${name} that cannot be read: ${(cause as Error).message}`, cause);
  }
}

/**
 * Without `sslmode` a connection that leaves the machine is encrypted and its certificate checked:
 * keys' hashes and balances pass over it.
 */
function tlsOf(query: URLSearchParams, host: string): false | ConnectionOptions {
  const mode = query.get('sslmode') ?? (LOOPBACK.test(host) ? 'disable' : 'verify-full');
  if (!SSL_MODES.some((known) => known === mode)) {
    throw invalid(`has sslmode=${mode.slice(0, 40)}, which is none of ${SSL_MODES.join(', ')}`);
  }
  if (mode === 'disable') return false;
  const ca = fileOf('sslrootcert', query.get('sslrootcert'));
  const cert = fileOf('sslcert', query.get('sslcert'));
  const key = fileOf('sslkey', query.get('sslkey'));
  const files = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  // As libpq: `require` alone believes anybody, but a root certificate that is named is meant to be
  // used.
  if (mode === 'require' && ca === undefined) return { ...files, rejectUnauthorized: false };
  if (mode === 'verify-full') return { ...files, rejectUnauthorized: true };
  return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined };
}

/** No message repeats the address: a password may be in it. */
export function parsePostgresUrl(text: string): PostgresAddress {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // The cause would quote it.
    throw invalid('is no URL');
  }
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') {
    throw invalid('does not begin with postgres://');
  }
  const unknown = [...url.searchParams.keys()].find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) throw invalid(`has the parameter "${unknown.slice(0, 40)}", which is not known here`);
  const decoded = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      throw invalid('has a % that begins no character: write %25 for a percent sign');
    }
  };
  const host = url.searchParams.get('host') ?? (url.hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost');
  const port = url.port === '' ? 5432 : Number(url.port);
  const database = decoded(url.pathname.slice(1));
  if (database === '') throw invalid('names no database');
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    host: decoded(host),
    port,
    database,
    ...(url.username !== '' && { user: decoded(url.username) }),
    ...(url.password !== '' && { password: decoded(url.password) }),
    ssl: tlsOf(url.searchParams, host),
    place: `${shownHost}:${port}/${database}`,
  };
}
