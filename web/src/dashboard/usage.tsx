/** Usage by day as a chart, by day, key and model as a table, and as CSV. */
import { useSignal } from '@preact/signals';
import type { AdminUsage } from '../../../src/protocol/admin.js';
import { ADMIN_PATH } from '../../../src/protocol/pages.js';
import { count, duration, short } from '../shared/format.js';
import { Icon } from '../shared/icons.js';
import { Chart } from './chart.js';
import { KeyChoice } from './key-choice.js';
import { Scroll } from './scroll.js';
import { days, firstDay, identity, keys, LOCAL_KEY, refresh, shownDays, usage } from './state.js';

type Row = AdminUsage['data'][number];

const MEASURES = {
  characters: { name: 'Characters', of: (row: Row) => row.characters, format: short },
  requests: { name: 'Requests', of: (row: Row) => row.requests, format: short },
  credits: { name: 'Credits', of: (row: Row) => row.credits, format: short },
  audio: {
    name: 'Minutes of audio',
    of: (row: Row) => row.audio_ms / 60_000,
    format: (v: number) => short(Math.round(v * 10) / 10),
  },
} as const;
/** Rows shown at first. */
const TABLE_ROWS = 10;

export function Usage() {
  const measure = useSignal<keyof typeof MEASURES>('characters');
  const keyId = useSignal('');
  const isOperator = identity.value?.role === 'admin';
  const rows = (usage.value?.data ?? []).filter((row) => keyId.value === '' || row.key_id === keyId.value);
  const names = new Map([LOCAL_KEY, ...keys.value].map(({ id, name }) => [id, name ?? id]));
  const query = new URLSearchParams({ since: firstDay(), ...(keyId.value && { key: keyId.value }) });
  return (
    <section class="panel" aria-labelledby="usage-title">
      <div class="panel-head">
        <h2 id="usage-title">Usage</h2>
        <div class="row">
          <select
            aria-label="Measure"
            value={measure.value}
            onChange={(event) => {
              measure.value = event.currentTarget.value as keyof typeof MEASURES;
            }}
          >
            {Object.entries(MEASURES).map(([id, { name }]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
          {isOperator && (
            <KeyChoice
              label="Key"
              value={keyId.value}
              onChoose={(id) => {
                keyId.value = id;
              }}
            />
          )}
          <select
            aria-label="Days"
            value={String(days.value)}
            onChange={(event) => {
              days.value = Number(event.currentTarget.value);
              void refresh();
            }}
          >
            {[7, 30, 90].map((many) => (
              <option key={many} value={String(many)}>
                {many} days
              </option>
            ))}
          </select>
          <a class="quiet" href={`${ADMIN_PATH}/usage.csv?${query}`} download="usage.csv">
            <Icon name="down" size={16} />
            CSV
          </a>
        </div>
      </div>
      {rows.length === 0 ? (
        <p class="empty">No speech in these days.</p>
      ) : (
        <>
          <p class="legend">
            <span>Fast</span>
            <span class="b">Standard</span>
          </p>
          <UsageChart rows={rows} measure={measure.value} />
          <UsageTable rows={rows} names={names} isOperator={isOperator} />
        </>
      )}
    </section>
  );
}

function UsageChart({ rows, measure }: { readonly rows: readonly Row[]; readonly measure: keyof typeof MEASURES }) {
  const { of, format, name } = MEASURES[measure];
  const shown = shownDays();
  const sum = (day: string, fast: boolean) =>
    rows
      .filter((row) => row.day === day && row.model.startsWith('base-tts-fast') === fast)
      .reduce((total, row) => total + of(row), 0);
  const standard = shown.map((day) => sum(day, false));
  // Stacked bars: the total is drawn first, its lower part over it.
  const total = shown.map((day, i) => sum(day, true) + standard[i]!);
  const times = shown.map((day) => Date.parse(day) / 1000);
  const half = 43_200;
  return (
    <Chart
      label={`${name} by day`}
      kind="bars"
      series={['Fast', 'Standard']}
      data={[times, total.map(orNothing), standard.map(orNothing)]}
      range={[times[0]! - half, times.at(-1)! + half]}
      format={format}
    />
  );
}

/** A day without use has no bar, not a flat one. */
const orNothing = (value: number): number | null => value || null;

interface UsageTableProps {
  readonly rows: readonly Row[];
  readonly names: ReadonlyMap<string, string>;
  readonly isOperator: boolean;
}

function UsageTable({ rows, names, isOperator }: UsageTableProps) {
  const all = useSignal(false);
  return (
    <Scroll label="Usage by day">
      <table>
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            {isOperator && <th scope="col">Key</th>}
            <th scope="col">Model</th>
            {['Requests', 'Unfinished', 'Characters', 'Credits', 'Audio'].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...rows]
            .reverse()
            .slice(0, all.value ? rows.length : TABLE_ROWS)
            .map((row) => (
              <tr key={`${row.day} ${row.key_id} ${row.model}`}>
                <td>{row.day}</td>
                {isOperator && <td>{names.get(row.key_id) ?? row.key_id}</td>}
                <td>{row.model}</td>
                <td class="number">{count(row.requests)}</td>
                <td class="number">{count(row.unfinished)}</td>
                <td class="number">{count(row.characters)}</td>
                <td class="number">{count(row.credits)}</td>
                <td class="number">{duration(row.audio_ms)}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {rows.length > TABLE_ROWS && !all.value && (
        <p>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              all.value = true;
            }}
          >
            Show all {count(rows.length)} rows
          </button>
        </p>
      )}
    </Scroll>
  );
}
