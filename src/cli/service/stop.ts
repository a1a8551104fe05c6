/** How a service stops: it finishes what runs within a grace, then breaks off the rest. */

import type { RequestLog } from '../../accounts/requests/request-log.js';
import type { Accounts } from '../../accounts/types.js';
import type { ObservableGateway } from '../../gateway/types.js';
import type { Logger } from '../../log.js';
import type { buildServer } from '../../server/server.js';
import type { Texts } from '../../text/thread/texts.js';
import type { NatsLink } from './nats.js';

export interface Running extends Pick<Awaited<ReturnType<typeof buildServer>>, 'app' | 'upgrades' | 'settled'> {
  readonly gateway: ObservableGateway;
  readonly accounts: Accounts;
  readonly texts: Texts;
  readonly natsWorkers: NatsLink | undefined;
  readonly requestLog: RequestLog | undefined;
  readonly log: Logger;
  /** Resolves when the jobs are given back. */
  readonly jobsClosed: Promise<void> | undefined;
  /** Keeps what was measured for the next start, where that is kept. */
  readonly remember: () => Promise<void>;
}

/** What clients have to take their last answer once the grace is over. */
const LAST_ANSWER_MS = 1_000;
/** What every other step of a stop may take. */
const CLOSE_MS = 10_000;

export async function stopService(running: Running, graceMs: number): Promise<void> {
  const { app, upgrades, gateway, texts, natsWorkers, requestLog, accounts, log } = running;
  const close = async (work: Promise<unknown> | undefined, failure: string) => {
    if (work !== undefined && !(await within(work, CLOSE_MS))) log.error(failure);
  };
  const finished = Promise.all([app.close(), gateway.drain(), upgrades.drained()]);
  let closing: Promise<void> | undefined;
  if (!(await within(finished, graceMs))) {
    const { open } = gateway.stats;
    if (open > 0) log.warn({ open }, 'not everything ended in time; the rest is broken off');
    // Requests that still wait for speech are told why none comes, and have a moment to hear it.
    closing = gateway.close();
    upgrades.terminate();
    await within(finished, LAST_ANSWER_MS);
    app.server.closeAllConnections();
    await close(finished, 'connections could not be closed');
  }
  await close(running.jobsClosed, 'the jobs could not be given back');
  await close(running.settled(), 'not every request could be settled');
  await close(closing ?? gateway.close(), 'the engines could not be closed');
  await close(natsWorkers?.close(), 'NATS could not be closed');
  await within(running.remember(), CLOSE_MS);
  await texts.close();
  await close(requestLog?.close(), 'the request log could not be written');
  await close(accounts.close(), 'the accounts could not be closed');
}

/** Whether the work ended in time: a stop waits for nothing without a bound. */
async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
