/** The first page: readiness, load and speed at this moment, live sessions and the last errors. */
import type { AdminStatus } from '../../../../src/protocol/admin.js';
import { since } from '../../shared/format.js';
import { Failures, loadFailures } from '../failures.js';
import { Figures } from '../figures.js';
import { OwnKey } from '../own-key.js';
import type { DashboardPage } from '../page.js';
import { loadSessions, Sessions, sessions } from '../sessions.js';
import { SpeedCharts } from '../speed-charts.js';
import { isOperator, keys, loadKeys, loadStatus, status } from '../state.js';
import { duration } from '../values.js';

const MB = 1_000_000;

export const NOW: DashboardPage = {
  name: '',
  label: 'Now',
  title: 'Running now',
  ownTitle: 'Your key',
  View: Now,
  everyMs: 2_000,
  async load() {
    // Names of keys change rarely; the figures of a key's holder change with every request.
    const isKnown = isOperator() && keys.value !== undefined;
    await Promise.all([loadSessions(), loadFailures(), loadStatus(), ...(isKnown ? [] : [loadKeys()])]);
  },
};

function Now() {
  return (
    <>
      {isOperator() ? <Overview now={status.value} /> : <OwnKey />}
      <Sessions />
      <Failures />
    </>
  );
}

function Overview({ now }: { readonly now: AdminStatus | undefined }) {
  if (now === undefined) return <p class="empty">Loading…</p>;
  const { points } = now.speed;
  const first = points.findLast((point) => point.first_audio_p50_ms !== null)?.first_audio_p50_ms;
  const rtf = points.findLast((point) => point.real_time_factor !== null)?.real_time_factor;
  const latest = (known: boolean) => (known ? 'latest' : 'no speech lately');
  return (
    <>
      {now.readiness !== '' && <p class="problem">{now.readiness}</p>}
      <Figures
        of={[
          { name: 'State', value: now.ready ? 'Ready' : 'Not ready', note: `up ${since(now.started_at)}` },
          { name: 'Live sessions', value: String(sessions.value.length), note: `of ${now.places.limit} places` },
          { name: 'Queue', value: String(now.segments.queued), note: `${now.segments.running} being spoken` },
          { name: 'First audio', value: first == null ? '–' : duration(first), note: latest(first != null) },
          { name: 'Real-time factor', value: rtf == null ? '–' : rtf.toFixed(2), note: latest(rtf != null) },
          { name: 'Server memory', value: `${Math.round(now.memory_bytes / MB)} MB` },
        ]}
      />
      <SpeedCharts speed={now.speed} />
    </>
  );
}
