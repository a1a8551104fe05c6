/** Ends of requests until they are written: what was delivered is debited also where the store could not write just then. */
import type { Logger } from '../log.js';
import { TtsError } from '../protocol/errors.js';

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 10_000;
/** At the end of the process; what is not written by then is returned at the next start, as after a crash. */
const LAST_TRY_MS = 5_000;

type Write = () => Promise<unknown>;

export interface Settlements {
  /** Ends that were not written yet. */
  readonly waiting: number;
  /** Resolves when it was written, or is kept to be tried again. */
  write(end: Write): Promise<void>;
  /** Tries once more, for a bounded time. */
  close(): Promise<void>;
}

export function createSettlements(log?: Pick<Logger, 'error' | 'info'>): Settlements {
  const waiting = new Set<Write>();
  let timer: NodeJS.Timeout | undefined;
  let waitMs = FIRST_RETRY_MS;
  let retrying: Promise<void> | undefined;

  /** False where the store cannot write. An end that the store refuses for another reason would be refused for ever. */
  async function attempt(end: Write): Promise<boolean> {
    try {
      await end();
    } catch (error) {
      if (error instanceof TtsError && error.code === 'store_unavailable') {
        if (waiting.size === 0) {
          log?.error({ err: error }, 'the accounts cannot be written; what ends is kept until they can');
        }
        waiting.add(end);
        return false;
      }
      log?.error({ err: error }, 'the end of a request could not be booked');
    }
    waiting.delete(end);
    return true;
  }

  /** One goes ahead: where it gets through, the rest follow together and share a commit. */
  async function retry(): Promise<void> {
    const [first, ...rest] = waiting;
    if (first !== undefined && (await attempt(first))) {
      await Promise.all(rest.map(attempt));
      log?.info({ written: rest.length + 1 - waiting.size }, 'the accounts can be written again');
      waitMs = FIRST_RETRY_MS;
    } else waitMs = Math.min(MAX_RETRY_MS, waitMs * 2);
  }

  function retryNow(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    retrying ??= retry().finally(() => {
      retrying = undefined;
      schedule();
    });
    return retrying;
  }

  function schedule(): void {
    if (waiting.size === 0 || timer !== undefined || retrying !== undefined) return;
    timer = setTimeout(() => void retryNow(), waitMs);
    timer.unref();
  }

  return {
    get waiting() {
      return waiting.size;
    },
    async write(end) {
      if (!(await attempt(end))) schedule();
    },
    async close() {
      if (waiting.size > 0) {
        let giveUp: NodeJS.Timeout | undefined;
        const late = new Promise<void>((resolve) => {
          giveUp = setTimeout(resolve, LAST_TRY_MS);
        });
        await Promise.race([retryNow(), late]);
        clearTimeout(giveUp);
      }
      clearTimeout(timer);
      if (waiting.size > 0) {
        log?.error(
          { lost: waiting.size },
          'requests could not be booked: their credits are returned at the next start',
        );
      }
    },
  };
}
