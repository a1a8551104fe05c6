/** The record of a running server, by which commands on the same machine find it. */

/** Names of such files, with the process id of the server. Mode 0600, because they hold a key. */
export const RUNTIME_FILE = /^server(?:-(\d+))?\.json$/;

export const runtimeFile = (pid: number): string => `server-${pid}.json`;

export interface RuntimeRecord {
  /** No slash at the end. */
  readonly baseUrl: string;
  readonly pid: number;
  /** A Partner key that is never debited and is void when the server stops. */
  readonly apiKey: string;
  /** Its TLS certificate (PEM), if any: it may not name this machine, or be self-signed. */
  readonly certificate?: string;
  /** The home folder it belongs to: a user may have several, each with a server. */
  readonly home: string;
  /** Settings of its engine. A command with other settings starts an engine of its own. */
  readonly engine: Readonly<Record<string, string | number>>;
}

/** Undefined where the text is no record. */
export function parseRuntimeRecord(text: string): RuntimeRecord | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof data !== 'object' || data === null) return undefined;
  const { baseUrl, pid, apiKey, certificate, home, engine } = data as Record<string, unknown>;
  if (typeof baseUrl !== 'string' || typeof apiKey !== 'string' || typeof home !== 'string') return undefined;
  if (!Number.isSafeInteger(pid) || typeof engine !== 'object' || engine === null) return undefined;
  if (certificate !== undefined && typeof certificate !== 'string') return undefined;
  const record = { baseUrl, pid: pid as number, apiKey, home, engine: engine as RuntimeRecord['engine'] };
  return certificate === undefined ? record : { ...record, certificate };
}
