/** Whether the operator is signed in in this browser, who may keep voices and words on the server. */
import { signal } from '@preact/signals';
import { ADMIN_PATH } from '../../../src/protocol/pages.js';
import { call } from '../shared/api.js';

/** Undefined until it was asked. */
export const isOperator = signal<boolean | undefined>(undefined);

export async function askOperator(): Promise<void> {
  try {
    isOperator.value = (await call<{ role: string }>(`${ADMIN_PATH}/session`)).role === 'admin';
  } catch {
    isOperator.value = false;
  }
}

/** Keeps a word or a voice for every server of this one's database. */
export const keepOnServer = (path: 'lexicon' | 'voices', name: string, body: object): Promise<void> =>
  call(`${ADMIN_PATH}/${path}/${encodeURIComponent(name)}`, { method: 'PUT', body });
