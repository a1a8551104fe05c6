/** Live sessions, and a button that ends one. */
import { signal } from '@preact/signals';
import type { LiveSession } from '../../../src/protocol/admin.js';
import { count, since } from '../shared/format.js';
import { admin, isOperator, keyName, onForget, trouble } from './state.js';
import { type Column, Table } from './table.js';
import { duration, routeName } from './values.js';

export const sessions = signal<readonly LiveSession[]>([]);
onForget(() => {
  sessions.value = [];
});

export async function loadSessions(): Promise<void> {
  sessions.value = (await admin<{ data: LiveSession[] }>('/sessions')).data;
}

async function end(id: string): Promise<void> {
  try {
    await admin(`/sessions/${id}`, { method: 'DELETE' });
    await loadSessions();
  } catch (error) {
    trouble.value = (error as Error).message;
  }
}

const columns = (): readonly (Column<LiveSession> | false)[] => [
  { name: 'Request', kind: 'lead', cell: ({ request_id: id }) => <span class="code">{id}</span> },
  isOperator() && { name: 'Key', kind: 'name', cell: ({ key_id: id }) => <span title={id}>{keyName(id)}</span> },
  { name: 'Route', cell: ({ route }) => routeName(route) },
  {
    name: 'Model and voice',
    cell: ({ model, voice }) => (
      <>
        {model} <small class="note">{voice}</small>
      </>
    ),
  },
  { name: 'Characters', kind: 'number', cell: ({ characters }) => count(characters) },
  { name: 'First audio', kind: 'number', cell: ({ first_audio_ms: ms }) => (ms === null ? '–' : duration(ms)) },
  { name: 'For', kind: 'number', cell: ({ started_at: time }) => since(time) },
  {
    name: 'Actions',
    kind: 'actions',
    cell: ({ id, request_id: request }) => (
      <button type="button" class="quiet" aria-label={`End ${request}`} onClick={() => void end(id)}>
        End
      </button>
    ),
  },
];

export function Sessions() {
  const list = sessions.value;
  return (
    <section class="panel" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Live sessions</h2>
      {list.length === 0 ? (
        <p class="empty">No live sessions.</p>
      ) : (
        <Table label="Sessions" columns={columns()} rows={list} idOf={({ id }) => id} />
      )}
    </section>
  );
}
