/** The last requests and sessions that failed, for an operator who was given a request id. */
import { publicError } from '../../protocol/errors.js';

export interface Failure {
  readonly time: string;
  readonly requestId: string;
  readonly route: string;
  readonly keyId: string | undefined;
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const KEPT = 200;
/** Probes ask every few seconds, and are told the same until it changes. */
const PROBES: ReadonlySet<string> = new Set(['/readyz']);
/** What any scanner makes by the thousand. */
const NOISE: ReadonlySet<string> = new Set(['not_found', 'method_not_allowed', 'missing_api_key', 'sign_in_required']);

export class RecentFailures {
  readonly #kept: Failure[] = [];

  add(error: unknown, about: Pick<Failure, 'requestId' | 'route'> & { readonly keyId?: string | undefined }): void {
    const { code, message, row } = publicError(error);
    const { requestId, route, keyId } = about;
    if (NOISE.has(code) || PROBES.has(route)) return;
    this.#kept.push({ time: new Date().toISOString(), requestId, route, keyId, status: row.status, code, message });
    if (this.#kept.length > KEPT) this.#kept.shift();
  }

  /** The latest first; those of one key where one is named. */
  list(keyId?: string): Failure[] {
    return this.#kept.filter((failure) => keyId === undefined || failure.keyId === keyId).reverse();
  }
}
