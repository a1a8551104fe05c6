/** The id of a request in headers, error bodies and logs: the caller's, or one of our own. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CALLERS_OWN = /^[A-Za-z0-9._-]{1,128}$/;
const OUR_SECRET = /tts(?:admin)?_[A-Za-z0-9_-]{43}/;

/** `req_`, 10 characters of time in milliseconds, 16 of chance. */
export function newRequestId(nowMs = Date.now()): string {
  let time = '';
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  // `randomUUID` takes from a stock of random bytes, where `randomBytes` asks the system every
  // time. Two of its 32 digits are fixed; five bits of each pair of digits are still random enough
  // for an id.
  const digits = randomUUID().replaceAll('-', '');
  let chance = '';
  for (let i = 0; i < 32; i += 2) chance += ALPHABET[Number.parseInt(digits.slice(i, i + 2), 16) % 32];
  return `req_${time}${chance}`;
}

/** Called once a request. A key or the admin secret is not taken for an id: ids end up in logs. */
export function requestIdFor(headers: IncomingHttpHeaders): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && CALLERS_OWN.test(sent) && !OUR_SECRET.test(sent) ? sent : newRequestId();
}
