/** The operator's overview: readiness, load, speed and workers. */
import type { AdminStatus } from '../../../src/protocol/admin.js';
import { since } from '../shared/format.js';
import { Chart } from './chart.js';
import { Scroll } from './scroll.js';
import { sessions, status } from './state.js';

const WINDOW_S = 900;
const MB = 1_000_000;

export function Overview() {
  const now = status.value;
  if (now === undefined) return <p class="empty">Loading…</p>;
  const latest = [...now.speed.points].reverse();
  const first = latest.find((point) => point.first_audio_p50_ms !== null)?.first_audio_p50_ms;
  const rtf = latest.find((point) => point.real_time_factor !== null)?.real_time_factor;
  return (
    <>
      <dl class="figures">
        <Figure name="State" value={now.ready ? 'Ready' : 'Not ready'} note={`up ${since(now.started_at)}`} />
        <Figure name="Live sessions" value={String(sessions.value.length)} note={`of ${now.places.limit} places`} />
        <Figure name="Queue" value={String(now.segments.queued)} note={`${now.segments.running} being spoken`} />
        <Figure
          name="First audio"
          value={first == null ? '–' : `${Math.round(first)}`}
          note={first == null ? '' : 'ms, latest'}
        />
        <Figure name="Real-time factor" value={rtf == null ? '–' : rtf.toFixed(2)} note={rtf == null ? '' : 'latest'} />
        <Figure name="Server memory" value={String(Math.round(now.memory_bytes / MB))} note="MB" />
      </dl>
      <div class="pair">
        <FirstAudio points={now.speed.points} />
        <RealTimeFactor points={now.speed.points} />
      </div>
      {now.readiness !== '' && <p class="problem">{now.readiness}</p>}
      <Workers workers={now.workers} />
    </>
  );
}

function Figure({ name, value, note }: { readonly name: string; readonly value: string; readonly note: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} <small>{note}</small>
      </dd>
    </div>
  );
}

type Points = AdminStatus['speed']['points'];
const quarterHour = (): [number, number] => [Date.now() / 1000 - WINDOW_S, Date.now() / 1000];
const times = (points: Points) => points.map(({ at_ms }) => at_ms / 1000);

function FirstAudio({ points }: { readonly points: Points }) {
  const heard = points.filter(({ first_audio_p50_ms }) => first_audio_p50_ms !== null);
  return (
    <section class="panel" aria-labelledby="first-title">
      <div class="panel-head">
        <h2 id="first-title">Time to first audio</h2>
        <p class="legend">
          <span>median</span>
          <span class="b">95th percentile</span>
        </p>
      </div>
      {heard.length === 0 ? (
        <Quiet />
      ) : (
        <Chart
          label="Time to first audio in the last quarter of an hour"
          kind="lines"
          series={['median', 'p95']}
          data={[times(heard), heard.map((p) => p.first_audio_p50_ms), heard.map((p) => p.first_audio_p95_ms)]}
          range={quarterHour()}
          format={(ms) => (ms >= 1000 ? `${ms / 1000} s` : `${Math.round(ms)} ms`)}
        />
      )}
    </section>
  );
}

function RealTimeFactor({ points }: { readonly points: Points }) {
  const made = points.filter(({ real_time_factor }) => real_time_factor !== null);
  return (
    <section class="panel" aria-labelledby="rtf-title">
      <div class="panel-head">
        <h2 id="rtf-title">Real-time factor</h2>
        <p class="legend">
          <span>engine seconds per second of audio</span>
        </p>
      </div>
      {made.length === 0 ? (
        <Quiet />
      ) : (
        <Chart
          label="Real-time factor in the last quarter of an hour"
          kind="lines"
          series={['factor']}
          data={[times(made), made.map((p) => p.real_time_factor)]}
          range={quarterHour()}
          format={(value) => String(Math.round(value * 1000) / 1000)}
        />
      )}
    </section>
  );
}

const Quiet = () => <p class="chart-empty">No speech in the last 15 minutes.</p>;

function Workers({ workers }: { readonly workers: AdminStatus['workers'] }) {
  return (
    <section class="panel" aria-labelledby="workers-title">
      <h2 id="workers-title">Workers</h2>
      {workers.length === 0 && <p class="empty">None yet: models are being downloaded or prepared.</p>}
      {workers.length > 0 && (
        <Scroll label="Workers">
          <table>
            <thead>
              <tr>
                <th scope="col">Worker</th>
                <th scope="col">State</th>
                <th scope="col">Device</th>
                <th scope="col" class="number">
                  Busy
                </th>
                <th scope="col" class="number">
                  Restarts
                </th>
              </tr>
            </thead>
            <tbody>
              {workers.map(({ id, state, device, busy, capacity, restarts, error, unusable }) => (
                <tr key={id}>
                  <td class="code">{id}</td>
                  <td>
                    <span class={`tag ${unusable || state === 'dead' ? 'bad' : state === 'ready' ? 'good' : ''}`}>
                      {unusable ? 'unusable' : state}
                    </span>
                    {(error ?? unusable) && <small> {error ?? unusable}</small>}
                  </td>
                  <td>{device ?? '–'}</td>
                  <td class="number">
                    {busy} of {capacity}
                  </td>
                  <td class="number">{restarts}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
