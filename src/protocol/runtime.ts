/** What a running server leaves in the runtime folder, so that commands on the same machine find it. */

/** Names of such files, with the process id of the server. Mode 0600, because they hold a key. */
export const RUNTIME_FILE = /^server(?:-(\d+))?\.json$/;

export const runtimeFile = (pid: number): string => `server-${pid}.json`;

export interface RuntimeRecord {
  /** No slash at the end. */
  readonly baseUrl: string;
  readonly pid: number;
  /** A Partner key that is never debited and is void when the server stops. */
  readonly apiKey: string;
  /** The certificate it shows (PEM), where it speaks TLS: not every one names this machine, or is signed by a known hand. */
  readonly certificate?: string;
  /** Whose it is: one user can have several homes, each with folders and a server of its own. */
  readonly home: string;
  /** What its engine was told, by setting. A command that was told otherwise brings an engine of its own. */
  readonly engine: Readonly<Record<string, string | number>>;
}

/** The record in a file's text, or undefined where it is none. */
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
