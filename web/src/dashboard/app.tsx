/** The dashboard's page: sign-in, then figures, sessions, keys, usage, requests and failures. */
import { Header } from '../shared/header.js';
import { Failures } from './failures.js';
import { Comparisons, KeptForAll } from './kept.js';
import { Keys } from './keys.js';
import { Overview } from './overview.js';
import { OwnKey } from './own-key.js';
import { Requests } from './requests.js';
import { Sessions } from './sessions.js';
import { SignIn } from './sign-in.js';
import { identity, signOut, trouble } from './state.js';
import { Usage } from './usage.js';

export function App() {
  const who = identity.value;
  return (
    <>
      <Header here="dashboard">
        {who && (
          <>
            <span class="pill">{who.role === 'admin' ? 'Operator' : `Key ${who.key?.name ?? who.key?.id}`}</span>
            <button type="button" class="quiet" onClick={() => void signOut()}>
              Sign out
            </button>
          </>
        )}
      </Header>
      {who === null && <SignIn />}
      {who && (
        <main class="dashboard">
          <h1 class="page-title">{who.role === 'admin' ? 'Running now' : 'Your key'}</h1>
          {trouble.value && (
            <p class="problem" role="alert">
              {trouble.value}
            </p>
          )}
          {who.role === 'admin' ? <Overview /> : <OwnKey />}
          <Sessions />
          {who.role === 'admin' && <Keys />}
          <Usage />
          <Requests />
          <Failures />
          {who.role === 'admin' && <KeptForAll />}
          {who.role === 'admin' && <Comparisons />}
        </main>
      )}
      <footer class="foot">
        {who && (
          <p>
            All of this is also an API: <a href="/docs">/admin/v1</a> · version {who.version}
          </p>
        )}
      </footer>
    </>
  );
}
