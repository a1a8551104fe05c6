/** The frame of the dashboard: sign-in, the links to its pages, and the page that is shown. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Header } from '../shared/header.js';
import type { DashboardPage } from './page.js';
import { ownPages, titleOf } from './pages.js';
import { PageLink, place } from './router.js';
import { SignIn } from './sign-in.js';
import { identity, isOperator, signOut, trouble } from './state.js';

export function App() {
  const who = identity.value;
  return (
    <>
      <Header here="dashboard">
        {who && (
          <>
            <span class="pill">{isOperator() ? 'Operator' : `Key ${who.key?.name ?? who.key?.id}`}</span>
            <button type="button" class="quiet" onClick={() => void signOut()}>
              Sign out
            </button>
          </>
        )}
      </Header>
      {who === null && <SignIn />}
      {who && <Shown page={ownPages().find(({ name }) => name === place.value)} />}
      <footer class="foot">
        {who && (
          <p>
            All of this is also an API: <a href="/docs/reference-admin">/admin/v1</a> · version {who.version}
          </p>
        )}
      </footer>
    </>
  );
}

function Shown({ page }: { readonly page: DashboardPage | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  const title = page === undefined ? 'No such page' : titleOf(page);
  // With the page itself: its title and the focus are never those of the page before.
  useLayoutEffect(() => {
    document.title = `${title} · tts dashboard`;
    // A reader of screens is told of the new page; the first is told of by the browser.
    if (!isFirst.current) heading.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [title]);
  return (
    <main class="dashboard">
      <nav class="places" aria-label="Dashboard">
        {ownPages().map(({ name, label }) => (
          <PageLink key={name} name={name}>
            {label}
          </PageLink>
        ))}
      </nav>
      <h1 class="page-title" tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {trouble.value && (
        <p class="problem" role="alert">
          {trouble.value}
        </p>
      )}
      {page === undefined ? <p class="empty">There is nothing at this address.</p> : <page.View />}
    </main>
  );
}
