/** Sign-in: the admin secret shows everything, an API key its own part. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { signedOutBy, signIn } from './state.js';

export function SignIn() {
  const secret = useSignal('');
  const wrong = useSignal<string | undefined>(undefined);
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await signIn(secret.value);
    } catch (error) {
      wrong.value = (error as Error).message;
    }
  };
  useEffect(() => {
    document.title = 'Sign in · tts dashboard';
  }, []);
  return (
    <main class="sign-in">
      <form class="card narrow" onSubmit={(event) => void submit(event)}>
        <h1 class="page-title">Sign in</h1>
        <p class="hint" id="secret-hint">
          Use the admin secret: <span class="code">tts serve</span> showed it at its first start or wrote it to the file{' '}
          <span class="code">admin-secret</span> in its data folder; <span class="code">tts admin reset</span> makes a
          new one. With an API key you see that key's use.
        </p>
        <label for="secret">Admin secret or API key</label>
        <input
          id="secret"
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          value={secret}
          aria-describedby="secret-hint"
          onInput={(event) => {
            secret.value = event.currentTarget.value;
          }}
        />
        {(wrong.value ?? signedOutBy.value) && (
          <p class="problem" role="alert">
            {wrong.value ?? signedOutBy.value}
          </p>
        )}
        <button type="submit" class="primary" disabled={secret.value.trim() === ''}>
          Sign in
        </button>
      </form>
    </main>
  );
}
