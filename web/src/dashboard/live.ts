/** Loads the page that is shown, and again while it is visible. */
import { effect, untracked } from '@preact/signals';
import { ApiError } from '../shared/api.js';
import { ownPages } from './pages.js';
import { place } from './router.js';
import { forget, identity, trouble } from './state.js';

/** Pause after a load that failed (ms). */
const RETRY_MS = 3_000;

let timer: ReturnType<typeof setTimeout> | undefined;
/** Number of the page shown; loads of earlier ones say nothing any more. */
let shown = 0;

async function look(round: number): Promise<void> {
  clearTimeout(timer);
  const page = ownPages().find(({ name }) => name === place.value);
  if (!identity.value || page === undefined) return;
  let nextMs = page.everyMs;
  try {
    await page.load();
    if (round === shown) trouble.value = undefined;
  } catch (error) {
    if (round !== shown) return;
    if (error instanceof ApiError && error.status === 401) {
      forget('Your sign-in has ended. Sign in again.');
      return;
    }
    trouble.value = (error as Error).message;
    nextMs = RETRY_MS;
  }
  if (round !== shown || nextMs === undefined) return;
  timer = setTimeout(() => void whenVisible(round), nextMs);
}

/** A hidden page is loaded again when it is seen. */
function whenVisible(round: number): void {
  if (!document.hidden) void look(round);
  else document.addEventListener('visibilitychange', () => whenVisible(round), { once: true });
}

/** Loads the page that is shown now. */
export const refresh = (): Promise<void> => look(++shown);

export function keepLoading(): void {
  effect(() => {
    const whom = [place.value, identity.value?.role];
    if (whom[1] === undefined) return;
    untracked(() => {
      trouble.value = undefined;
      void refresh();
    });
  });
}
