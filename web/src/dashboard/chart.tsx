/** A small chart in the page's colours: lines over time, or bars by day. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

export interface ChartProps {
  readonly label: string;
  /** Times in seconds, then one row of values per series. */
  readonly data: uPlot.AlignedData;
  readonly series: readonly string[];
  readonly kind: 'lines' | 'bars';
  readonly format: (value: number) => string;
  /** The span of the time axis. Absent: that of the data. */
  readonly range?: readonly [number, number];
}

const HEIGHT = 190;

export function Chart({ label, data, series, kind, format, range }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const shown = useRef(range);
  shown.current = range;
  useEffect(() => {
    const element = box.current!;
    const make = () => {
      chart.current?.destroy();
      chart.current = new uPlot(options(element, { series, kind, format, shown }), data, element);
    };
    make();
    const observer = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', make);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', make);
      chart.current?.destroy();
    };
  }, [kind, series.join()]);
  useEffect(() => {
    chart.current?.setData(data);
  }, [data]);
  return <div ref={box} class="chart" role="img" aria-label={label} />;
}

interface Look extends Pick<ChartProps, 'series' | 'kind' | 'format'> {
  readonly shown: { readonly current: ChartProps['range'] };
}

/** Labels of the time axis: times of day for lines, days for bars. */
function when(seconds: number, kind: ChartProps['kind']): string {
  const date = new Date(seconds * 1000);
  return kind === 'lines'
    ? date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
}

function options(element: HTMLElement, { series, kind, format, shown }: Look): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const font = '12px system-ui, sans-serif';
  const axis = { stroke: color('--muted'), font, ticks: { show: false }, grid: { stroke: color('--line'), width: 1 } };
  const strokes = [color('--accent'), color('--warm')];
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: true, range: (_, min, max) => [...(shown.current ?? [min, max])] as [number, number] },
      y: { range: (_, _min, max) => [0, Math.max(max * 1.15, 1e-3)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: 64,
        values: (_, splits) => splits.map((at) => when(at, kind)),
      },
      { ...axis, size: 58, values: (_, values) => values.map(format) },
    ],
    series: [
      {},
      ...series.map((name, i) => ({
        label: name,
        stroke: strokes[i]!,
        ...(kind === 'bars'
          ? {
              fill: strokes[i]!,
              width: 0,
              paths: uPlot.paths.bars!({ size: [0.7, 28], radius: 0.15 }),
              points: { show: false },
            }
          : { width: 2, spanGaps: true, points: { show: true, size: 5, fill: strokes[i]! } }),
      })),
    ],
  };
}
