/** The dashboard's state, refreshed while the page is visible. */
import { signal } from '@preact/signals';
import type {
  AdminFailures,
  AdminIdentity,
  AdminKey,
  AdminStatus,
  AdminUsage,
  LiveSession,
} from '../../../src/protocol/admin.js';
import { ADMIN_PATH } from '../../../src/protocol/pages.js';
import { ApiError, type CallOptions, call } from '../shared/api.js';
import { forgetRequests, newestRequests } from './request-log.js';

const LIVE_MS = 2_000;
/** Keys, usage, requests and failures change more slowly. */
const SLOW_EVERY = 3;

/** Undefined until it is known, null while signed out. */
export const identity = signal<AdminIdentity | null | undefined>(undefined);
export const status = signal<AdminStatus | undefined>(undefined);
export const keys = signal<readonly AdminKey[]>([]);
export const usage = signal<AdminUsage | undefined>(undefined);
export const sessions = signal<readonly LiveSession[]>([]);
export const failures = signal<AdminFailures['data']>([]);
export const days = signal(30);
export const trouble = signal<string | undefined>(undefined);

export const admin = <T>(path: string, options?: CallOptions): Promise<T> => call<T>(`${ADMIN_PATH}${path}`, options);

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);
export const firstDay = (): string => isoDay(Date.now() - (days.value - 1) * 86_400_000);
/** Every day that is shown, the oldest first. */
export const shownDays = (): string[] =>
  Array.from({ length: days.value }, (_, i) => isoDay(Date.now() - (days.value - 1 - i) * 86_400_000));

/** The use on the server's own machine without a key: it has usage, but is no key. */
export const LOCAL_KEY = { id: 'local', name: 'this machine' } as const;

let timer: ReturnType<typeof setTimeout> | undefined;
let round = 0;

export async function begin(): Promise<void> {
  try {
    identity.value = await admin<AdminIdentity>('/session');
    void look();
  } catch {
    identity.value = null;
  }
}

export async function signIn(secret: string): Promise<void> {
  identity.value = await admin<AdminIdentity>('/session', { body: { secret } });
  round = 0;
  void look();
}

export async function signOut(): Promise<void> {
  clearTimeout(timer);
  await admin('/session', { method: 'DELETE' });
  forget();
}

function forget(): void {
  clearTimeout(timer);
  identity.value = null;
  status.value = undefined;
  keys.value = [];
  usage.value = undefined;
  sessions.value = [];
  failures.value = [];
  forgetRequests();
}

async function look(): Promise<void> {
  clearTimeout(timer);
  if (!identity.value) return;
  try {
    if (!document.hidden || round === 0) {
      const slow = round++ % SLOW_EVERY === 0;
      await Promise.all([lookNow(), ...(slow ? [refresh()] : [])]);
    }
    trouble.value = undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      forget();
      return;
    }
    trouble.value = (error as Error).message;
  }
  timer = setTimeout(() => void look(), LIVE_MS);
}

async function lookNow(): Promise<void> {
  const [live, now] = await Promise.all([
    admin<{ data: LiveSession[] }>('/sessions'),
    identity.value?.role === 'admin' ? admin<AdminStatus>('/status') : undefined,
  ]);
  sessions.value = live.data;
  if (now) status.value = now;
}

/** Refreshes keys, usage, requests and failures. */
export async function refresh(): Promise<void> {
  const [listed, used, failed] = await Promise.all([
    admin<{ data: AdminKey[] }>('/keys'),
    admin<AdminUsage>(`/usage?since=${firstDay()}`),
    admin<AdminFailures>('/errors'),
    newestRequests(),
  ]);
  keys.value = listed.data;
  usage.value = used;
  failures.value = failed.data;
}

export async function endSession(id: string): Promise<void> {
  await admin(`/sessions/${id}`, { method: 'DELETE' });
  await lookNow();
}
