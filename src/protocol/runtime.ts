/** What a running server leaves in the runtime folder, so that commands on the same machine find it. */

/** The file's name inside the folder; mode 0600, because it holds a key. */
export const RUNTIME_FILE = 'server.json';

export interface RuntimeRecord {
  /** No slash at the end. */
  readonly baseUrl: string;
  readonly pid: number;
  /** A Partner key that is never debited and is void when the server stops. */
  readonly apiKey: string;
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
  const { baseUrl, pid, apiKey } = data as Record<string, unknown>;
  if (typeof baseUrl !== 'string' || typeof apiKey !== 'string' || !Number.isSafeInteger(pid)) return undefined;
  return { baseUrl, pid: pid as number, apiKey };
}
