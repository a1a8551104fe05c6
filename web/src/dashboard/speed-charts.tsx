/** Charts of the last minutes: time to first audio, and real-time factor. */
import { useSignal } from '@preact/signals';
import type { AdminStatus } from '../../../src/protocol/admin.js';
import { Chart } from './chart.js';
import { Choice } from './choice.js';
import { duration } from './values.js';

type Speed = AdminStatus['speed'];
type Point = Speed['points'][number];

const SPANS = { '5': 'Last 5 minutes', '15': 'Last 15 minutes' } as const;
type Span = keyof typeof SPANS;

const clock = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });

/** A point where nothing happened, in each gap: a line ends there. */
function withGaps({ points, step_ms: stepMs }: Speed, has: (point: Point) => boolean): (Point | number)[] {
  const heard = points.filter(has);
  return heard.flatMap((point, i) => {
    const before = heard[i - 1];
    const isGap = before !== undefined && point.at_ms - before.at_ms > stepMs;
    return isGap ? [before.at_ms + stepMs, point] : [point];
  });
}

const timeOf = (point: Point | number): number => (typeof point === 'number' ? point : point.at_ms) / 1000;
const valuesOf = (points: (Point | number)[], value: (point: Point) => number | null): (number | null)[] =>
  points.map((point) => (typeof point === 'number' ? null : value(point)));
const latest = (values: (number | null)[]): number | undefined =>
  values.findLast((value) => value !== null) ?? undefined;

export function SpeedCharts({ speed }: { readonly speed: Speed }) {
  const span = useSignal<Span>('15');
  const now = Date.now() / 1000;
  const range = [now - Number(span.value) * 60, now] as const;
  const recent = { ...speed, points: speed.points.filter(({ at_ms }) => at_ms / 1000 >= range[0]) };
  return (
    <section aria-labelledby="speed-title" class="stack">
      <div class="panel-head">
        <h2 id="speed-title">Speed</h2>
        <div class="row">
          <Choice
            label="Time of the charts"
            value={span.value}
            options={SPANS}
            onChoose={(value) => {
              span.value = value;
            }}
          />
        </div>
      </div>
      <div class="pair">
        <FirstAudio speed={recent} range={range} />
        <RealTimeFactor speed={recent} range={range} />
      </div>
    </section>
  );
}

interface OfSpeed {
  readonly speed: Speed;
  readonly range: readonly [number, number];
}

function FirstAudio({ speed, range }: OfSpeed) {
  const points = withGaps(speed, (point) => point.first_audio_p50_ms !== null);
  const median = valuesOf(points, (point) => point.first_audio_p50_ms);
  return (
    <section class="panel" aria-labelledby="first-title">
      <div class="panel-head">
        <h3 id="first-title">Time to first audio</h3>
        <p class="legend">
          <span class="thin">median</span>
          <span class="b broad">95th percentile</span>
        </p>
      </div>
      {points.length === 0 ? (
        <Quiet />
      ) : (
        <Chart
          label={`Time to first audio, latest median ${duration(latest(median) ?? 0)}`}
          kind="lines"
          series={['95th percentile', 'median']}
          data={[points.map(timeOf), valuesOf(points, (point) => point.first_audio_p95_ms), median]}
          range={range}
          tick={clock}
          format={duration}
        />
      )}
    </section>
  );
}

function RealTimeFactor({ speed, range }: OfSpeed) {
  const points = withGaps(speed, (point) => point.real_time_factor !== null);
  const factors = valuesOf(points, (point) => point.real_time_factor);
  return (
    <section class="panel" aria-labelledby="rtf-title">
      <div class="panel-head">
        <h3 id="rtf-title">Real-time factor</h3>
        <p class="legend">
          <span class="thin">engine seconds per second of audio</span>
        </p>
      </div>
      {points.length === 0 ? (
        <Quiet />
      ) : (
        <Chart
          label={`Real-time factor, latest ${(latest(factors) ?? 0).toFixed(2)}`}
          kind="lines"
          series={['factor']}
          data={[points.map(timeOf), factors]}
          range={range}
          tick={clock}
          format={(value) => String(Math.round(value * 1000) / 1000)}
        />
      )}
    </section>
  );
}

const Quiet = () => <p class="chart-empty">No speech in this time.</p>;
