/**
 * Whether a request comes from a page of this server. A browser names the page's origin on
 * everything that may change something, and on every request for another origin; what is no browser
 * names none.
 */
import type { IncomingMessage } from 'node:http';
import { TtsError } from '../../protocol/errors.js';
import { authorityOf } from './hosts.js';

const FOREIGN = 'This is for pages of this server itself. A page of another site cannot use it.';

/** Whether a page's origin is this server, port included: cookies are shared across ports. */
function isOwn(origin: string, host: string | undefined): boolean {
  try {
    return host !== undefined && new URL(origin).host === new URL(`http://${host}`).host;
  } catch {
    return false;
  }
}

/** Throws `foreign_origin` for pages of other sites; with `named`, for all but our own pages. */
export function checkOrigin(request: IncomingMessage, { named = false } = {}): void {
  const { headers } = request;
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const foreign =
    origin === undefined
      ? named || (site !== undefined && site !== 'same-origin' && site !== 'none')
      : !isOwn(origin, authorityOf(request));
  if (foreign) throw new TtsError('foreign_origin', FOREIGN);
}
