/** How a text is read: forms that are not said as they are written, each to be corrected in place. */
import { useSignal } from '@preact/signals';
import { isBlank } from '../../../../src/protocol/characters.js';
import { MAX_EXPLAINED_CHARS } from '../../../../src/protocol/pages.js';
import type { ExplainResponse } from '../../../../src/protocol/playground/playground.js';
import { call } from '../../shared/api.js';
import { hearAside, key, server, text, voice } from '../state.js';
import { Corrections } from './correction-list.js';
import { corrections, type Words, withCorrection } from './corrections.js';
import { FormRow } from './form-row.js';

export type Form = ExplainResponse['segments'][number]['forms'][number];

const bare = (word: string) => word.toLowerCase().replaceAll(/[^\p{L}\p{N}' ]/gu, '');

async function explain(asked: string, words: Words): Promise<ExplainResponse> {
  const body = { text: asked, voice: voice.value, ...(Object.keys(words).length > 0 && { words }) };
  return call<ExplainResponse>('/playground/explain', { body, key: server.value?.keyless ? undefined : key.value });
}

export function ReadingView() {
  const answer = useSignal<ExplainResponse | undefined>(undefined);
  const failed = useSignal<string | undefined>(undefined);
  const all = useSignal(false);
  const ask = async (words: Words) => {
    const asked = [...text.value].slice(0, MAX_EXPLAINED_CHARS).join('');
    answer.value = await explain(asked, words);
    failed.value = undefined;
  };
  const show = () =>
    ask(corrections.value).catch((error: Error) => {
      failed.value = error.message;
    });
  /** The server reads it first: what it refuses is not kept. */
  const correct = async (form: Form, said: string) => {
    const words = withCorrection(form.written, said);
    await ask(words);
    corrections.value = words;
    const sentence = answer.value?.segments.findLast(({ offset }) => offset <= form.start)?.text;
    hearAside(sentence ?? form.written);
  };
  const forms = answer.value?.segments.flatMap((segment) => segment.forms) ?? [];
  const changed = forms.filter(
    ({ written, said }) => bare(written) !== bare(said) || corrections.value[written] !== undefined,
  );
  const shown = all.value ? forms : changed;
  return (
    <section class="panel" aria-labelledby="reading-title">
      <div class="panel-head">
        <h2 id="reading-title">How is this read?</h2>
        <button type="button" class="quiet" onClick={() => void show()} disabled={isBlank(text.value)}>
          Show the reading
        </button>
      </div>
      <p class="hint">
        Numbers, dates, money and abbreviations become words before they become sound. What sounds wrong can be
        corrected.
      </p>
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
              <FormRow key={form.start} form={form} correct={(said) => correct(form, said)} />
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
          <Skipped skipped={answer.value.skipped} />
        </>
      )}
      <Corrections onChange={() => answer.value && void show()} />
    </section>
  );
}

function Skipped({ skipped }: { readonly skipped: Readonly<Record<string, number>> }) {
  const kinds = Object.entries(skipped);
  if (kinds.length === 0) return null;
  const list = kinds.map(([kind, chars]) => `${kind} (${chars})`).join(', ');
  return <p class="hint">Not spoken: {list}.</p>;
}
