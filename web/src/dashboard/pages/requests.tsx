/** The request log with its filters, latest first, older pages on demand. */
import { useSignal } from '@preact/signals';
import type { AdminRequest } from '../../../../src/protocol/admin.js';
import { REQUEST_OUTCOMES } from '../../../../src/protocol/request-outcome.js';
import { count } from '../../shared/format.js';
import { Choice, KeyChoice } from '../choice.js';
import type { DashboardPage } from '../page.js';
import { newestRequests, olderRequests, requestFilter, requestLog, showRequests } from '../request-log.js';
import { isOperator, keyName, keys, loadKeys } from '../state.js';
import { type Column, Table } from '../table.js';
import { duration, routeName } from '../values.js';

export const REQUESTS: DashboardPage = {
  name: 'requests',
  label: 'Requests',
  title: 'Requests',
  ownTitle: 'Your requests',
  View: Requests,
  everyMs: 4_000,
  load: async () => void (await Promise.all([newestRequests(), ...(keys.value === undefined ? [loadKeys()] : [])])),
};

const TAGS: Readonly<Record<AdminRequest['outcome'], string>> = {
  completed: 'tag good',
  failed: 'tag bad',
  cancelled: 'tag',
  refused: 'tag bad',
};
const OUTCOMES: Readonly<Record<string, string>> = {
  '': 'All outcomes',
  ...Object.fromEntries(REQUEST_OUTCOMES.map((outcome) => [outcome, outcome])),
};
const SPANS: Readonly<Record<string, string>> = {
  '': 'All times',
  '1': 'Last hour',
  '24': 'Last day',
  '168': 'Last week',
};
const TRACE_CHARS = 8;

function Requests() {
  const { rows, nextCursor, off } = requestLog.value;
  return (
    <section class="panel" aria-label="Requests">
      {off === undefined && <Filters />}
      {off !== undefined && <p class="empty">{off}</p>}
      {off === undefined && rows.length === 0 && <p class="empty">No requests match.</p>}
      {rows.length > 0 && (
        <>
          <Table
            label="Requests"
            columns={columns()}
            rows={rows}
            idOf={({ request_id: id, time }) => `${id} ${time}`}
          />
          {nextCursor !== null && (
            <p>
              <button type="button" class="quiet" onClick={() => void olderRequests()}>
                Show older requests
              </button>
            </p>
          )}
        </>
      )}
    </section>
  );
}

function Filters() {
  const filter = requestFilter.value;
  const typed = useSignal(filter.request);
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void showRequests({ request: typed.value.trim() });
      }}
    >
      <input
        type="search"
        class="find"
        aria-label="Request id"
        placeholder="Request id"
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          // The field's clear button does not submit.
          if (typed.value === '' && requestFilter.value.request !== '') void showRequests({ request: '' });
        }}
      />
      {isOperator() && (
        <KeyChoice label="Key of requests" value={filter.key} onChoose={(key) => void showRequests({ key })} />
      )}
      <Choice
        label="Outcome"
        value={filter.status}
        options={OUTCOMES}
        onChoose={(status) => void showRequests({ status })}
      />
      <Choice label="Time" value={filter.hours} options={SPANS} onChoose={(hours) => void showRequests({ hours })} />
    </form>
  );
}

const columns = (): readonly (Column<AdminRequest> | false)[] => [
  {
    name: 'Request',
    kind: 'lead',
    cell: ({ time, request_id: id }) => (
      <>
        {new Date(time).toLocaleString([], { dateStyle: 'short', timeStyle: 'medium' })}{' '}
        <small class="note code">{id}</small>
      </>
    ),
  },
  {
    name: 'Outcome',
    cell: ({ outcome, error }) => (
      <>
        <span class={TAGS[outcome]}>{outcome}</span> {error !== null && <small class="note code">{error}</small>}
      </>
    ),
  },
  isOperator() && { name: 'Key', kind: 'name', cell: ({ key_id: id }) => <span title={id}>{keyName(id)}</span> },
  {
    name: 'Model and voice',
    cell: ({ model, voice, route }) => (
      <>
        {model ?? '–'} <small class="note">{voice}</small> <small class="note">{routeName(route)}</small>
      </>
    ),
  },
  {
    name: 'Characters',
    kind: 'number',
    cell: ({ characters, credits }) => (
      <>
        {count(characters)} <small class="note">{count(credits)} credits</small>
      </>
    ),
  },
  {
    name: 'First audio',
    kind: 'number',
    cell: ({ first_audio_ms: ms, breaks }) => (
      <>
        {ms === null ? '–' : duration(ms)} {breaks > 0 && <small class="note">{count(breaks)} breaks</small>}
      </>
    ),
  },
  isOperator() && { name: 'Worker', kind: 'name', cell: ({ worker }) => <span class="code">{worker ?? '–'}</span> },
  {
    name: 'Trace',
    cell: ({ trace_id: id }) => (
      <span class="code" title={id ?? ''}>
        {id?.slice(0, TRACE_CHARS) ?? '–'}
      </span>
    ),
  },
];
