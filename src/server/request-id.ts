/** The label of a request in headers, error bodies and logs: the caller's own, or one that sorts by time. */
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CALLERS_OWN = /^[A-Za-z0-9._-]{1,128}$/;

/** `req_`, 10 characters of time in milliseconds, 16 of chance. */
export function newRequestId(nowMs = Date.now()): string {
  let time = '';
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  let chance = '';
  for (const byte of randomBytes(16)) chance += ALPHABET[byte % 32];
  return `req_${time}${chance}`;
}

/** Made once a request; whoever needs it later is handed it. */
export function requestIdFor(headers: IncomingHttpHeaders): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && CALLERS_OWN.test(sent) ? sent : newRequestId();
}
