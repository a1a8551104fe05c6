/** One written form with its words and sounds, and a way to correct it. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { MAX_SAID_CHARS } from '../../../../src/protocol/pages.js';
import { Icon } from '../../shared/icons.js';
import { corrections } from './corrections.js';
import type { Form } from './reading.js';

export interface FormRowProps {
  readonly form: Form;
  /** Rejects with the server's words where it cannot be read so. */
  readonly correct: (said: string) => Promise<void>;
}

export function FormRow({ form, correct }: FormRowProps) {
  const { written, said, phonemes } = form;
  const editing = useSignal(false);
  return (
    <li>
      <span class="written">{written}</span>
      <span class="said">
        {said}
        <button
          type="button"
          class="correct"
          aria-label={`Correct ${written}`}
          aria-expanded={editing.value}
          onClick={() => {
            editing.value = !editing.value;
          }}
        >
          <Icon name="edit" size={14} />
        </button>
      </span>
      <span class="ipa" lang="en-fonipa">
        {phonemes}
      </span>
      {editing.value && (
        <CorrectionForm
          written={written}
          correct={correct}
          onDone={() => {
            editing.value = false;
          }}
        />
      )}
    </li>
  );
}

interface CorrectionFormProps {
  readonly written: string;
  readonly correct: FormRowProps['correct'];
  readonly onDone: () => void;
}

function CorrectionForm({ written, correct, onDone }: CorrectionFormProps) {
  const value = useSignal(corrections.value[written] ?? '');
  const wrong = useSignal<string | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await correct(value.value.trim());
      onDone();
    } catch (error) {
      wrong.value = (error as Error).message;
    }
  };
  return (
    <form class="correction" onSubmit={(event) => void submit(event)}>
      <label>
        Say {written} as
        <input
          ref={field}
          maxLength={MAX_SAID_CHARS}
          autocomplete="off"
          spellcheck={false}
          placeholder="engine x, or /ˈɛndʒɪn ˈɛks/"
          value={value}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onDone();
          }}
        />
      </label>
      {wrong.value && (
        <p class="problem" role="alert">
          {wrong.value}
        </p>
      )}
      <button type="submit" class="primary" disabled={value.value.trim() === ''}>
        Use and hear
      </button>
    </form>
  );
}
