/** The page for comparing two speakers by ear, without knowing which is which. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Header } from '../shared/header.js';
import { ResultView } from './result.js';
import { RoundView } from './rounds.js';
import { Setup } from './setup.js';
import { hear, needsKey, phase, prefer, problem, signIn } from './state.js';

/** Keys of a round. */
const KEYS: Readonly<Record<string, () => void>> = {
  '1': () => hear(0),
  '2': () => hear(1),
  ArrowLeft: () => prefer(0),
  ArrowRight: () => prefer(1),
};

function onKeyDown(event: KeyboardEvent): void {
  const act = KEYS[event.key];
  if (phase.value !== 'rounds' || act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
}

export function App() {
  useEffect(() => {
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      <Header here="compare">
        <a class="pill" href="/">
          Back to the playground
        </a>
      </Header>
      <main class="compare">
        <h1 class="lede">
          Which one <em>do you prefer?</em>
        </h1>
        {problem.value && (
          <p class="problem" role="alert">
            {problem.value}
          </p>
        )}
        {needsKey.value ? <KeyForm /> : <Phase />}
      </main>
      <footer class="foot">
        <p>
          What you write stays on this server. Its operator sees how often each was preferred, and no text.{' '}
          <a href="/docs/voices">Documentation</a>
        </p>
      </footer>
    </>
  );
}

function Phase() {
  if (phase.value === 'rounds') return <RoundView />;
  return phase.value === 'result' ? <ResultView /> : <Setup />;
}

function KeyForm() {
  const value = useSignal('');
  return (
    <form
      class="card narrow"
      onSubmit={(event) => {
        event.preventDefault();
        void signIn(value.value);
      }}
    >
      <label for="key">API key</label>
      <p class="hint">This server needs an API key. It is forgotten when you close this page.</p>
      <input
        id="key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      />
      <button type="submit" class="primary" disabled={value.value.trim() === ''}>
        Use this key
      </button>
    </form>
  );
}
