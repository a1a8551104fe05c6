/** Addresses of the dashboard's pages: links, the browser's history, and what may keep a page. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

const BASE = '/dashboard';

const nameIn = (path: string): string => path.slice(BASE.length).replace(/^\/|\/$/g, '');
const addressOf = (name: string): string => (name === '' ? BASE : `${BASE}/${name}`);

/** The last part of the address that is shown. */
export const place = signal(nameIn(location.pathname));

/** Says whether the page may be left. */
type Guard = () => boolean;
let guard: Guard | undefined;

/** Asks `next` before the page is left; the result takes that back. */
export function guardLeaving(next: Guard): () => void {
  guard = next;
  const ask = (event: BeforeUnloadEvent) => {
    if (!next()) event.preventDefault();
  };
  addEventListener('beforeunload', ask);
  return () => {
    guard = undefined;
    removeEventListener('beforeunload', ask);
  };
}

function go(name: string): void {
  if (name === place.value || guard?.() === false) return;
  history.pushState(null, '', addressOf(name));
  scrollTo(0, 0);
  place.value = name;
}

addEventListener('popstate', () => {
  if (guard?.() === false) history.pushState(null, '', addressOf(place.value));
  else place.value = nameIn(location.pathname);
});

/** A link to a page, which loads nothing but what the page shows. */
export function PageLink({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <a
      href={addressOf(name)}
      aria-current={place.value === name ? 'page' : undefined}
      onClick={(event) => {
        // A new tab or window is the browser's business.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(name);
      }}
    >
      {children}
    </a>
  );
}
