/** Who is signed in, and what several pages of the dashboard show. */
import { signal } from '@preact/signals';
import type { AdminIdentity, AdminKey, AdminStatus } from '../../../src/protocol/admin.js';
import { ADMIN_PATH } from '../../../src/protocol/pages.js';
import { type CallOptions, call } from '../shared/api.js';

/** Undefined until it is known, null while signed out. */
export const identity = signal<AdminIdentity | null | undefined>(undefined);
export const status = signal<AdminStatus | undefined>(undefined);
/** Undefined until they were loaded. */
export const keys = signal<readonly AdminKey[] | undefined>(undefined);
/** Why the page that is shown could not be loaded. */
export const trouble = signal<string | undefined>(undefined);
/** Why the sign-in is asked for again. */
export const signedOutBy = signal<string | undefined>(undefined);

export const admin = <T>(path: string, options?: CallOptions): Promise<T> => call<T>(`${ADMIN_PATH}${path}`, options);

export const isOperator = (): boolean => identity.value?.role === 'admin';

/** The use on the server's own machine without a key: it has usage, but is no key. */
export const LOCAL_KEY = { id: 'local', name: 'this machine' } as const;

export const keyName = (id: string): string =>
  [LOCAL_KEY, ...(keys.value ?? [])].find((key) => key.id === id)?.name ?? id;

export async function loadKeys(): Promise<void> {
  keys.value = (await admin<{ data: AdminKey[] }>('/keys')).data;
}

export async function loadStatus(): Promise<void> {
  if (isOperator()) status.value = await admin<AdminStatus>('/status');
}

export async function begin(): Promise<void> {
  try {
    identity.value = await admin<AdminIdentity>('/session');
  } catch {
    identity.value = null;
  }
}

export async function signIn(secret: string): Promise<void> {
  identity.value = await admin<AdminIdentity>('/session', { body: { secret } });
  signedOutBy.value = undefined;
}

export async function signOut(): Promise<void> {
  await admin('/session', { method: 'DELETE' });
  forget(undefined);
}

const whenForgotten = new Set<() => void>();
/** Calls back when nobody is signed in any more, for state that a page keeps itself. */
export const onForget = (forgetting: () => void): void => void whenForgotten.add(forgetting);

export function forget(reason: string | undefined): void {
  signedOutBy.value = reason;
  identity.value = null;
  status.value = undefined;
  keys.value = undefined;
  trouble.value = undefined;
  for (const forgetting of whenForgotten) forgetting();
}
