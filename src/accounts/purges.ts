/** Rows that have ended are deleted every now and then, by one of the servers that share a store. */
import type { Logger } from '../log.js';
import type { Passes } from './passes.js';

const EVERY_MS = 30_000;

export interface Purges {
  close(): Promise<void>;
}

/** The first is due after a moment of its own, so that servers that were started together do not ask together. */
export function createPurges(passes: Pick<Passes, 'purge'>, log: Pick<Logger, 'error'> | undefined): Purges {
  let purging: Promise<void> | undefined;
  let failed = false;
  const purge = async (): Promise<void> => {
    try {
      await passes.purge(EVERY_MS);
      failed = false;
    } catch (error) {
      // A store that is away is complained of by those who need it; rows that stay are of no harm.
      if (!failed) log?.error({ err: error }, 'rows that have ended could not be deleted yet');
      failed = true;
    }
  };
  let timer: NodeJS.Timeout;
  let closed = false;
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      purging = purge().finally(() => {
        if (!closed) schedule(EVERY_MS);
      });
    }, ms);
    timer.unref();
  };
  schedule(EVERY_MS * Math.random());
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await purging;
    },
  };
}
