/** Fields and buttons of the dialogs about keys. */
import { type Signal, useSignal } from '@preact/signals';
import {
  allowedFreeLimit,
  BY_MODEL_EXAMPLE,
  MAX_LIMIT,
  type OwnFreeLimit,
  parseFreeLimit,
} from '../../../../src/protocol/free-limit.js';
import { refresh } from '../live.js';

/** A form that sends a request, and shows the error where it is refused. */
export function useSend(send: () => Promise<void>) {
  const wrong = useSignal<string | undefined>(undefined);
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await send();
      await refresh();
    } catch (error) {
      wrong.value = (error as Error).message;
    }
  };
  const complaint = wrong.value && (
    <p class="problem" role="alert">
      {wrong.value}
    </p>
  );
  return { submit: (event: Event) => void submit(event), complaint };
}

interface FieldProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly type?: 'text' | 'number' | 'date';
  readonly placeholder?: string;
}

export function Field({ label, value, type = 'text', placeholder }: FieldProps) {
  return (
    <label>
      {label}
      <input
        {...(type === 'number' ? { type, min: 0, step: 1 } : type === 'date' ? { type } : { type })}
        value={value}
        {...(placeholder && { placeholder })}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}

/** Null where the field is empty: the server's limit. */
export function limitOf(label: string, { value }: Signal<string>): OwnFreeLimit | null {
  if (value.trim() === '') return null;
  const limit = parseFreeLimit(value, MAX_LIMIT);
  if (limit === undefined) throw new Error(`${label} must be ${allowedFreeLimit(MAX_LIMIT)}.`);
  return limit;
}

export const SESSIONS = 'Sessions at once';
export const DAILY = 'Free requests a day';

interface LimitFieldsProps {
  readonly concurrency: Signal<string>;
  readonly daily: Signal<string>;
}

export function LimitFields({ concurrency, daily }: LimitFieldsProps) {
  return (
    <>
      <div class="two">
        <Field label={SESSIONS} value={concurrency} placeholder="server default" />
        <Field label={DAILY} value={daily} placeholder="server default" />
      </div>
      <p class="hint">One number for each free model, or one by model: {BY_MODEL_EXAMPLE}.</p>
    </>
  );
}

export const numberOf = (value: Signal<string>): number | null =>
  value.value.trim() === '' ? null : Number(value.value);

interface ButtonsProps {
  readonly onClose: () => void;
  readonly verb: string;
  readonly danger?: boolean;
}

export function Buttons({ onClose, verb, danger = false }: ButtonsProps) {
  return (
    <div class="actions">
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
      <button type="submit" class={danger ? 'danger' : 'primary'}>
        {verb}
      </button>
    </div>
  );
}
