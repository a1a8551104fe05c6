/** Dialogs that create, change, rotate and revoke keys, and grant credits. */
import { useSignal } from '@preact/signals';
import type {
  AdminKey,
  AdminKeyChange,
  AdminRotation,
  CreatedAdminKey,
  NewAdminKey,
} from '../../../../src/protocol/admin.js';
import { freeLimitText, type OwnFreeLimit } from '../../../../src/protocol/free-limit.js';
import { count } from '../../shared/format.js';
import { Dialog } from '../dialog.js';
import { admin } from '../state.js';
import { Buttons, DAILY, Field, LimitFields, limitOf, numberOf, SESSIONS, useSend } from './form.js';
import { NewSecret } from './new-secret.js';

interface OfKey {
  readonly of: AdminKey;
  readonly onClose: () => void;
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
  if (made.value) return <NewSecret secret={made.value.key} onClose={onClose} />;
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

/** How long the secret before works too, by seconds. */
const GRACES = {
  '0': 'Ends at once, with what it is speaking',
  '3600': 'Works for another hour',
  '86400': 'Works for another day',
  '604800': 'Works for another week',
} as const;

export function RotateKey({ of, onClose }: OfKey) {
  const grace = useSignal<string>('86400');
  const made = useSignal<CreatedAdminKey | undefined>(undefined);
  const { submit, complaint } = useSend(async () => {
    const body: AdminRotation = { grace_s: Number(grace.value) };
    made.value = await admin<CreatedAdminKey>(`/keys/${of.id}/rotate`, { body });
  });
  if (made.value) {
    const { key, previous_ends_at: end } = made.value;
    const before = end === null ? 'has ended' : `works until ${new Date(end).toLocaleString()}`;
    return <NewSecret secret={key} note={`The secret before ${before}.`} onClose={onClose} />;
  }
  return (
    <Dialog title={`New secret for ${of.name ?? of.id}`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>The key keeps its id, name, credits, limits and usage.</p>
        <label>
          The secret it has now
          <select
            value={grace.value}
            onChange={(event) => {
              grace.value = event.currentTarget.value;
            }}
          >
            {Object.entries(GRACES).map(([seconds, name]) => (
              <option key={seconds} value={seconds}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {complaint}
        <Buttons onClose={onClose} verb="Rotate" danger={grace.value === '0'} />
      </form>
    </Dialog>
  );
}
