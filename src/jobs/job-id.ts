/** Ids of jobs: they sort by time, and cannot be guessed. */
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** `job_`, 10 characters of time in milliseconds, 16 of chance. */
export function newJobId(nowMs = Date.now()): string {
  let time = '';
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  const chance = [...randomBytes(16)].map((byte) => ALPHABET[byte % 32]).join('');
  return `job_${time}${chance}`;
}
