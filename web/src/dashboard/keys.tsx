/** The list of keys, and the dialogs that change them. */
import { useSignal } from '@preact/signals';
import type { AdminKey } from '../../../src/protocol/admin.js';
import { freeLimitText, type OwnFreeLimit } from '../../../src/protocol/free-limit.js';
import { count } from '../shared/format.js';
import { Icon } from '../shared/icons.js';
import { ChangeKey, CreateKey, GrantCredits, RevokeKey } from './key-dialogs.js';
import { Scroll } from './scroll.js';
import { keys, LOCAL_KEY, usage } from './state.js';

type Asked = { readonly what: 'change' | 'grant' | 'revoke'; readonly key: AdminKey } | { readonly what: 'create' };

export function Keys() {
  const asked = useSignal<Asked | undefined>(undefined);
  const close = () => {
    asked.value = undefined;
  };
  const now = asked.value;
  const spokeHere = usage.value?.data.some(({ key_id }) => key_id === LOCAL_KEY.id) ?? false;
  return (
    <section class="panel" aria-labelledby="keys-title">
      <div class="panel-head">
        <h2 id="keys-title">Keys</h2>
        <button
          type="button"
          class="primary"
          onClick={() => {
            asked.value = { what: 'create' };
          }}
        >
          <Icon name="plus" size={18} />
          New key
        </button>
      </div>
      {keys.value.length === 0 && !spokeHere ? (
        <p class="empty">No keys yet. Requests from other machines need one.</p>
      ) : (
        <Scroll label="Keys">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Id</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Credits
                </th>
                <th scope="col" class="number">
                  Today
                </th>
                <th scope="col">Limits</th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {[...keys.value].reverse().map((key) => (
                <KeyRow key={key.id} of={key} ask={(what) => (asked.value = { what, key })} />
              ))}
              {spokeHere && <LocalRow />}
            </tbody>
          </table>
        </Scroll>
      )}
      {now?.what === 'create' && <CreateKey onClose={close} />}
      {now?.what === 'change' && <ChangeKey of={now.key} onClose={close} />}
      {now?.what === 'grant' && <GrantCredits of={now.key} onClose={close} />}
      {now?.what === 'revoke' && <RevokeKey of={now.key} onClose={close} />}
    </section>
  );
}

interface KeyRowProps {
  readonly of: AdminKey;
  readonly ask: (what: 'change' | 'grant' | 'revoke') => void;
}

function KeyRow({ of, ask }: KeyRowProps) {
  const named = of.name ?? of.id;
  return (
    <tr data-key={of.id}>
      <td>{of.name ?? <span class="hint">unnamed</span>}</td>
      <td class="code">{of.id}</td>
      <td>
        <KeyState of={of} />
      </td>
      <td class="number">{of.tier === 'partner' ? count(of.credits) : '–'}</td>
      <td class="number">
        {count(of.today?.requests ?? 0)}
        {of.today !== undefined && of.today.free_requests > 0 && <FreeToday of={of.today.free_requests_by_model} />}
      </td>
      <td>{limitsOf(of)}</td>
      <td>
        {!of.revoked && (
          <div class="actions">
            <button type="button" class="quiet" aria-label={`Edit ${named}`} onClick={() => ask('change')}>
              Edit
            </button>
            {of.tier === 'partner' && (
              <button type="button" class="quiet" aria-label={`Grant credits to ${named}`} onClick={() => ask('grant')}>
                Grant
              </button>
            )}
            <button type="button" class="quiet" aria-label={`Revoke ${named}`} onClick={() => ask('revoke')}>
              Revoke
            </button>
          </div>
        )}
      </td>
    </tr>
  );
}

/** Use on the server's own machine, without a key: there is nothing to edit. */
function LocalRow() {
  const today = new Date().toISOString().slice(0, 10);
  const requests = (usage.value?.data ?? [])
    .filter(({ key_id, day }) => key_id === LOCAL_KEY.id && day === today)
    .reduce((sum, row) => sum + row.requests, 0);
  return (
    <tr data-key={LOCAL_KEY.id}>
      <td>{LOCAL_KEY.name}</td>
      <td class="code">{LOCAL_KEY.id}</td>
      <td>
        <span class="tag">needs no key</span>
      </td>
      <td class="number">–</td>
      <td class="number">{count(requests)}</td>
      <td>not billed</td>
      <td />
    </tr>
  );
}

function FreeToday({ of }: { readonly of: NonNullable<AdminKey['today']>['free_requests_by_model'] }) {
  const counts = Object.entries(of).filter(([, requests]) => requests > 0);
  return <div class="hint">{counts.map(([model, requests]) => `${model}:free ${count(requests)}`).join(', ')}</div>;
}

const shown = (limit: OwnFreeLimit): string =>
  typeof limit === 'number' ? count(limit) : freeLimitText(limit).replaceAll('=', ' ').replaceAll(',', ', ');

function limitsOf({ concurrency, free_daily: daily }: AdminKey): string {
  const own = [
    ...(concurrency === null ? [] : [`${shown(concurrency)} at once`]),
    ...(daily === null ? [] : [`${shown(daily)} Free a day`]),
  ];
  return own.join(', ') || 'server default';
}

export function KeyState({ of: { revoked, expired, expires_at: expires, tier } }: { readonly of: AdminKey }) {
  if (revoked) return <span class="tag bad">revoked</span>;
  if (expired) return <span class="tag bad">expired</span>;
  return <span class="tag good">{expires === null ? tier : `${tier} until ${expires.slice(0, 10)}`}</span>;
}
