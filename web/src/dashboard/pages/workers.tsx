/** The workers: what each runs on, what it is given, and why it is given nothing. */
import type { AdminStatus } from '../../../../src/protocol/admin.js';
import { BASE_MODELS } from '../../../../src/protocol/job.js';
import { Figures } from '../figures.js';
import type { DashboardPage } from '../page.js';
import { loadStatus, status } from '../state.js';
import { type Column, Table } from '../table.js';

type Worker = AdminStatus['workers'][number];

export const WORKERS: DashboardPage = {
  name: 'workers',
  label: 'Workers',
  title: 'Workers',
  View: Workers,
  everyMs: 2_000,
  load: loadStatus,
};

const isUsable = ({ state, unusable }: Worker): boolean => state === 'ready' && unusable === null;

function Workers() {
  const now = status.value;
  if (now === undefined) return <p class="empty">Loading…</p>;
  const { workers } = now;
  const usable = workers.filter(isUsable);
  return (
    <>
      {now.readiness !== '' && <p class="problem">{now.readiness}</p>}
      <Figures
        of={[
          { name: 'Usable', value: `${usable.length} of ${workers.length}` },
          ...BASE_MODELS.map((model) => ({
            name: model,
            value: String(usable.filter(({ models }) => models.includes(model)).length),
            note: 'speak it',
          })),
          {
            name: 'Load',
            value: `${workers.reduce((sum, { busy }) => sum + busy, 0)} of ${workers.reduce((sum, { capacity }) => sum + capacity, 0)}`,
            note: 'steps at once',
          },
          { name: 'Queue', value: String(now.segments.queued), note: 'segments wait' },
        ]}
      />
      <section class="panel" aria-label="Workers">
        {workers.length === 0 ? (
          <p class="empty">None yet: models are being downloaded or prepared.</p>
        ) : (
          <Table label="Workers" columns={COLUMNS} rows={workers} idOf={({ id }) => id} />
        )}
        {now.text_version !== '' && (
          <p class="hint">
            This gateway reads text by version <span class="code">{now.text_version}</span>; a worker that reads
            otherwise is given nothing.
          </p>
        )}
      </section>
    </>
  );
}

function State({ of }: { readonly of: Worker }) {
  const word = of.unusable === null ? of.state : 'unusable';
  const kind = of.unusable !== null || of.state === 'dead' ? 'bad' : of.state === 'ready' ? 'good' : '';
  const why = of.error ?? of.unusable;
  return (
    <>
      <span class={`tag ${kind}`}>{word}</span>
      {why !== null && <small class="note">{why}</small>}
    </>
  );
}

function Load({ of: { busy, capacity, others } }: { readonly of: Worker }) {
  return (
    <>
      <meter min={0} max={capacity} value={Math.min(busy, capacity)} aria-label="Load" />
      <small class="note">
        {busy} of {capacity} steps{others > 0 && `, ${others} of other gateways`}
      </small>
    </>
  );
}

const COLUMNS: readonly Column<Worker>[] = [
  { name: 'Worker', kind: 'lead', cell: ({ id }) => <span class="code">{id}</span> },
  { name: 'State', kind: 'wide', cell: (worker) => <State of={worker} /> },
  { name: 'Device', cell: ({ device }) => device ?? '–' },
  { name: 'Load', cell: (worker) => <Load of={worker} /> },
  { name: 'Models', kind: 'wide', cell: ({ models }) => models.join(', ') || '–' },
  {
    name: 'Versions',
    kind: 'wide',
    cell: ({ version, text_version: text }) => (
      <>
        <small class="note code">engine {version ?? '–'}</small>
        <small class="note code">text {text ?? '–'}</small>
      </>
    ),
  },
  { name: 'Round trip', kind: 'number', cell: ({ round_trip_ms: ms }) => (ms === 0 ? 'local' : `${ms.toFixed(1)} ms`) },
  { name: 'Restarts', kind: 'number', cell: ({ restarts }) => restarts },
];
