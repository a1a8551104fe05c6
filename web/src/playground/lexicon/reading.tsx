/** How a text is read: forms that are not said as they are written, with words and phonemes. */
import { useSignal } from '@preact/signals';
import { isBlank } from '../../../../src/protocol/characters.js';
import { MAX_EXPLAINED_CHARS } from '../../../../src/protocol/pages.js';
import type { ExplainResponse } from '../../../../src/protocol/playground.js';
import { call } from '../../shared/api.js';
import { key, server, text, voice } from '../state.js';

type Form = ExplainResponse['segments'][number]['forms'][number];

const bare = (word: string) => word.toLowerCase().replaceAll(/[^\p{L}\p{N}' ]/gu, '');

export function ReadingView() {
  const answer = useSignal<{ text: string; explained: ExplainResponse } | undefined>(undefined);
  const failed = useSignal<string | undefined>(undefined);
  const all = useSignal(false);
  const ask = async () => {
    const asked = [...text.value].slice(0, MAX_EXPLAINED_CHARS).join('');
    try {
      const credentials = server.value?.keyless ? undefined : key.value;
      const body = { text: asked, voice: voice.value };
      const explained = await call<ExplainResponse>('/playground/explain', { body, key: credentials });
      answer.value = { text: asked, explained };
      failed.value = undefined;
    } catch (error) {
      failed.value = (error as Error).message;
    }
  };
  const forms = answer.value?.explained.segments.flatMap((segment) => segment.forms) ?? [];
  const changed = forms.filter(({ written, said }) => bare(written) !== bare(said));
  const shown = all.value ? forms : changed;
  return (
    <section class="panel" aria-labelledby="reading-title">
      <div class="panel-head">
        <h2 id="reading-title">How is this read?</h2>
        <button type="button" class="quiet" onClick={() => void ask()} disabled={isBlank(text.value)}>
          Show the reading
        </button>
      </div>
      <p class="hint">Numbers, dates, money and abbreviations become words before they become sound.</p>
      {failed.value && (
        <p class="problem" role="alert">
          {failed.value}
        </p>
      )}
      {answer.value && (
        <>
          {shown.length === 0 && <p>Every word is read as it is written.</p>}
          <ul class="forms">
            {shown.map((form) => (
              <FormRow key={form.start} form={form} />
            ))}
          </ul>
          <label class="switch">
            <input
              type="checkbox"
              checked={all.value}
              onChange={(event) => {
                all.value = event.currentTarget.checked;
              }}
            />
            <span>Every word</span>
          </label>
          <Skipped skipped={answer.value.explained.skipped} />
        </>
      )}
    </section>
  );
}

function FormRow({ form: { written, said, phonemes } }: { readonly form: Form }) {
  return (
    <li>
      <span class="written">{written}</span>
      <span class="said">{said}</span>
      <span class="ipa" lang="en-fonipa">
        {phonemes}
      </span>
    </li>
  );
}

function Skipped({ skipped }: { readonly skipped: Readonly<Record<string, number>> }) {
  const kinds = Object.entries(skipped);
  if (kinds.length === 0) return null;
  const list = kinds.map(([kind, chars]) => `${kind} (${chars})`).join(', ');
  return <p class="hint">Not spoken: {list}.</p>;
}
