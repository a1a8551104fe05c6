/** Asks for an API key where the server needs one. The key stays in the memory of this page. */
import { useSignal } from '@preact/signals';
import { keyLost, signIn } from './state.js';

export function KeyPrompt() {
  const value = useSignal('');
  const wrong = useSignal<string | undefined>(undefined);
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await signIn(value.value);
    } catch (error) {
      wrong.value = (error as Error).message;
    }
  };
  return (
    <form class="card narrow" onSubmit={(event) => void submit(event)}>
      <label for="key">API key</label>
      <p class="hint">
        {keyLost.value === undefined
          ? 'This server needs an API key. '
          : `${keyLost.value} Your text is below; enter another key to go on. `}
        It stays in the memory of this page and is forgotten when you close it.
      </p>
      <input
        id="key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        placeholder="tts_…"
        value={value}
        aria-describedby={wrong.value ? 'key-wrong' : undefined}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      />
      {wrong.value && (
        <p id="key-wrong" class="problem" role="alert">
          {wrong.value}
        </p>
      )}
      <button type="submit" class="primary" disabled={value.value.trim() === ''}>
        Use this key
      </button>
    </form>
  );
}
