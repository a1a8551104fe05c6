/** Usage of a range of time: sums, a chart, a table by key and model, and CSV. */
import { signal } from '@preact/signals';
import type { AdminUsageSeries, UsageRange } from '../../../../src/protocol/admin/figures.js';
import { ADMIN_PATH } from '../../../../src/protocol/pages.js';
import { count, duration, short } from '../../shared/format.js';
import { Icon } from '../../shared/icons.js';
import { Chart } from '../chart.js';
import { Choice, KeyChoice } from '../choice.js';
import { Figures } from '../figures.js';
import { refresh } from '../live.js';
import type { DashboardPage } from '../page.js';
import { admin, isOperator, keyName, keys, loadKeys, onForget } from '../state.js';
import { type Column, Table } from '../table.js';

export const USAGE: DashboardPage = {
  name: 'usage',
  label: 'Usage',
  title: 'Usage',
  ownTitle: 'Your usage',
  View: Usage,
  everyMs: 15_000,
  load: async () => void (await Promise.all([loadUsage(), ...(keys.value === undefined ? [loadKeys()] : [])])),
};

type Figure = Omit<AdminUsageSeries['times'][number], 'time'>;
type ByKey = AdminUsageSeries['keys'][number];

const MEASURES = {
  characters: { name: 'Characters', of: (row: Figure) => row.characters, format: short },
  requests: { name: 'Requests', of: (row: Figure) => row.requests, format: short },
  credits: { name: 'Credits', of: (row: Figure) => row.credits, format: short },
  audio: {
    name: 'Minutes of audio',
    of: (row: Figure) => row.audio_ms / 60_000,
    format: (minutes: number) => short(Math.round(minutes * 10) / 10),
  },
} as const;
type Measure = keyof typeof MEASURES;
const NAMES = Object.fromEntries(Object.entries(MEASURES).map(([id, { name }]) => [id, name])) as Record<
  Measure,
  string
>;

const RANGES: Readonly<Record<UsageRange, string>> = {
  hour: 'Last hour',
  day: 'Last day',
  week: 'Last week',
  month: 'Last month',
  year: 'Last year',
};

/** Rows of the table shown at first. */
const TABLE_ROWS = 20;

const FIRST = { range: 'month', keyId: '', measure: 'characters', all: false } as const;
interface Shown {
  readonly range: UsageRange;
  readonly keyId: string;
  readonly measure: Measure;
  readonly all: boolean;
}
const shown = signal<Shown>(FIRST);
const series = signal<AdminUsageSeries | undefined>(undefined);
onForget(() => {
  shown.value = FIRST;
  series.value = undefined;
});

async function loadUsage(): Promise<void> {
  const asked = shown.value;
  const query = new URLSearchParams({ range: asked.range, ...(asked.keyId && { key: asked.keyId }) });
  const answer = await admin<AdminUsageSeries>(`/usage/series?${query}`);
  // An answer to an earlier choice is of no use.
  if (asked.range === shown.value.range && asked.keyId === shown.value.keyId) series.value = answer;
}

function show(change: Partial<Shown>): void {
  shown.value = { ...shown.value, ...change };
  if (change.range !== undefined || change.keyId !== undefined) void refresh();
}

function Usage() {
  const { range, keyId, measure } = shown.value;
  const now = series.value;
  const since = now?.since.slice(0, 10) ?? '';
  const query = new URLSearchParams({ since, ...(keyId && { key: keyId }) });
  return (
    <section class="panel" aria-label="Usage">
      <div class="row">
        <Choice label="Range" value={range} options={RANGES} onChoose={(value) => show({ range: value })} />
        <Choice label="Measure" value={measure} options={NAMES} onChoose={(value) => show({ measure: value })} />
        {isOperator() && <KeyChoice label="Key" value={keyId} onChoose={(id) => show({ keyId: id })} />}
        {now && (
          <a class="quiet" href={`${ADMIN_PATH}/usage.csv?${query}`} download="usage.csv">
            <Icon name="down" size={16} />
            CSV by day
          </a>
        )}
      </div>
      {now === undefined && <p class="empty">Loading…</p>}
      {now?.times.length === 0 && <p class="empty">No speech in this time.</p>}
      {now && now.times.length > 0 && <Sums of={now} measure={measure} />}
    </section>
  );
}

const total = (rows: readonly Figure[], of: (row: Figure) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0);

function Sums({ of, measure }: { readonly of: AdminUsageSeries; readonly measure: Measure }) {
  const rows = [...of.keys].sort((a, b) => b.characters - a.characters);
  const isAll = shown.value.all || rows.length <= TABLE_ROWS;
  return (
    <>
      <Figures
        of={[
          { name: 'Requests', value: short(total(of.times, (row) => row.requests)) },
          { name: 'Unfinished', value: short(total(of.times, (row) => row.unfinished)) },
          { name: 'Characters', value: short(total(of.times, (row) => row.characters)) },
          { name: 'Credits', value: short(total(of.times, (row) => row.credits)) },
          { name: 'Audio', value: duration(total(of.times, (row) => row.audio_ms)) },
        ]}
      />
      <p class="legend">
        <span>Fast</span>
        <span class="b">Standard</span>
      </p>
      <UsageChart of={of} measure={measure} />
      <Table
        label="Usage summed up"
        columns={columns()}
        rows={isAll ? rows : rows.slice(0, TABLE_ROWS)}
        idOf={({ key_id: id, model }) => `${id} ${model}`}
      />
      {!isAll && (
        <p>
          <button type="button" class="quiet" onClick={() => show({ all: true })}>
            Show all {count(rows.length)} rows
          </button>
        </p>
      )}
    </>
  );
}

const columns = (): readonly (Column<ByKey> | false)[] => [
  isOperator() && { name: 'Key', kind: 'lead', cell: ({ key_id: id }) => <span title={id}>{keyName(id)}</span> },
  { name: 'Model', cell: ({ model }) => model },
  { name: 'Requests', kind: 'number', cell: (row) => count(row.requests) },
  { name: 'Unfinished', kind: 'number', cell: (row) => count(row.unfinished) },
  { name: 'Characters', kind: 'number', cell: (row) => count(row.characters) },
  { name: 'Credits', kind: 'number', cell: (row) => count(row.credits) },
  { name: 'Audio', kind: 'number', cell: (row) => duration(row.audio_ms) },
];

/** A label of the time axis: days are the server's UTC days, hours and minutes the reader's. */
function tickOf({ range, step_s: step }: AdminUsageSeries): (seconds: number) => string {
  const isDay = step >= 86_400;
  const day = { month: 'short', day: 'numeric', ...(isDay && { timeZone: 'UTC' }) } as const;
  return (seconds) => {
    const date = new Date(seconds * 1000);
    return isDay || range === 'week'
      ? date.toLocaleDateString('en', day)
      : date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  };
}

function UsageChart({ of, measure }: { readonly of: AdminUsageSeries; readonly measure: Measure }) {
  const { of: value, format, name } = MEASURES[measure];
  const [first, last] = [Date.parse(of.since) / 1000, Date.parse(of.until) / 1000];
  const times = Array.from({ length: Math.round((last - first) / of.step_s) + 1 }, (_, i) => first + i * of.step_s);
  const sums = { fast: new Map<number, number>(), standard: new Map<number, number>() };
  for (const row of of.times) {
    const byTime = row.model.startsWith('base-tts-fast') ? sums.fast : sums.standard;
    const at = Date.parse(row.time) / 1000;
    byTime.set(at, (byTime.get(at) ?? 0) + value(row));
  }
  const standard = times.map((at) => sums.standard.get(at) ?? 0);
  // Stacked bars: the total is drawn first, its lower part over it.
  const all = times.map((at, i) => (sums.fast.get(at) ?? 0) + standard[i]!);
  const most = Math.max(...all);
  const tick = tickOf(of);
  const peak = `most at ${tick(times[all.indexOf(most)]!)} with ${format(most)}`;
  return (
    <Chart
      label={`${name}, ${RANGES[of.range].toLowerCase()}: ${format(total(of.times, value))} in all, ${peak}`}
      kind="bars"
      series={['Fast', 'Standard']}
      data={[times, all.map(orNothing), standard.map(orNothing)]}
      range={[first - of.step_s / 2, last + of.step_s / 2]}
      tick={tick}
      format={format}
    />
  );
}

/** A time without use has no bar, not a flat one. */
const orNothing = (value: number): number | null => value || null;
