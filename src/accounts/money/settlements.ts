/** Ends of requests until they are written, key by key: what was delivered is debited also where the store could not write just then. */
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';

const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 10_000;
/** At the end of the process; what is not written by then is returned at the next start, as after a crash. */
const LAST_TRY_MS = 5_000;

type Write = () => Promise<unknown>;

/** The unwritten ends of one key, retried at a pace of their own: a key whose row is locked holds up no other. */
interface Backlog {
  readonly ends: Set<Write>;
  waitMs: number;
  timer: NodeJS.Timeout | undefined;
  retrying: Promise<void> | undefined;
}

export interface Settlements {
  /** Ends that were not written yet, of all keys. */
  readonly waiting: number;
  /** Of one key. */
  waitingOf(keyId: string): number;
  /** Resolves when it was written, or is kept to be tried again. */
  write(keyId: string, end: Write): Promise<void>;
  /** Tries once more, for a bounded time. */
  close(): Promise<void>;
}

export function createSettlements(log?: Pick<Logger, 'error' | 'info'>): Settlements {
  const backlogs = new Map<string, Backlog>();
  const waiting = () => {
    let sum = 0;
    for (const { ends } of backlogs.values()) sum += ends.size;
    return sum;
  };

  /** False where the store cannot write. An end that the store refuses for another reason would be refused for ever. */
  async function attempt(end: Write): Promise<boolean> {
    try {
      await end();
    } catch (error) {
      if (error instanceof TtsError && error.code === 'store_unavailable') {
        if (backlogs.size === 0) {
          log?.error({ err: error }, 'the accounts cannot be written; what ends is kept until they can');
        }
        return false;
      }
      log?.error({ err: error }, 'the end of a request could not be booked');
    }
    return true;
  }

  /** One goes ahead: where it is written, the rest of its key follow together and share a commit. */
  async function retry(keyId: string, backlog: Backlog): Promise<void> {
    const { ends } = backlog;
    const settle = async (end: Write) => {
      if (await attempt(end)) ends.delete(end);
    };
    const [first, ...rest] = ends;
    await settle(first!);
    if (!ends.has(first!)) await Promise.all(rest.map(settle));
    backlog.waitMs = ends.size > 0 ? Math.min(MAX_RETRY_MS, backlog.waitMs * 2) : FIRST_RETRY_MS;
    if (ends.size > 0) return;
    backlogs.delete(keyId);
    if (backlogs.size === 0) log?.info('the accounts can be written again');
  }

  function retryNow(keyId: string, backlog: Backlog): Promise<void> {
    clearTimeout(backlog.timer);
    backlog.timer = undefined;
    backlog.retrying ??= retry(keyId, backlog).finally(() => {
      backlog.retrying = undefined;
      schedule(keyId, backlog);
    });
    return backlog.retrying;
  }

  function schedule(keyId: string, backlog: Backlog): void {
    if (backlog.ends.size === 0 || backlog.timer !== undefined || backlog.retrying !== undefined) return;
    backlog.timer = setTimeout(() => void retryNow(keyId, backlog), backlog.waitMs);
    backlog.timer.unref();
  }

  return {
    get waiting() {
      return waiting();
    },
    waitingOf: (keyId) => backlogs.get(keyId)?.ends.size ?? 0,
    async write(keyId, end) {
      if (await attempt(end)) return;
      const fresh: Backlog = { ends: new Set(), waitMs: FIRST_RETRY_MS, timer: undefined, retrying: undefined };
      const backlog = backlogs.get(keyId) ?? fresh;
      backlogs.set(keyId, backlog);
      backlog.ends.add(end);
      schedule(keyId, backlog);
    },
    async close() {
      if (backlogs.size > 0) {
        let giveUp: NodeJS.Timeout | undefined;
        const late = new Promise<void>((resolve) => {
          giveUp = setTimeout(resolve, LAST_TRY_MS);
        });
        const all = [...backlogs].map(([keyId, backlog]) => retryNow(keyId, backlog));
        await Promise.race([Promise.all(all), late]);
        clearTimeout(giveUp);
      }
      for (const { timer } of backlogs.values()) clearTimeout(timer);
      if (backlogs.size > 0) {
        log?.error({ lost: waiting() }, 'requests could not be booked: their credits are returned at the next start');
      }
    },
  };
}
