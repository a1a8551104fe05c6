/** The last requests that failed, with their ids in the log. */
import { signal } from '@preact/signals';
import type { AdminFailures } from '../../../src/protocol/admin.js';
import { admin, isOperator, keyName, onForget } from './state.js';
import { type Column, Table } from './table.js';

type Failure = AdminFailures['data'][number];

const SHOWN = 20;
const failures = signal<readonly Failure[]>([]);
onForget(() => {
  failures.value = [];
});

export async function loadFailures(): Promise<void> {
  failures.value = (await admin<AdminFailures>('/errors')).data;
}

const columns = (): readonly (Column<Failure> | false)[] => [
  { name: 'Time', cell: ({ time }) => new Date(time).toLocaleTimeString() },
  {
    name: 'Error',
    kind: 'wide',
    cell: ({ code, message }) => (
      <>
        <span class="code">{code}</span> <small class="note">{message}</small>
      </>
    ),
  },
  isOperator() && { name: 'Key', kind: 'name', cell: ({ key_id: id }) => (id === null ? '–' : keyName(id)) },
  { name: 'Request', cell: ({ request_id: id }) => <span class="code">{id}</span> },
];

export function Failures() {
  const list = failures.value.slice(0, SHOWN);
  return (
    <section class="panel" aria-labelledby="failures-title">
      <h2 id="failures-title">Last errors</h2>
      {list.length === 0 ? (
        <p class="empty">None since the server started.</p>
      ) : (
        <Table label="Errors" columns={columns()} rows={list} idOf={({ request_id: id, time }) => `${id} ${time}`} />
      )}
    </section>
  );
}
