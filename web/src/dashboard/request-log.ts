/** State of the request log: its filters and rows. */
import { signal } from '@preact/signals';
import type { AdminRequest, AdminRequests } from '../../../src/protocol/admin.js';
import { ADMIN_PATH } from '../../../src/protocol/pages.js';
import { ApiError, call } from '../shared/api.js';
import { onForget, trouble } from './state.js';

interface Shown {
  readonly rows: readonly AdminRequest[];
  readonly nextCursor: string | null;
  /** Why there is no log, in the server's words. */
  readonly off: string | undefined;
}

/** A filter that is not used is empty. */
const ALL = { key: '', status: '', request: '', hours: '' };
const NOTHING: Shown = { rows: [], nextCursor: null, off: undefined };
const HOUR_MS = 3_600_000;

export const requestFilter = signal(ALL);
export const requestLog = signal<Shown>(NOTHING);
/** Older pages are shown: the list is not refreshed until a filter changes. */
let reading = false;
/** Number of the last request; answers to earlier ones are dropped. */
let asked = 0;

async function page(cursor?: string): Promise<AdminRequests> {
  const { key, status, request, hours } = requestFilter.value;
  const query = new URLSearchParams({
    ...(key && { key }),
    ...(status && { status }),
    ...(request && { request }),
    ...(hours && { since: new Date(Date.now() - Number(hours) * HOUR_MS).toISOString() }),
    ...(cursor && { cursor }),
  });
  return call<AdminRequests>(`${ADMIN_PATH}/requests?${query}`);
}

/** Changes filters, and shows the latest rows. */
export async function showRequests(change?: Partial<typeof ALL>): Promise<void> {
  requestFilter.value = { ...requestFilter.value, ...change };
  reading = false;
  await newestRequests().catch(say);
}

const say = (error: Error): void => {
  trouble.value = error.message;
};

/** Looks for new rows, unless older pages are shown. */
export async function newestRequests(): Promise<void> {
  // A server without a log has none until its next start.
  if (reading || requestLog.value.off !== undefined) return;
  const round = ++asked;
  try {
    const { data, next_cursor: nextCursor } = await page();
    if (round === asked && !reading) requestLog.value = { rows: data, nextCursor, off: undefined };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'request_log_off') throw error;
    requestLog.value = { ...NOTHING, off: error.message };
  }
}

export async function olderRequests(): Promise<void> {
  const { rows, nextCursor } = requestLog.value;
  if (nextCursor === null) return;
  reading = true;
  const round = ++asked;
  const { data, next_cursor: next } = await page(nextCursor);
  if (round === asked) requestLog.value = { rows: [...rows, ...data], nextCursor: next, off: undefined };
}

onForget(() => {
  requestFilter.value = ALL;
  requestLog.value = NOTHING;
  reading = false;
});
