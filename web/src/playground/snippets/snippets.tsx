/** The same request with other programs, to copy. */
import { useSignal } from '@preact/signals';
import { trim } from '../../../../src/protocol/characters.js';
import { CopyButton } from '../../shared/copy-button.js';
import { model, server, shownText, voice } from '../state.js';
import { SNIPPETS } from './requests.js';

/** Most characters of the text that are shown; all of it is copied. */
const SHOWN_CHARS = 400;

export function Snippets() {
  const chosen = useSignal<string>('curl');
  const snippet = SNIPPETS.find(({ id }) => id === chosen.value)!;
  const input = trim(shownText.value) || 'Hello.';
  const codeFor = (said: string) =>
    snippet.of({
      origin: location.origin,
      model: model.value,
      voice: voice.value,
      input: said,
      isLocal: server.value?.keyless === true,
    });
  const shown = input.length > SHOWN_CHARS ? `${input.slice(0, SHOWN_CHARS)}…` : input;
  return (
    <section class="panel" aria-labelledby="code-title">
      <div class="panel-head">
        <h2 id="code-title">The same from code</h2>
        <CopyButton text={() => codeFor(input)} />
      </div>
      <fieldset class="tabs">
        <legend class="visually-hidden">Language</legend>
        {SNIPPETS.map(({ id, name }) => (
          <label key={id}>
            <input
              type="radio"
              name="snippet"
              checked={chosen.value === id}
              onChange={() => {
                chosen.value = id;
              }}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it. */}
      <pre tabIndex={0}>
        <code>{codeFor(shown)}</code>
      </pre>
    </section>
  );
}
