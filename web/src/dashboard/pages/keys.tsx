/** The keys: found, sorted, and changed by dialogs. */
import { signal, useSignal } from '@preact/signals';
import type { AdminKey, AdminUsage } from '../../../../src/protocol/admin.js';
import { freeLimitText, type OwnFreeLimit } from '../../../../src/protocol/free-limit.js';
import { count } from '../../shared/format.js';
import { Icon } from '../../shared/icons.js';
import { Choice } from '../choice.js';
import { ChangeKey, CreateKey, GrantCredits, RevokeKey, RotateKey } from '../keys/dialogs.js';
import { KeyStateTag, stateOf } from '../keys/key-state.js';
import type { DashboardPage } from '../page.js';
import { admin, keys, LOCAL_KEY, loadKeys, loadStatus, onForget } from '../state.js';
import { type Column, type Order, Table } from '../table.js';

export const KEYS: DashboardPage = {
  name: 'keys',
  label: 'Keys',
  title: 'Keys',
  View: Keys,
  everyMs: 6_000,
  load: async () => void (await Promise.all([loadKeys(), loadStatus(), loadLocal()])),
};

const ACTIONS = { change: ChangeKey, grant: GrantCredits, rotate: RotateKey, revoke: RevokeKey } as const;
type Action = keyof typeof ACTIONS;

/** Rows shown before more are asked for: the page stays quick with thousands of keys. */
const PAGE_ROWS = 50;
const DAY_MS = 86_400_000;

/** Use of this machine without a key in the last month, by day. */
const local = signal<AdminUsage['data']>([]);
onForget(() => {
  local.value = [];
});

async function loadLocal(): Promise<void> {
  const since = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10);
  local.value = (await admin<AdminUsage>(`/usage?since=${since}&key=${LOCAL_KEY.id}`)).data;
}

const SORTS = {
  created: 'Newest first',
  name: 'Name',
  state: 'State',
  credits: 'Credits',
  today: 'Used today',
} as const;
type Sort = keyof typeof SORTS;

const VALUES: Readonly<Record<Sort, (key: AdminKey) => string | number>> = {
  created: (key) => key.created_at,
  name: (key) => (key.name ?? key.id).toLowerCase(),
  state: stateOf,
  credits: (key) => (key.tier === 'partner' ? key.credits : -1),
  today: (key) => key.today?.requests ?? 0,
};
/** These begin with the largest. */
const FALLING: ReadonlySet<string> = new Set<Sort>(['created', 'credits', 'today']);

function sorted(list: readonly AdminKey[], { by, descending }: Order): AdminKey[] {
  const value = VALUES[by as Sort];
  const sign = descending ? -1 : 1;
  return list
    .map((key) => ({ key, at: value(key) }))
    .sort((a, b) => (a.at < b.at ? -sign : a.at > b.at ? sign : 0))
    .map(({ key }) => key);
}

const matches = (key: AdminKey, words: readonly string[]): boolean => {
  const text = `${key.name ?? ''} ${key.id} ${key.tier} ${stateOf(key)}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

function Keys() {
  const asked = useSignal<{ readonly what: Action; readonly key: AdminKey } | 'create' | undefined>(undefined);
  const close = () => {
    asked.value = undefined;
  };
  const now = asked.value;
  const Asked = typeof now === 'object' ? ACTIONS[now.what] : undefined;
  const isEmpty = keys.value?.length === 0 && local.value.length === 0;
  return (
    <section class="panel" aria-label="Keys">
      <div class="panel-head">
        <button
          type="button"
          class="primary"
          onClick={() => {
            asked.value = 'create';
          }}
        >
          <Icon name="plus" size={18} />
          New key
        </button>
      </div>
      {keys.value === undefined && <p class="empty">Loading…</p>}
      {isEmpty && <p class="empty">No keys yet. Requests from other machines need one.</p>}
      {keys.value !== undefined && !isEmpty && (
        <KeyList
          list={keys.value}
          ask={(what, key) => {
            asked.value = { what, key };
          }}
        />
      )}
      {now === 'create' && <CreateKey onClose={close} />}
      {Asked && typeof now === 'object' && <Asked of={now.key} onClose={close} />}
    </section>
  );
}

interface KeyListProps {
  readonly list: readonly AdminKey[];
  readonly ask: (what: Action, key: AdminKey) => void;
}

function KeyList({ list, ask }: KeyListProps) {
  const typed = useSignal('');
  const order = useSignal<Order>({ by: 'created', descending: true });
  const most = useSignal(PAGE_ROWS);
  const words = typed.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = list.filter((key) => matches(key, words));
  const sortBy = (by: string) => {
    const isSame = order.value.by === by;
    order.value = { by, descending: isSame ? !order.value.descending : FALLING.has(by) };
  };
  const rows = sorted(found, order.value).slice(0, most.value);
  return (
    <>
      <div class="row">
        <input
          type="search"
          class="find"
          aria-label="Find keys"
          placeholder="Name, id or state"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <Choice label="Sort keys" value={order.value.by as Sort} options={SORTS} onChoose={sortBy} />
        <p class="hint" role="status">
          {words.length > 0 ? `${count(found.length)} of ${count(list.length)} keys` : `${count(list.length)} keys`}
        </p>
      </div>
      {found.length === 0 && words.length > 0 && <p class="empty">No key matches.</p>}
      {rows.length > 0 && (
        <Table
          label="Keys"
          columns={columns(ask)}
          rows={rows}
          idOf={({ id }) => id}
          order={order.value}
          onOrder={sortBy}
        />
      )}
      {found.length > rows.length && (
        <p>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              most.value += PAGE_ROWS;
            }}
          >
            Show {count(Math.min(PAGE_ROWS, found.length - rows.length))} more of {count(found.length)}
          </button>
        </p>
      )}
      {words.length === 0 && local.value.length > 0 && <LocalUse />}
    </>
  );
}

const columns = (ask: KeyListProps['ask']): readonly Column<AdminKey>[] => [
  {
    name: 'Key',
    kind: 'lead',
    order: 'name',
    cell: (key) => (
      <>
        {key.name ?? <span class="hint">unnamed</span>} <small class="note code">{key.id}</small>
      </>
    ),
  },
  { name: 'Access', cell: (key) => key.tier },
  { name: 'State', order: 'state', cell: (key) => <KeyStateTag of={key} /> },
  {
    name: 'Credits',
    kind: 'number',
    order: 'credits',
    cell: (key) => (key.tier === 'partner' ? count(key.credits) : '–'),
  },
  { name: 'Today', kind: 'number', order: 'today', cell: (key) => <Today of={key.today} /> },
  { name: 'Limits', kind: 'wide', cell: limitsOf },
  { name: 'Actions', kind: 'actions', cell: (key) => <Actions of={key} ask={(what) => ask(what, key)} /> },
];

function Actions({ of, ask }: { readonly of: AdminKey; readonly ask: (what: Action) => void }) {
  if (of.revoked) return null;
  const named = of.name ?? of.id;
  const button = (what: Action, verb: string, label: string) => (
    <button type="button" class="quiet" aria-label={`${label} ${named}`} onClick={() => ask(what)}>
      {verb}
    </button>
  );
  return (
    <div class="actions">
      {button('change', 'Edit', 'Edit')}
      {of.tier === 'partner' && button('grant', 'Grant', 'Grant credits to')}
      {button('rotate', 'Rotate', 'Rotate')}
      {button('revoke', 'Revoke', 'Revoke')}
    </div>
  );
}

function Today({ of }: { readonly of: AdminKey['today'] }) {
  const free = Object.entries(of?.free_requests_by_model ?? {}).filter(([, requests]) => requests > 0);
  return (
    <>
      {count(of?.requests ?? 0)}
      {free.map(([model, requests]) => (
        <small key={model} class="note">
          {model}:free {count(requests)}
        </small>
      ))}
    </>
  );
}

/** Use on the server's own machine, without a key: there is nothing to edit. */
function LocalUse() {
  const today = new Date().toISOString().slice(0, 10);
  const requests = local.value.filter(({ day }) => day === today).reduce((sum, row) => sum + row.requests, 0);
  return (
    <p class="hint">
      On {LOCAL_KEY.name} no key is needed: {count(requests)} {requests === 1 ? 'request' : 'requests'} today, not
      billed (<span class="code">{LOCAL_KEY.id}</span>).
    </p>
  );
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
