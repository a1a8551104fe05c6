/** Dialogs that create, change and revoke keys, and grant credits. */
import { type Signal, useSignal } from '@preact/signals';
import type { AdminKey, AdminKeyChange, CreatedAdminKey, NewAdminKey } from '../../../src/protocol/admin.js';
import {
  allowedFreeLimit,
  BY_MODEL_EXAMPLE,
  freeLimitText,
  MAX_LIMIT,
  type OwnFreeLimit,
  parseFreeLimit,
} from '../../../src/protocol/free-limit.js';
import { CopyButton } from '../shared/copy-button.js';
import { count } from '../shared/format.js';
import { Dialog } from './dialog.js';
import { admin, refresh } from './state.js';

interface OfKey {
  readonly of: AdminKey;
  readonly onClose: () => void;
}

/** A form that sends a request, and shows the error where it is refused. */
function useSend(send: () => Promise<void>) {
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

function Field({ label, value, type = 'text', placeholder }: FieldProps) {
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
function limitOf(label: string, { value }: Signal<string>): OwnFreeLimit | null {
  if (value.trim() === '') return null;
  const limit = parseFreeLimit(value, MAX_LIMIT);
  if (limit === undefined) throw new Error(`${label} must be ${allowedFreeLimit(MAX_LIMIT)}.`);
  return limit;
}

const SESSIONS = 'Sessions at once';
const DAILY = 'Free requests a day';

function LimitFields({ concurrency, daily }: { readonly concurrency: Signal<string>; readonly daily: Signal<string> }) {
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

const numberOf = (value: Signal<string>): number | null => (value.value.trim() === '' ? null : Number(value.value));

function Buttons({
  onClose,
  verb,
  danger = false,
}: {
  readonly onClose: () => void;
  readonly verb: string;
  readonly danger?: boolean;
}) {
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

export function CreateKey({ onClose }: { readonly onClose: () => void }) {
  const name = useSignal('');
  const tier = useSignal<NewAdminKey['tier']>('partner');
  const credits = useSignal('100000');
  const concurrency = useSignal('');
  const daily = useSignal('');
  const expires = useSignal('');
  const made = useSignal<CreatedAdminKey | undefined>(undefined);
  const { submit, complaint } = useSend(async () => {
    const body: NewAdminKey = {
      tier: tier.value,
      name: name.value.trim() || null,
      credits: tier.value === 'partner' ? (numberOf(credits) ?? 0) : 0,
      concurrency: limitOf(SESSIONS, concurrency),
      free_daily: limitOf(DAILY, daily),
      expires_at: expires.value === '' ? null : `${expires.value}T00:00:00Z`,
    };
    made.value = await admin<CreatedAdminKey>('/keys', { body });
  });
  if (made.value) {
    return (
      <Dialog title="Here is the key" onClose={onClose}>
        <p class="hint">Copy it now: the server keeps only its hash and cannot show it again.</p>
        <code class="shown-once" data-new-key>
          {made.value.key}
        </code>
        <div class="actions">
          <CopyButton text={made.value.key} label="Copy the key" />
          <button type="button" class="primary" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="New key" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Name" value={name} placeholder="What the key is for" />
        <div class="two">
          <label>
            Access
            <select
              value={tier.value}
              onChange={(event) => {
                tier.value = event.currentTarget.value as NewAdminKey['tier'];
              }}
            >
              <option value="partner">Partner: all models</option>
              <option value="free">Free: the free models</option>
            </select>
          </label>
          {tier.value === 'partner' && <Field label="Credits (1 per character)" value={credits} type="number" />}
        </div>
        <LimitFields concurrency={concurrency} daily={daily} />
        <Field label="Expires" value={expires} type="date" />
        {complaint}
        <Buttons onClose={onClose} verb="Create" />
      </form>
    </Dialog>
  );
}

export function ChangeKey({ of, onClose }: OfKey) {
  const shown = (value: OwnFreeLimit | null) => (value === null ? '' : freeLimitText(value));
  const name = useSignal(of.name ?? '');
  const concurrency = useSignal(shown(of.concurrency));
  const daily = useSignal(shown(of.free_daily));
  const { submit, complaint } = useSend(async () => {
    const body: AdminKeyChange = {
      name: name.value.trim() || null,
      concurrency: limitOf(SESSIONS, concurrency),
      free_daily: limitOf(DAILY, daily),
    };
    await admin(`/keys/${of.id}`, { method: 'PATCH', body });
    onClose();
  });
  return (
    <Dialog title={`Key ${of.id}`} onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Name" value={name} />
        <LimitFields concurrency={concurrency} daily={daily} />
        {complaint}
        <Buttons onClose={onClose} verb="Save" />
      </form>
    </Dialog>
  );
}

export function GrantCredits({ of, onClose }: OfKey) {
  const credits = useSignal('100000');
  const { submit, complaint } = useSend(async () => {
    await admin(`/keys/${of.id}/grants`, { body: { credits: numberOf(credits) ?? 0 } });
    onClose();
  });
  return (
    <Dialog title={`Credits for ${of.name ?? of.id}`} onClose={onClose}>
      <form onSubmit={submit}>
        <p class="hint">The key has {count(of.credits)} credits now. One credit is one character.</p>
        <Field label="Credits to add" value={credits} type="number" />
        {complaint}
        <Buttons onClose={onClose} verb="Grant" />
      </form>
    </Dialog>
  );
}

export function RevokeKey({ of, onClose }: OfKey) {
  const { submit, complaint } = useSend(async () => {
    await admin(`/keys/${of.id}`, { method: 'DELETE' });
    onClose();
  });
  return (
    <Dialog title={`Revoke ${of.name ?? of.id}?`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>The key is refused from now on, and its sessions end within a second. This cannot be undone.</p>
        {complaint}
        <Buttons onClose={onClose} verb="Revoke" danger />
      </form>
    </Dialog>
  );
}
