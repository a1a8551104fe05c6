/** How this server was started: versions, limits, and every setting with its source. */
import { signal } from '@preact/signals';
import type { AdminSettings } from '../../../../src/protocol/admin/figures.js';
import { freeLimitText } from '../../../../src/protocol/free-limit.js';
import { Figures } from '../figures.js';
import type { DashboardPage } from '../page.js';
import { admin, loadStatus, onForget, status } from '../state.js';
import { type Column, Table } from '../table.js';

type Setting = AdminSettings['settings'][number];

const settings = signal<AdminSettings | undefined>(undefined);
onForget(() => {
  settings.value = undefined;
});

async function loadSettings(): Promise<void> {
  settings.value = await admin<AdminSettings>('/settings');
}

export const SETTINGS: DashboardPage = {
  name: 'settings',
  label: 'Settings',
  title: 'Settings',
  View: Settings,
  load: async () => void (await Promise.all([loadSettings(), loadStatus()])),
};

const GROUPS: Readonly<Record<string, string>> = {
  server: 'Server',
  engine: 'Engines',
  files: 'Files',
  nats: 'Workers on other machines',
};

function Settings() {
  const now = settings.value;
  const limits = status.value?.limits;
  if (now === undefined || limits === undefined) return <p class="empty">Loading…</p>;
  const { path, found } = now.config_file;
  return (
    <>
      <Figures
        of={[
          { name: 'Version', value: now.version, note: `Node ${now.node.replace('v', '')}` },
          { name: 'System', value: now.platform },
          { name: 'Accounts', value: now.accounts === 'sqlite' ? 'SQLite' : 'PostgreSQL' },
          { name: 'Voices', value: String(now.voices.count), note: `catalogue ${now.voices.version}` },
          { name: 'Partner sessions', value: String(limits.partner_concurrency), note: 'at once, each key' },
          { name: 'Free sessions', value: freeLimitText(limits.free_concurrency), note: 'at once, each model' },
          { name: 'Free requests', value: freeLimitText(limits.free_daily), note: 'a day, each model' },
        ]}
      />
      {path !== '' && (
        <p class="hint">
          Settings come from flags, then the environment, then <span class="code">{path}</span>
          {found ? '' : ' (not there)'}, then defaults. A change needs a restart.
        </p>
      )}
      {Object.entries(GROUPS).map(([group, title]) => (
        <Group key={group} title={title} rows={now.settings.filter((row) => row.group === group)} />
      ))}
      {now.settings.length === 0 && <p class="empty">This server tells no settings.</p>}
    </>
  );
}

function Group({ title, rows }: { readonly title: string; readonly rows: readonly Setting[] }) {
  if (rows.length === 0) return null;
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      <Table label={title} columns={COLUMNS} rows={rows} idOf={({ name }) => name} />
    </section>
  );
}

function Value({ of: { value, is_set: isSet } }: { readonly of: Setting }) {
  if (!isSet) return <span class="hint">not set</span>;
  return value === null ? <span class="hint">set, not shown</span> : <span class="code">{value}</span>;
}

const COLUMNS: readonly Column<Setting>[] = [
  {
    name: 'Setting',
    kind: 'lead',
    cell: ({ name, description }) => (
      <>
        <span class="code">{name}</span> <small class="note">{description}</small>
      </>
    ),
  },
  { name: 'Value', kind: 'wide', cell: (row) => <Value of={row} /> },
  {
    name: 'From',
    cell: ({ source, origin }) =>
      source === 'default' ? (
        <span class="hint">default</span>
      ) : (
        <>
          {source} {source !== 'file' && <small class="note code">{origin}</small>}
        </>
      ),
  },
];
