/**
 * What a machine carries by default, in a few minutes, as one table: the first sound of a lone listener, the saturated speed, live
 * streams without a stall next to it, first come first served for comparison, twice as many listeners as can be carried, and memory.
 * The number of streams is looked for from above, in steps of 5 % of the saturated speed.
 *
 *   npm run bench -- carry [--models base-tts-fast] [--seconds 15] [--tries 1] [--from 1] [--engine kokoro|sine] [--svg FILE]
 */
import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createHttpClient } from '../src/client/http.js';
import { type Arrivals, quantile, saturate, type Trial, tryStreams } from '../src/client/load/capacity.js';
import { httpListener, type Listen, type Listened } from '../src/client/load/listener.js';
import { TtsError } from '../src/protocol/errors.js';
import { type BenchServer, startServer } from './serve.js';
import { cpuSeconds, TEXTS, VOICE } from './streams.js';

const { signal } = new AbortController();
setMaxListeners(0, signal);
const LONE_ROUNDS = 12;
const STEP = 0.05;

interface Bar {
  readonly label: string;
  readonly streams: number;
}

const row = (what: string, figure: string, wanted = ''): void => {
  process.stdout.write(`${what.padEnd(44)} ${figure.padEnd(46)} ${wanted}\n`);
};
const ms = (values: readonly number[]): string =>
  `p50 ${quantile(values, 0.5).toFixed(0)} ms, p95 ${quantile(values, 0.95).toFixed(0)} ms`;

async function lone(listen: Listen): Promise<number[]> {
  const first: number[] = [];
  for (let i = 0; i <= LONE_ROUNDS; i++) {
    const heard = await listen(TEXTS[i % TEXTS.length]!, signal);
    if (i > 0) first.push(heard.firstAudioMs);
  }
  return first;
}

/** The first share of `saturated` from `from` down that is carried. */
async function ladder(
  listen: Listen,
  { arrivals, saturated, from, tries }: { arrivals: Arrivals; saturated: number; from: number; tries: number },
  around: { before?: () => Promise<void>; after?: (trial: Trial) => Promise<void> } = {},
): Promise<Trial | undefined> {
  let last = 0;
  for (let share = from; share > STEP / 2; share -= STEP) {
    const streams = Math.max(1, Math.floor(share * saturated));
    if (streams === last) continue;
    last = streams;
    for (let attempt = 0; attempt < tries; attempt++) {
      await around.before?.();
      const trial = await tryStreams(streams, { listen, texts: TEXTS, arrivals, rounds: 1 }, signal);
      process.stderr.write(
        `  ${arrivals} ${streams}: ${trial.carried ? 'carried' : `${trial.stalled} stalled, ${trial.lost} refused`}\n`,
      );
      if (!trial.carried) continue;
      await around.after?.(trial);
      return trial;
    }
  }
  return undefined;
}

/** So many listeners come over the length of a text; whoever is refused goes away. */
async function offer(server: BenchServer, listen: Listen, listeners: number, overMs: number) {
  const heard: Listened[] = [];
  const refusedMs: number[] = [];
  const retryAfterS: number[] = [];
  let memoryMb = 0;
  await Promise.all(
    Array.from({ length: listeners }, async (_, number) => {
      await sleep((number / listeners) * overMs);
      if (number === Math.floor(listeners * 0.9)) memoryMb = await server.memoryMb();
      const startMs = performance.now();
      try {
        heard.push(await listen(TEXTS[number % TEXTS.length]!, signal));
      } catch (error) {
        if (!(error instanceof TtsError && error.code === 'overloaded')) throw error;
        refusedMs.push(performance.now() - startMs);
        retryAfterS.push(error.retryAfterS ?? 0);
      }
    }),
  );
  return { heard, refusedMs, retryAfterS, memoryMb };
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      models: { type: 'string', default: 'base-tts-fast' },
      seconds: { type: 'string', default: '15' },
      tries: { type: 'string', default: '1' },
      from: { type: 'string', default: '1' },
      engine: { type: 'string', default: 'kokoro' },
      svg: { type: 'string', default: '' },
    },
  });
  const tries = Number(values.tries);
  const startedMs = performance.now();
  row(
    'machine',
    `${cpus()[0]?.model ?? process.arch}, ${availableParallelism()} cores, ${(totalmem() / 1e9).toFixed(0)} GB`,
  );
  const bars: Bar[] = [];
  for (const model of values.models.split(',')) {
    const server = await startServer({ TTS_ENGINE: values.engine });
    const client = createHttpClient({ baseUrl: server.baseUrl, apiKey: server.key });
    const listen = httpListener(client, { model, voice: VOICE });
    row('model', model);
    row('engine processes', `1, up to ${await server.metric('tts_workers_most')}`);
    await sleep(3_000);
    const idleMb = await server.memoryMb();
    row('memory of an idle server', `${idleMb.toFixed(0)} MB`);
    row('first sound of a lone listener', ms(await lone(listen)));
    const loneMb = await server.memoryMb();
    const crowd = { clients: Math.max(8, availableParallelism() * 8), seconds: Number(values.seconds) };
    // The processes come while work waits.
    await saturate({ listen, texts: TEXTS }, { ...crowd, seconds: 6 }, signal);
    const saturated = await saturate({ listen, texts: TEXTS }, crowd, signal);
    bars.push({ label: `${model}: × real time, saturated`, streams: saturated });
    row('saturated speed, no option given', `${saturated.toFixed(1)} × real time`);
    const processes = (await server.engines()).length;
    const fullMb = await server.memoryMb();
    const further =
      processes > 1 ? `, ${((fullMb - loneMb) / (processes - 1)).toFixed(0)} MB each further process` : '';
    row(`memory with ${processes} processes`, `${fullMb.toFixed(0)} MB${further}`);

    let cpuBefore = 0;
    let share = 0;
    const carried: Partial<Record<Arrivals, number>> = {};
    for (const [arrivals, from, wanted] of [
      ['spread', Number(values.from), 0.8],
      ['burst', 0.9, 0.6],
    ] as const) {
      const best = await ladder(
        listen,
        { arrivals, saturated, from, tries },
        {
          before: async () => {
            cpuBefore = await cpuSeconds(server.pid);
          },
          after: async ({ wallMs, streams }) => {
            if (arrivals === 'spread') share = ((await cpuSeconds(server.pid)) - cpuBefore) / (wallMs / 1000) / streams;
          },
        },
      );
      const streams = best?.streams ?? 0;
      carried[arrivals] = streams;
      bars.push({ label: `${model}: streams, ${arrivals}`, streams });
      const first = best === undefined ? '' : `, first sound ${ms(best.heard.map(({ firstAudioMs }) => firstAudioMs))}`;
      const ratio = `${streams} = ${(streams / saturated).toFixed(2)} × saturated${first}`;
      row(`live streams without a stall, ${arrivals}`, ratio, `wanted: ≥ ${wanted} ×`);
    }
    row('the gateway, a stream', `${(share * 100).toFixed(2)} % of a core`, 'wanted: ≤ 1 %');

    const offered = Math.ceil(2 * saturated);
    const { audioMs } = await listen(TEXTS[0]!, signal);
    const over = await offer(server, listen, offered, audioMs);
    const stalled = over.heard.filter((one) => one.stalled).length;
    row(
      `${offered} listeners offered, twice what is made`,
      `${over.heard.length} heard, ${stalled} of them stalled`,
      'wanted: ≤ 0.1 %',
    );
    const slowest =
      over.refusedMs.length === 0 ? 'none' : `${ms(over.refusedMs)}, most ${Math.max(...over.refusedMs).toFixed(0)} ms`;
    row(`${over.refusedMs.length} refused`, slowest, 'wanted: < 50 ms');
    row(
      'told to come back',
      over.retryAfterS.length === 0 ? '' : `in ${Math.min(...over.retryAfterS)} to ${Math.max(...over.retryAfterS)} s`,
    );
    row('memory meanwhile', `${over.memoryMb.toFixed(0)} MB`);
    row('first sound of the next lone listener', ms(await lone(listen)), 'wanted: as above');
    client.close();
    await server.stop();

    const plain = await startServer({ TTS_ENGINE: values.engine, TTS_POLICY: 'fifo' });
    const other = createHttpClient({ baseUrl: plain.baseUrl, apiKey: plain.key });
    const served = httpListener(other, { model, voice: VOICE });
    await saturate({ listen: served, texts: TEXTS }, { ...crowd, seconds: 6 }, signal);
    const fifo = (await ladder(served, { arrivals: 'spread', saturated, from: 0.7, tries }))?.streams ?? 0;
    bars.push({ label: `${model}: first come, first served`, streams: fifo });
    const times = fifo === 0 ? '' : `: ours are ${((carried.spread ?? 0) / fifo).toFixed(2)} ×`;
    row('live streams, first come, first served', `${fifo}${times}`, 'wanted: ≥ 1.7 ×');
    other.close();
    await plain.stop();
  }
  row('measured in', `${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  if (values.svg !== '') await writeFile(values.svg, picture(bars));
}

function picture(bars: readonly Bar[]): string {
  const [width, height, left, top] = [760, 34, 290, 44];
  const scale = (width - left - 70) / Math.max(...bars.map(({ streams }) => streams));
  const drawn = bars.map(({ label, streams }, index) => {
    const y = top + index * height;
    const kind = label.includes('saturated') ? 'frame' : 'bar';
    return `<text x="${left - 12}" y="${y + 16}" text-anchor="end">${label}</text>
<rect x="${left}" y="${y}" width="${(streams * scale).toFixed(1)}" height="22" class="${kind}"/>
<text x="${(left + streams * scale + 8).toFixed(1)}" y="${y + 16}">${streams.toFixed(streams % 1 === 0 ? 0 : 1)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + bars.length * height + 8}" font-family="system-ui, sans-serif" font-size="13">
<title>Live streams without a stall</title>
<style>text{fill:#57606a}.bar{fill:#2f81f7}.frame{fill:none;stroke:#8c959f;stroke-dasharray:3 3}</style>
<text x="${left}" y="24" font-weight="600">Live streams without a stall</text>
${drawn.join('\n')}
</svg>
`;
}
