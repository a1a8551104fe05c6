/** A small chart in the page's colours: lines or bars over time. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

export interface ChartProps {
  /** What is seen, in words, for those who do not see it. */
  readonly label: string;
  /** Times in seconds, then one row of values per series; null where there is nothing to draw. */
  readonly data: uPlot.AlignedData;
  readonly series: readonly string[];
  readonly kind: 'lines' | 'bars';
  readonly format: (value: number) => string;
  /** A label of the time axis. */
  readonly tick: (seconds: number) => string;
  /** The span of the time axis. */
  readonly range: readonly [number, number];
}

const HEIGHT = 190;

export function Chart({ label, data, series, kind, ...look }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const shown = useRef(look);
  shown.current = look;
  const latest = useRef(data);
  latest.current = data;
  useEffect(() => {
    const element = box.current!;
    const make = () => {
      chart.current?.destroy();
      chart.current = new uPlot(options(element, { series, kind, shown }), latest.current, element);
    };
    make();
    const observer = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    // The colours are the system's choice, or the page's own.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', make);
    const theme = new MutationObserver(make);
    theme.observe(document.documentElement, { attributes: true });
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', make);
      theme.disconnect();
      chart.current?.destroy();
    };
  }, [kind, series.join()]);
  useEffect(() => {
    chart.current?.setData(data);
  }, [data]);
  return <div ref={box} class="chart" role="img" aria-label={label} />;
}

interface Look extends Pick<ChartProps, 'series' | 'kind'> {
  readonly shown: { readonly current: Pick<ChartProps, 'format' | 'tick' | 'range'> };
}

/**
 * Lines end at a gap. The first of two lines is broad and the second thin over it, so that both are
 * seen where they are equal.
 */
function lineOf(name: string, stroke: string, isUnder: boolean): uPlot.Series {
  const width = isUnder ? 6 : 2;
  return {
    label: name,
    stroke,
    width,
    spanGaps: false,
    points: { show: true, size: width + 3, fill: stroke, width: 0 },
  };
}

const barsOf = (name: string, stroke: string): uPlot.Series => ({
  label: name,
  stroke,
  fill: stroke,
  width: 0,
  paths: uPlot.paths.bars!({ size: [0.7, 28], radius: 0.15 }),
  points: { show: false },
});

function options(element: HTMLElement, { series, kind, shown }: Look): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--muted'),
    font: '12px system-ui, sans-serif',
    ticks: { show: false },
    grid: { stroke: color('--line'), width: 1 },
  };
  const strokes = [color('--accent'), color('--warm')];
  if (kind === 'lines' && series.length > 1) strokes.reverse();
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: true, range: () => [...shown.current.range] as [number, number] },
      y: { range: (_, _min, max) => [0, Math.max(max * 1.15, 1e-3)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 30, space: 64, values: (_, at) => at.map((s) => shown.current.tick(s)) },
      { ...axis, size: 58, values: (_, values) => values.map((value) => shown.current.format(value)) },
    ],
    series: [
      {},
      ...series.map((name, i) =>
        kind === 'bars' ? barsOf(name, strokes[i]!) : lineOf(name, strokes[i]!, i === 0 && series.length > 1),
      ),
    ],
  };
}
