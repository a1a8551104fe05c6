/** The request log with its filters, latest first, older pages on demand. */
import { useSignal } from '@preact/signals';
import type { AdminRequest } from '../../../src/protocol/admin.js';
import { REQUEST_OUTCOMES } from '../../../src/protocol/request-outcome.js';
import { count } from '../shared/format.js';
import { KeyChoice } from './key-choice.js';
import { olderRequests, requestFilter, requestLog, showRequests } from './request-log.js';
import { Scroll } from './scroll.js';
import { identity } from './state.js';

const ROUTES: Readonly<Record<string, string>> = {
  speech: 'HTTP',
  stream_input: 'WebSocket',
  openai_speech: 'OpenAI HTTP',
  elevenlabs_speech: 'ElevenLabs HTTP',
  elevenlabs_stream_input: 'ElevenLabs WebSocket',
  elevenlabs_multi_stream_input: 'ElevenLabs contexts',
};
const TAGS: Readonly<Record<AdminRequest['outcome'], string>> = {
  completed: 'tag good',
  failed: 'tag bad',
  cancelled: 'tag',
  refused: 'tag bad',
};
const SPANS = { '': 'All times', '1': 'Last hour', '24': 'Last day', '168': 'Last week' } as const;
const TRACE_CHARS = 8;

export function Requests() {
  const { rows, nextCursor, off } = requestLog.value;
  const isOperator = identity.value?.role === 'admin';
  return (
    <section class="panel" aria-labelledby="requests-title">
      <div class="panel-head">
        <h2 id="requests-title">Requests</h2>
        {off === undefined && <Filters isOperator={isOperator} />}
      </div>
      {off !== undefined && <p class="empty">{off}</p>}
      {off === undefined && rows.length === 0 && <p class="empty">No requests match.</p>}
      {rows.length > 0 && (
        <>
          <RequestTable rows={rows} isOperator={isOperator} />
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

function Filters({ isOperator }: { readonly isOperator: boolean }) {
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
      {isOperator && (
        <KeyChoice label="Key of requests" value={filter.key} onChoose={(key) => void showRequests({ key })} />
      )}
      <select
        aria-label="Outcome"
        value={filter.status}
        onChange={(event) => void showRequests({ status: event.currentTarget.value })}
      >
        <option value="">All outcomes</option>
        {REQUEST_OUTCOMES.map((outcome) => (
          <option key={outcome} value={outcome}>
            {outcome}
          </option>
        ))}
      </select>
      <select
        aria-label="Time"
        value={filter.hours}
        onChange={(event) => void showRequests({ hours: event.currentTarget.value })}
      >
        {Object.entries(SPANS).map(([hours, name]) => (
          <option key={hours} value={hours}>
            {name}
          </option>
        ))}
      </select>
    </form>
  );
}

interface TableProps {
  readonly rows: readonly AdminRequest[];
  readonly isOperator: boolean;
}

function RequestTable({ rows, isOperator }: TableProps) {
  return (
    <Scroll label="Requests">
      <table>
        <thead>
          <tr>
            <th scope="col">Ended</th>
            <th scope="col">Outcome</th>
            {isOperator && <th scope="col">Key</th>}
            <th scope="col">Route</th>
            <th scope="col">Model and voice</th>
            {['Characters', 'Credits', 'First audio', 'Breaks'].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
            <th scope="col">Request</th>
            {isOperator && <th scope="col">Worker</th>}
            <th scope="col">Trace</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.request_id} ${row.time}`}>
              <td>{new Date(row.time).toLocaleString([], { dateStyle: 'short', timeStyle: 'medium' })}</td>
              <td>
                <span class={TAGS[row.outcome]}>{row.outcome}</span> <span class="code">{row.error}</span>
              </td>
              {isOperator && <td class="code">{row.key_id}</td>}
              <td>{ROUTES[row.route] ?? row.route}</td>
              <td>
                {row.model ?? '–'} <small class="hint">{row.voice}</small>
              </td>
              <td class="number">{count(row.characters)}</td>
              <td class="number">{count(row.credits)}</td>
              <td class="number">{row.first_audio_ms === null ? '–' : `${count(row.first_audio_ms)} ms`}</td>
              <td class="number">{count(row.breaks)}</td>
              <td class="code">{row.request_id}</td>
              {isOperator && <td class="code">{row.worker ?? '–'}</td>}
              <td class="code" title={row.trace_id ?? ''}>
                {row.trace_id?.slice(0, TRACE_CHARS) ?? '–'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
