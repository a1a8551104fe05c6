/** What jobs may take of a server, and how one is refused that would take more. */
import { TtsError } from '../protocol/errors.js';

export interface JobLimits {
  /** Whether Free keys and models have jobs too. */
  readonly freeToo: boolean;
  /** Jobs of one key that wait or are made. */
  readonly perKey: number;
  /** Bytes that the jobs of one key may take on the disk. */
  readonly bytesPerKey: number;
  /** Bytes of one source. */
  readonly bodyBytes: number;
  /** How long an ended job and its result are kept. */
  readonly keepMs: number;
  /** Jobs that this server makes at the same time. */
  readonly atOnce: number;
  /** Whether webhooks may go to addresses of this machine and its network. */
  readonly privateWebhooks: boolean;
}

export function refusalOf(reason: 'too_many' | 'no_room', { perKey, bytesPerKey }: JobLimits): TtsError {
  if (reason === 'too_many') {
    const message = `This key has ${perKey} jobs that wait or are made, which is the most. Wait for one to end.`;
    return new TtsError('job_limit_exceeded', message, { retryAfterS: 30 });
  }
  const message = `The jobs of this key fill their ${bytesPerKey / 1_000_000} MB. Delete results that you have fetched: DELETE …/{id}/result.`;
  return new TtsError('job_limit_exceeded', message, { retryAfterS: 60 });
}
