/** What the dashboard shows of the request log, and by which filters. */
import { signal } from '@preact/signals';
import type { AdminRequest, AdminRequests } from '../../../src/protocol/admin.js';
import { ADMIN_PATH } from '../../../src/protocol/pages.js';
import { ApiError, call } from '../shared/api.js';

interface Shown {
  readonly rows: readonly AdminRequest[];
  readonly nextCursor: string | null;
  /** Why there is no log, in the server's words. */
  readonly off: string | undefined;
}

/** Empty where a filter is not used. */
const ALL = { key: '', status: '', request: '', hours: '' };
const NOTHING: Shown = { rows: [], nextCursor: null, off: undefined };
const HOUR_MS = 3_600_000;

export const requestFilter = signal(ALL);
export const requestLog = signal<Shown>(NOTHING);
/** Older pages are open: the list stands still until a filter changes. */
let reading = false;
/** Answers to earlier filters come too late. */
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

/** The latest rows, by these filters from now on. */
export async function showRequests(change?: Partial<typeof ALL>): Promise<void> {
  requestFilter.value = { ...requestFilter.value, ...change };
  reading = false;
  await newestRequests();
}

/** Looks for new rows, unless somebody reads older ones. */
export async function newestRequests(): Promise<void> {
  // A server that keeps no log will keep none before its next start.
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

export function forgetRequests(): void {
  requestFilter.value = ALL;
  requestLog.value = NOTHING;
  reading = false;
}
