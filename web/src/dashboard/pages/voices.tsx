/** What the operator keeps for all servers (voices and words), and what listeners preferred. */
import { signal } from '@preact/signals';
import type { AdminComparisons, AdminLexicon, AdminVoices } from '../../../../src/protocol/admin/kept.js';
import type { DashboardPage } from '../page.js';
import { admin, onForget } from '../state.js';
import { type Column, Table } from '../table.js';

interface Kept {
  readonly kind: 'Voice' | 'Word';
  readonly path: string;
  readonly name: string;
  readonly value: string;
}

type Comparison = AdminComparisons['data'][number];

const kept = signal<readonly Kept[] | undefined>(undefined);
const comparisons = signal<readonly Comparison[] | undefined>(undefined);
onForget(() => {
  kept.value = undefined;
  comparisons.value = undefined;
});

async function load(): Promise<void> {
  const [words, voices, compared] = await Promise.all([
    admin<AdminLexicon>('/lexicon'),
    admin<AdminVoices>('/voices'),
    admin<AdminComparisons>('/comparisons'),
  ]);
  kept.value = [
    ...voices.data.map(({ id = '', description }) => ({
      kind: 'Voice' as const,
      path: `/voices/${encodeURIComponent(id)}`,
      name: id,
      value: description,
    })),
    ...words.data.map(({ word, said }) => ({
      kind: 'Word' as const,
      path: `/lexicon/${encodeURIComponent(word)}`,
      name: word,
      value: said,
    })),
  ];
  comparisons.value = compared.data;
}

export const VOICES: DashboardPage = {
  name: 'voices',
  label: 'Voices',
  title: 'Voices and words',
  View: Voices,
  load,
};

async function remove({ path }: Kept): Promise<void> {
  await admin(path, { method: 'DELETE' });
  await load();
}

const KEPT: readonly Column<Kept>[] = [
  { name: 'Name', kind: 'lead', cell: ({ name }) => name },
  { name: 'Kind', cell: ({ kind }) => kind },
  { name: 'What it is', kind: 'wide', cell: ({ value }) => value },
  {
    name: 'Actions',
    kind: 'actions',
    cell: (one) => (
      <button type="button" class="quiet" aria-label={`Remove ${one.name}`} onClick={() => void remove(one)}>
        Remove
      </button>
    ),
  },
];

const percent = (share: number) => `${Math.round(share * 100)} %`;
const shown = ({ voice, model, speed = 1, style }: Comparison['a']) =>
  [voice, model, ...(speed === 1 ? [] : [`${speed} ×`]), ...(style === undefined ? [] : [style])].join(', ');
const COMPARED: readonly Column<Comparison>[] = [
  { name: 'One', kind: 'lead', cell: ({ a }) => shown(a) },
  { name: 'The other', kind: 'name', cell: ({ b }) => shown(b) },
  {
    name: 'Rounds for each',
    kind: 'number',
    cell: ({ a_preferred: forA, b_preferred: forB }) => `${forA} : ${forB}`,
  },
  { name: 'Share of the one, 95 %', kind: 'number', cell: ({ low, high }) => `${percent(low)} to ${percent(high)}` },
  { name: 'p', kind: 'number', cell: ({ p }) => p.toFixed(3) },
];

function Voices() {
  const [all, sums] = [kept.value, comparisons.value];
  if (all === undefined || sums === undefined) return <p class="empty">Loading…</p>;
  return (
    <>
      <section class="panel" aria-labelledby="kept-title">
        <h2 id="kept-title">Kept for all servers</h2>
        {all.length === 0 ? (
          <p class="empty">Mix a voice or correct a word in the playground, and keep it from there.</p>
        ) : (
          <Table label="Voices and words" columns={KEPT} rows={all} idOf={({ path }) => path} />
        )}
      </section>
      <section class="panel" aria-labelledby="compared-title">
        <h2 id="compared-title">Compared by ear</h2>
        {sums.length === 0 ? (
          <p class="empty">
            No comparison was finished yet: <a href="/compare">compare two</a>.
          </p>
        ) : (
          <Table label="Comparisons" columns={COMPARED} rows={sums} idOf={({ a, b }) => `${shown(a)} ${shown(b)}`} />
        )}
      </section>
    </>
  );
}
