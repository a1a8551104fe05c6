/**
 * Live streams carried without a stall: each listener plays in real time from its first sample, and of a thousand streams one
 * may run dry for 50 ms. By bisection, over HTTP and over the WebSocket with a writer of 20 tokens a second, arrivals spread and
 * in one burst; next to it the saturated speed, first audio, memory, and what the gateway costs a stream.
 *
 *   npm run bench -- streams [--models base-tts-fast,base-tts] [--routes http,socket] [--arrivals spread,burst]
 *                            [--rounds 2] [--seconds 20] [--most 1000] [--policy fifo] [--engine kokoro|sine] [--flags "--workers 2"] [--svg FILE]
 */
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { createHttpClient } from '../src/client/http.js';
import { type Arrivals, findCapacity, quantile, saturate } from '../src/client/load/capacity.js';
import { httpListener, type Listen, socketListener } from '../src/client/load/listener.js';
import { type BenchServer, startServer } from './serve.js';

export const VOICE = 'english_female_professional';
const TOKENS_PER_SECOND = 20;
/** About 13 seconds of speech each. */
export const TEXTS = [
  'The two of them walked along the river until the lights of the town were far behind, and neither said a word. It was cold for the time of year, and the old bridge lay in the dark. They stopped there for a while.',
  'Somebody had left a lantern on the wall, still burning, with a folded letter under it. He shook his head, put it into his coat, and they went on. Later, when the rain began, he wished that he had listened to her.',
  'It was late in the evening when the last train came in, and nobody was waiting for it. The lamps along the platform went out one by one. Somewhere behind the station a dog barked twice, then thought better of it.',
  'Nobody in the office could say who had ordered the clocks. They came on a Tuesday, forty of them, each in its own wooden box. By Friday every desk had one, and no two of them told the same time of day.',
];

interface Row {
  readonly model: string;
  readonly route: string;
  readonly arrivals: string;
  readonly streams: number;
  readonly saturated: number;
  readonly first: readonly [number, number];
  readonly memoryMb: number;
  readonly gatewayShare: number;
}

/** Seconds of CPU a process has had. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function measure(
  server: BenchServer,
  listen: Listen,
  arrivals: Arrivals,
  limits: { saturated: number; rounds: number; most: number },
): Promise<Omit<Row, 'model' | 'route' | 'arrivals' | 'saturated'>> {
  const { signal } = new AbortController();
  let cpuBefore = await cpuSeconds(server.pid);
  let share = 0;
  let memoryMb = 0;
  const options = { listen, texts: TEXTS, arrivals, rounds: limits.rounds };
  const best = await findCapacity(
    options,
    {
      from: Math.max(1, limits.saturated / 2),
      most: limits.most,
      async onTrial(trial) {
        const cpu = await cpuSeconds(server.pid);
        if (trial.carried) share = (cpu - cpuBefore) / (trial.wallMs / 1000) / trial.streams;
        cpuBefore = cpu;
        if (trial.carried) memoryMb = await server.memoryMb();
        process.stderr.write(
          `  ${arrivals} ${trial.streams}: ${trial.carried ? 'carried' : `${trial.stalled} stalled, ${trial.lost} lost`}\n`,
        );
      },
    },
    signal,
  );
  const first = (best?.heard ?? []).map(({ firstAudioMs }) => firstAudioMs);
  return {
    streams: best?.streams ?? 0,
    first: [quantile(first, 0.5), quantile(first, 0.95)],
    memoryMb,
    gatewayShare: share,
  };
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      models: { type: 'string', default: 'base-tts-fast,base-tts' },
      routes: { type: 'string', default: 'http,socket' },
      arrivals: { type: 'string', default: 'spread,burst' },
      rounds: { type: 'string', default: '2' },
      seconds: { type: 'string', default: '20' },
      most: { type: 'string', default: '1000' },
      policy: { type: 'string', default: 'deadline' },
      engine: { type: 'string', default: 'kokoro' },
      flags: { type: 'string', default: '' },
      svg: { type: 'string', default: '' },
    },
  });
  const server = await startServer(
    { TTS_ENGINE: values.engine, TTS_POLICY: values.policy },
    values.flags.split(' ').filter(Boolean),
  );
  const address = { baseUrl: server.baseUrl, apiKey: server.key };
  const { signal } = new AbortController();
  const rows: Row[] = [];
  process.stdout.write(
    'model          route   arrivals  streams  saturated  streams/saturated  first audio p50 / p95 ms  memory MB  gateway % of a core a stream\n',
  );
  for (const model of values.models.split(',')) {
    const client = createHttpClient(address);
    const listeners: Record<string, Listen> = {
      http: httpListener(client, { model, voice: VOICE }),
      socket: socketListener(
        { ...address, voice: VOICE, params: { model_id: model as 'base-tts' } },
        TOKENS_PER_SECOND,
      ),
    };
    await listeners.http!(TEXTS[0]!, signal);
    const crowd = { clients: Math.max(8, availableParallelism() * 4), seconds: Number(values.seconds) };
    const saturated = await saturate({ listen: listeners.http!, texts: TEXTS }, crowd, signal);
    for (const route of values.routes.split(',')) {
      for (const arrivals of values.arrivals.split(',') as Arrivals[]) {
        const limits = { saturated, rounds: Number(values.rounds), most: Number(values.most) };
        const row = {
          model,
          route,
          arrivals,
          saturated,
          ...(await measure(server, listeners[route]!, arrivals, limits)),
        };
        rows.push(row);
        process.stdout.write(`${line(row)}\n`);
      }
    }
    client.close();
  }
  await server.stop();
  if (values.svg !== '') await writeFile(values.svg, picture(rows));
}

const line = ({ model, route, arrivals, streams, saturated, first, memoryMb, gatewayShare }: Row): string =>
  [
    model.padEnd(13),
    route.padEnd(6),
    arrivals.padEnd(8),
    String(streams).padStart(7),
    `${saturated.toFixed(1)} ×`.padStart(9),
    (streams / saturated).toFixed(2).padStart(17),
    `${first[0].toFixed(0)} / ${first[1].toFixed(0)}`.padStart(24),
    memoryMb.toFixed(0).padStart(9),
    (gatewayShare * 100).toFixed(2).padStart(28),
  ].join('  ');

/** A bar for every row: what is carried, against the speed of the machine as its frame. */
function picture(rows: readonly Row[]): string {
  const [width, height, left, top] = [760, 34, 230, 44];
  const scale = (width - left - 70) / Math.max(...rows.map(({ saturated, streams }) => Math.max(saturated, streams)));
  const bars = rows.map(({ model, route, arrivals, streams, saturated }, index) => {
    const y = top + index * height;
    return `<text x="${left - 12}" y="${y + 16}" text-anchor="end">${model}, ${route}, ${arrivals}</text>
<rect x="${left}" y="${y}" width="${(saturated * scale).toFixed(1)}" height="22" class="frame"/>
<rect x="${left}" y="${y}" width="${(streams * scale).toFixed(1)}" height="22" class="bar"/>
<text x="${(left + Math.max(streams, saturated) * scale + 8).toFixed(1)}" y="${y + 16}">${streams}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + rows.length * height + 8}" font-family="system-ui, sans-serif" font-size="13">
<title>Live streams without a stall</title>
<style>text{fill:#57606a}.bar{fill:#2f81f7}.frame{fill:none;stroke:#8c959f;stroke-dasharray:3 3}</style>
<text x="${left}" y="24" font-weight="600">Live streams without a stall (frame: × real time when saturated)</text>
${bars.join('\n')}
</svg>
`;
}
