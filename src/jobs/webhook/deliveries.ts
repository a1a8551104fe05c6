/** Tells receivers of webhooks that jobs have ended, again and again until they have heard it. */
import type { JobRow, JobTable } from '../../accounts/tables/job-rows.js';
import type { Clock } from '../../clock.js';
import type { Logger } from '../../log.js';
import { PrivateAddress } from './public-address.js';
import { deliver } from './webhook.js';

export interface DeliveriesOptions {
  readonly table: Pick<JobTable, 'claimWebhook' | 'webhookDone'>;
  readonly privateToo: boolean;
  /** What is told of a job. */
  readonly about: (job: JobRow) => object;
  readonly log: Logger;
  readonly clock: Clock;
  readonly retriesMs?: readonly number[];
}

const S = 1_000;
const MIN = 60 * S;
/** Waits between attempts: about a day in all. */
const RETRIES_MS = [5 * S, 30 * S, 2 * MIN, 10 * MIN, 30 * MIN, 60 * MIN, 120 * MIN, 240 * MIN, 480 * MIN, 600 * MIN];
/** An attempt that takes longer broke off with its server, and is made again. */
const HOLD_MS = MIN;
/** Deliveries at the same time. */
const AT_ONCE = 4;
/** The receiver wants no more of these. */
const GONE = 410;

export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #running = new Set<Promise<void>>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Begins what is due. */
  async look(signal: AbortSignal): Promise<void> {
    while (this.#running.size < AT_ONCE && !signal.aborted) {
      const job = await this.#options.table.claimWebhook(HOLD_MS);
      if (job === undefined) return;
      const running = this.#deliver(job, signal).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #deliver(job: JobRow, signal: AbortSignal): Promise<void> {
    const { table, log, retriesMs = RETRIES_MS } = this.#options;
    const failure = await this.#attempt(job, signal);
    // Broken off by a stop of this server: another attempt follows when the hold is over.
    if (signal.aborted && failure !== undefined) return;
    const againMs = failure?.isFinal ? undefined : retriesMs[job.webhook_attempts - 1];
    const error = failure?.why ?? null;
    if (error !== null) log.info({ job: job.id, attempt: job.webhook_attempts, error }, 'a webhook was not delivered');
    await table
      .webhookDone(job.id, { isDelivered: error === null, error, againMs })
      .catch((cause: unknown) => log.warn({ err: cause, job: job.id }, 'the end of a webhook could not be written'));
  }

  /** Undefined where it was delivered. */
  async #attempt(job: JobRow, signal: AbortSignal): Promise<{ why: string; isFinal: boolean } | undefined> {
    const { privateToo, about, clock } = this.#options;
    const nowMs = clock.wallMs();
    const type = `speech.job.${job.outcome}`;
    const body = JSON.stringify({ type, timestamp: new Date(job.ended_ms ?? nowMs).toISOString(), data: about(job) });
    const delivery = { id: `msg_${job.id}`, body, timestampS: Math.floor(nowMs / 1000) };
    try {
      const secret = job.webhook_secret ?? '';
      const status = await deliver({ ...delivery, url: job.webhook_url!, secret }, { privateToo, signal });
      if (status >= 200 && status < 300) return undefined;
      return { why: `status ${status}`, isFinal: status === GONE };
    } catch (error) {
      // Words of the system name addresses of this network.
      if (error instanceof PrivateAddress) return { why: 'not an address of the public internet', isFinal: false };
      return { why: (error as NodeJS.ErrnoException).code ?? 'no answer', isFinal: false };
    }
  }
}
