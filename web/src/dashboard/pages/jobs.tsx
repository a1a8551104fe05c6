/** Jobs: what waits, what is made and how far it is, what can be fetched. */
import { signal } from '@preact/signals';
import type { Job, JobList } from '../../../../src/protocol/jobs/schemas.js';
import { ADMIN_PATH } from '../../../../src/protocol/pages.js';
import { ApiError } from '../../shared/api.js';
import { count, duration } from '../../shared/format.js';
import type { DashboardPage } from '../page.js';
import { admin, isOperator, keyName, keys, loadKeys, onForget, trouble } from '../state.js';
import { type Column, Table } from '../table.js';

export const JOBS: DashboardPage = {
  name: 'jobs',
  label: 'Jobs',
  title: 'Jobs',
  ownTitle: 'Your jobs',
  View: Jobs,
  everyMs: 2_000,
  load: async () => void (await Promise.all([load(), ...(keys.value === undefined ? [loadKeys()] : [])])),
};

const PAGE = 50;
const MB = 1_000_000;

const sizeOf = (bytes: number): string =>
  bytes < MB ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / MB).toFixed(1)} MB`;

const jobs = signal<readonly Job[] | undefined>(undefined);
const next = signal<string | null>(null);
/** Jobs that are shown: more once older ones were asked for. */
const shown = signal(PAGE);
/** Why this server has none. */
const off = signal<string | undefined>(undefined);
onForget(() => {
  jobs.value = undefined;
  shown.value = PAGE;
});

async function load(): Promise<void> {
  try {
    const found: Job[] = [];
    let cursor: string | null = '';
    while (cursor !== null && found.length < shown.value) {
      const page: JobList = await admin<JobList>(`/jobs?limit=${PAGE}${cursor && `&cursor=${cursor}`}`);
      found.push(...page.data);
      cursor = page.next_cursor;
    }
    jobs.value = found;
    next.value = cursor;
    off.value = undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'jobs_off') throw error;
    off.value = error.message;
  }
}

async function change(path: string): Promise<void> {
  try {
    await admin(path, { method: 'DELETE' });
    await load();
  } catch (error) {
    trouble.value = (error as Error).message;
  }
}

function Jobs() {
  const list = jobs.value;
  if (off.value !== undefined) return <p class="empty">{off.value}</p>;
  if (list === undefined) return <p class="empty">Loading…</p>;
  return (
    <section class="panel" aria-label="Jobs">
      {list.length === 0 && (
        <p class="empty">
          No jobs. <code class="code">tts jobs submit book.epub</code> orders an audiobook; so does the playground,
          given an EPUB.
        </p>
      )}
      {list.length > 0 && <Table label="Jobs" columns={columns()} rows={list} idOf={({ id }) => id} />}
      {next.value !== null && (
        <p>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              shown.value += PAGE;
              void load();
            }}
          >
            Show older jobs
          </button>
        </p>
      )}
    </section>
  );
}

const TAGS: Readonly<Record<Job['status'], string>> = {
  queued: 'tag',
  running: 'tag',
  completed: 'tag good',
  failed: 'tag bad',
  cancelled: 'tag',
};

const isOpen = ({ status }: Job): boolean => status === 'queued' || status === 'running';

function State({ of }: { readonly of: Job }) {
  const { status, progress, error } = of;
  return (
    <>
      <span class={TAGS[status]}>{status}</span>
      {status === 'running' && (
        <>
          {' '}
          <meter min={0} max={100} value={progress.percent} aria-label="Progress" />
          <small class="note">
            {progress.percent} %{progress.left_ms !== null && `, ${duration(progress.left_ms)} left`}
          </small>
        </>
      )}
      {error !== null && <small class="note">{error.message}</small>}
      <Webhook of={of} />
    </>
  );
}

function Webhook({ of: { webhook } }: { readonly of: Job }) {
  if (webhook === null) return null;
  return (
    <small class="note">
      webhook {webhook.status}
      {webhook.error !== null && `: ${webhook.error}`}
    </small>
  );
}

function Actions({ of }: { readonly of: Job }) {
  const { id, title, result } = of;
  return (
    <>
      {isOpen(of) && (
        <button type="button" class="quiet" aria-label={`Cancel ${title}`} onClick={() => void change(`/jobs/${id}`)}>
          Cancel
        </button>
      )}
      {result !== null && (
        <>
          <a
            class="quiet"
            href={`${ADMIN_PATH}/jobs/${id}/result`}
            download={result.filename}
            aria-label={`Save ${title}`}
          >
            Save
          </a>{' '}
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${title}`}
            onClick={() => void change(`/jobs/${id}/result`)}
          >
            Remove
          </button>
        </>
      )}
    </>
  );
}

const columns = (): readonly (Column<Job> | false)[] => [
  {
    name: 'Job',
    kind: 'lead',
    cell: ({ id, title, author, created_at: time }) => (
      <>
        {title} {author !== null && <small class="note">{author}</small>} <small class="note code">{id}</small>{' '}
        <small class="note">{new Date(time).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' })}</small>
      </>
    ),
  },
  { name: 'State', kind: 'wide', cell: (job) => <State of={job} /> },
  isOperator() && { name: 'Key', kind: 'name', cell: ({ key_id: id }) => <span title={id}>{keyName(id)}</span> },
  {
    name: 'Model and voice',
    cell: ({ model, voice, format }) => (
      <>
        {model} <small class="note">{voice}</small> <small class="note">{format}</small>
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
    name: 'Result',
    kind: 'number',
    cell: ({ result }) =>
      result === null ? (
        '–'
      ) : (
        <>
          {duration(result.audio_ms)} <small class="note">{sizeOf(result.bytes)}</small>
        </>
      ),
  },
  { name: 'Actions', kind: 'actions', cell: (job) => <Actions of={job} /> },
];
