/**
 * How many live listeners this machine carries, in one table and one picture. Each plays in real time from its first sample; a stall is
 * 50 ms of silence, and one stream in a thousand may have one. Whoever waits more than a second for his first sound (three where all come
 * at once, four times what a lone listener waits where that is longer) is not carried either, and nor is whoever is refused. Every
 * listener hears three texts, one after the other. By bisection, next to the saturated speed: arrivals spread and in one burst, beside
 * clients that want whole answers without end (eight for each engine process), over the WebSocket with a writer of 20 tokens a second,
 * first come first served for comparison; then twice as many listeners as can be carried.
 *
 *   npm run bench -- streams [--models base-tts-fast,base-tts] [--parts spread,burst,beside,socket,socket-burst,double,fifo] [--seconds 10]
 *                            [--rounds 3] [--precision 0.05] [--tries 1] [--engine kokoro|sine] [--flags="--workers 2"] [--svg FILE]
 */
import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Arrivals, findCapacity, quantile, saturate, type Trial } from '../src/client/load/capacity.js';
import type { Listen, Listened } from '../src/client/load/listener.js';
import { TtsError } from '../src/protocol/errors.js';
import { type Listeners, type Route, startListeners } from './listeners.js';
import { type BenchServer, cpuSeconds, startServer } from './serve.js';

export const VOICE = 'english_female_professional';
const TOKENS_PER_SECOND = 20;
/** About 13 seconds of speech each. */
export const TEXTS = [
  'The two of them walked along the river until the lights of the town were far behind, and neither said a word. It was cold for the time of year, and the old bridge lay in the dark. They stopped there for a while.',
  'Somebody had left a lantern on the wall, still burning, with a folded letter under it. He shook his head, put it into his coat, and they went on. Later, when the rain began, he wished that he had listened to her.',
  'It was late in the evening when the last train came in, and nobody was waiting for it. The lamps along the platform went out one by one. Somewhere behind the station a dog barked twice, then thought better of it.',
  'Nobody in the office could say who had ordered the clocks. They came on a Tuesday, forty of them, each in its own wooden box. By Friday every desk had one, and no two of them told the same time of day.',
];
/** About 6 seconds each, so that three of them are soon heard. */
const SHORT_TEXTS = [
  'The two of them walked along the river until the lights were far behind. Neither of them said a word.',
  'Somebody had left a lantern on the wall, still burning. Under it there was a letter, folded in half.',
  'It was late when the last train came in, and nobody was waiting for it. The lamps went out one by one.',
  'Nobody in the office could say who had ordered the clocks. They came on a Tuesday, forty of them.',
  'Later, when the rain began, he wished that he had listened to her. The old bridge lay in the dark.',
];
const PARTS = ['spread', 'burst', 'beside', 'socket', 'socket-burst', 'double', 'fifo'] as const;
type Part = (typeof PARTS)[number];
const LONE_ROUNDS = 12;
/** What a listener waits for his first sound at most. */
const FIRST_WITHIN_MS: Readonly<Record<Arrivals, number>> = { spread: 1_000, burst: 3_000 };
const FIRST_WITHIN_TIMES = 4;
/** After a trial that was broken off its streams have to be cleared away. */
const CLEAR_MS = 1_500;
const WARM_UP_SECONDS = 6;
/** What is less than this share of the saturated speed is not looked for. */
const LEAST = 0.05;
const { signal } = new AbortController();
setMaxListeners(0, signal);

interface Bar {
  readonly label: string;
  readonly streams: number;
  /** The speed of the machine, which they are measured against. */
  readonly frame: number;
}

interface Load {
  readonly name: string;
  readonly route: Route;
  readonly arrivals: Arrivals;
  /** Clients of whole answers keep the machine busy meanwhile. */
  readonly beside?: boolean;
  /** Shares of the saturated speed: where the search begins, and what is wanted. */
  readonly from: number;
  readonly wanted?: number;
}

const LOADS: Readonly<Partial<Record<Part, Load>>> = {
  spread: { name: 'arrivals spread', route: 'http', arrivals: 'spread', from: 0.9, wanted: 0.8 },
  burst: { name: 'in one burst', route: 'http', arrivals: 'burst', from: 0.6, wanted: 0.6 },
  beside: { name: 'spread, beside whole answers', route: 'http', arrivals: 'spread', beside: true, from: 0.85 },
  socket: { name: 'WebSocket, 20 tokens a second, spread', route: 'socket', arrivals: 'spread', from: 0.9 },
  'socket-burst': { name: 'WebSocket, 20 tokens a second, burst', route: 'socket', arrivals: 'burst', from: 0.6 },
};
/** Clients of whole answers, for each engine process there may be. */
const WHOLE_CLIENTS = 8;

const row = (what: string, figure: string, wanted = ''): void => {
  process.stdout.write(`${what.padEnd(52)} ${figure.padEnd(54)} ${wanted}`.trimEnd().concat('\n'));
};
const ms = (values: readonly number[]): string =>
  `p50 ${quantile(values, 0.5).toFixed(0)} ms, p95 ${quantile(values, 0.95).toFixed(0)} ms`;
const firstsOf = (heard: readonly Listened[]): number[] => heard.map(({ firstAudioMs }) => firstAudioMs);

async function lone(listen: Listen): Promise<number[]> {
  const heard: Listened[] = [];
  for (let i = 0; i <= LONE_ROUNDS; i++) heard.push(await listen(SHORT_TEXTS[i % SHORT_TEXTS.length]!, signal));
  return firstsOf(heard.slice(1));
}

/** So many listeners come over the length of a text and hear three each; whoever is refused goes away. */
async function offer(server: BenchServer, listen: Listen, listeners: number, rounds: number) {
  const heard: Listened[] = [];
  const retryAfterS: number[] = [];
  const { audioMs } = await listen(SHORT_TEXTS[0]!, signal);
  let memoryMb = 0;
  const watch = setInterval(async () => {
    memoryMb = Math.max(memoryMb, await server.memoryMb());
  }, 3_000);
  await Promise.all(
    Array.from({ length: listeners }, async (_, number) => {
      await sleep((number / listeners) * audioMs);
      for (let round = 0; round < rounds; round++) {
        try {
          const one = await listen(SHORT_TEXTS[(number + round) % SHORT_TEXTS.length]!, signal);
          heard.push(one);
          await sleep(Math.max(0, one.playedOutAtMs - performance.now()));
        } catch (error) {
          if (!(error instanceof TtsError && error.code === 'overloaded')) throw error;
          retryAfterS.push(error.retryAfterS ?? 0);
          await sleep(audioMs);
        }
      }
    }),
  );
  clearInterval(watch);
  return { heard, retryAfterS, memoryMb };
}

/** One model on servers of its own. */
class Measurement {
  readonly bars: Bar[] = [];
  readonly #model: string;
  readonly #options: Options;
  readonly #refusedMs: number[] = [];
  /** As many as there may be. */
  #processes = 1;
  #saturated = 0;
  #loneMs = 0;
  readonly #carried = new Map<Part, number>();

  constructor(model: string, options: Options) {
    this.#model = model;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { parts } = this.#options;
    row('model', this.#model);
    await this.#with('deadline', async (server, listeners) => {
      const listen = listeners.listen.http;
      this.#processes = await server.metric('tts_workers_most');
      row('engine processes', `${(await server.engines()).length}, up to ${this.#processes}`);
      await sleep(2_000);
      row('memory of an idle server', `${(await server.memoryMb()).toFixed(0)} MB`);
      const alone = await lone(listen);
      this.#loneMs = quantile(alone, 0.5);
      row('first sound of a lone listener', ms(alone));
      await this.#saturate(server, listeners);
      for (const part of parts) {
        const load = LOADS[part];
        if (load !== undefined) await this.#measure(part, load, server, listeners);
      }
      if (parts.includes('double')) {
        await this.#double(server, listen);
        row('first sound of the next lone listener', ms(await lone(listen)), 'wanted: as above');
      }
    });
    if (parts.includes('fifo')) await this.#with('fifo', (server, listeners) => this.#fifo(server, listeners));
  }

  async #with(policy: string, work: (server: BenchServer, listeners: Listeners) => Promise<void>): Promise<void> {
    const { engine, flags } = this.#options;
    const server = await startServer({ TTS_ENGINE: engine, TTS_POLICY: policy }, flags);
    const listeners = startListeners({
      server,
      model: this.#model,
      voice: VOICE,
      tokensPerSecond: TOKENS_PER_SECOND,
      processes: Math.max(1, Math.min(4, Math.floor(availableParallelism() / 4))),
      onRefused: (tookMs) => this.#refusedMs.push(tookMs),
    });
    try {
      await work(server, listeners);
    } finally {
      listeners.close();
      await server.stop();
    }
  }

  get #crowd(): { clients: number; seconds: number } {
    return { clients: Math.max(8, this.#processes * 8), seconds: this.#options.seconds };
  }

  async #saturate(server: BenchServer, { listen }: Listeners): Promise<void> {
    const loneMb = await server.memoryMb();
    const load = { listen: listen.http, texts: SHORT_TEXTS };
    // The processes come while work waits.
    await saturate(load, { ...this.#crowd, seconds: WARM_UP_SECONDS }, signal);
    this.#saturated = await saturate(load, this.#crowd, signal);
    this.bars.push({ label: `${this.#model}, × real time`, streams: this.#saturated, frame: this.#saturated });
    row('saturated speed', `${this.#saturated.toFixed(1)} × real time`);
    const processes = (await server.engines()).length;
    const fullMb = await server.memoryMb();
    const further =
      processes > 1 ? `, ${((fullMb - loneMb) / (processes - 1)).toFixed(0)} MB each further process` : '';
    row(`memory with ${processes} processes`, `${fullMb.toFixed(0)} MB${further}`);
  }

  async #measure(part: Part, load: Load, server: BenchServer, listeners: Listeners): Promise<void> {
    let usage = '';
    const before = { gateway: 0, listeners: 0 };
    const look = async () => ({ gateway: await cpuSeconds(server.pid), listeners: await listeners.cpuSeconds() });
    Object.assign(before, await look());
    const best = await this.#search(load, listeners, async ({ carried, streams, wallMs }) => {
      const now = await look();
      const share = (used: number) => ((used / wallMs) * 100_000) / streams;
      if (carried)
        usage = `${share(now.gateway - before.gateway).toFixed(2)} % of a core a stream, its listeners ${share(now.listeners - before.listeners).toFixed(2)} %`;
      Object.assign(before, now);
    });
    const streams = best?.streams ?? 0;
    this.#carried.set(part, streams);
    this.bars.push({ label: `${this.#model}, ${load.name}`, streams, frame: this.#saturated });
    row(
      `streams without a stall, ${load.name}`,
      `${streams} = ${(streams / this.#saturated).toFixed(2)} × saturated, first sound ${ms(firstsOf(best?.heard ?? []))}`,
      load.wanted === undefined ? '' : `wanted: ≥ ${load.wanted} ×`,
    );
    if (part === 'spread') row('the gateway', usage, 'wanted: ≤ 1 %');
  }

  async #search(load: Load, { listen }: Listeners, onTrial?: (trial: Trial) => Promise<void>) {
    const { rounds, precision, tries } = this.#options;
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const text = SHORT_TEXTS.join(' ');
    const bulk = load.beside
      ? Array.from({ length: WHOLE_CLIENTS * this.#processes }, async () => {
          while (!stop.signal.aborted) await listen.whole(text, stop.signal).catch(() => undefined);
        })
      : [];
    const { arrivals, route } = load;
    const firstWithinMs = Math.max(FIRST_WITHIN_MS[arrivals], FIRST_WITHIN_TIMES * this.#loneMs);
    const best = await findCapacity(
      { listen: listen[route], texts: SHORT_TEXTS, arrivals, rounds, firstWithinMs },
      {
        from: Math.max(1, Math.round(this.#saturated * load.from)),
        most: Math.max(1, Math.ceil(this.#saturated)),
        least: Math.floor(this.#saturated * LEAST),
        precision,
        tries,
        async onTrial(trial) {
          const { streams, carried, stalled, late, lost, heard } = trial;
          const how = carried ? 'carried' : `${stalled} stalled, ${late} late, ${lost} refused`;
          process.stderr.write(`  ${load.name} ${streams}: ${how}; first sound ${ms(firstsOf(heard))}\n`);
          await onTrial?.(trial);
          if (!carried) await sleep(CLEAR_MS);
        },
      },
      signal,
    );
    stop.abort();
    await Promise.all(bulk);
    return best;
  }

  async #double(server: BenchServer, listen: Listen): Promise<void> {
    const offered = Math.ceil(2 * this.#saturated);
    this.#refusedMs.length = 0;
    const { heard, retryAfterS, memoryMb } = await offer(server, listen, offered, this.#options.rounds);
    const stalled = heard.filter((one) => one.stalled).length;
    const refusedMs = this.#refusedMs;
    row(`${offered} listeners at once, twice what is made`, '');
    row(`  ${heard.length} texts taken`, `${stalled} stalled, first sound ${ms(firstsOf(heard))}`, 'wanted: ≤ 0.1 %');
    const slowest = refusedMs.length === 0 ? '' : `${ms(refusedMs)}, most ${Math.max(...refusedMs).toFixed(0)} ms`;
    row(`  ${refusedMs.length} refused`, slowest, 'wanted: < 50 ms');
    if (retryAfterS.length > 0)
      row('  told to come back', `in ${Math.min(...retryAfterS)} to ${Math.max(...retryAfterS)} s`);
    row('  memory, at most', `${memoryMb.toFixed(0)} MB`);
    row(
      '  p99 of the delay of its event loop',
      `${((await server.metric('tts_nodejs_eventloop_lag_p99_seconds')) * 1000).toFixed(0)} ms`,
    );
  }

  async #fifo(_server: BenchServer, listeners: Listeners): Promise<void> {
    const load = { listen: listeners.listen.http, texts: SHORT_TEXTS };
    await saturate(load, { ...this.#crowd, seconds: WARM_UP_SECONDS }, signal);
    for (const [part, ours] of this.#carried) {
      const compared = LOADS[part]!;
      if (compared.route !== 'http') continue;
      const streams = (await this.#search(compared, listeners))?.streams ?? 0;
      this.bars.push({
        label: `${this.#model}, ${compared.name}, first come`,
        streams,
        frame: this.#saturated,
      });
      const fewer = `fewer than ${Math.max(1, Math.floor(this.#saturated * LEAST))}`;
      const figure = streams === 0 ? fewer : `${streams}: ours are ${(ours / streams).toFixed(2)} ×`;
      row(`first come, first served, ${compared.name}`, figure);
    }
  }
}

interface Options {
  readonly parts: readonly Part[];
  readonly engine: string;
  readonly flags: readonly string[];
  readonly seconds: number;
  readonly rounds: number;
  readonly precision: number;
  readonly tries: number;
}

export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      models: { type: 'string', default: 'base-tts-fast,base-tts' },
      parts: { type: 'string', default: PARTS.join() },
      engine: { type: 'string', default: 'kokoro' },
      flags: { type: 'string', default: '' },
      seconds: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '3' },
      precision: { type: 'string', default: '0.05' },
      tries: { type: 'string', default: '1' },
      svg: { type: 'string', default: '' },
    },
  });
  const startedMs = performance.now();
  row(
    'machine',
    `${cpus()[0]?.model ?? process.arch}, ${availableParallelism()} cores, ${(totalmem() / 1e9).toFixed(0)} GB`,
  );
  const bars: Bar[] = [];
  const parts = values.parts.split(',') as Part[];
  // There has to be something to compare.
  if (parts.every((part) => LOADS[part] === undefined) && parts.includes('fifo')) parts.unshift('beside');
  for (const model of values.models.split(',')) {
    const measurement = new Measurement(model, {
      parts,
      engine: values.engine,
      flags: values.flags.split(' ').filter(Boolean),
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
      precision: Number(values.precision),
      tries: Number(values.tries),
    });
    await measurement.run();
    bars.push(...measurement.bars);
    if (values.svg !== '') await writeFile(values.svg, picture(bars));
  }
  row('measured in', `${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
}

/** A bar for every row: what is carried, against the speed of the machine as its frame. */
function picture(bars: readonly Bar[]): string {
  const [width, height, left, top] = [860, 30, 400, 44];
  const scaleOf = ({ frame }: Bar) => (width - left - 70) / (1.1 * frame);
  const drawn = bars.map((bar, index) => {
    const y = top + index * height;
    const [scale, streams] = [scaleOf(bar), bar.streams];
    return `<text x="${left - 12}" y="${y + 15}" text-anchor="end">${bar.label}</text>
<rect x="${left}" y="${y}" width="${(bar.frame * scale).toFixed(1)}" height="20" class="frame"/>
<rect x="${left}" y="${y}" width="${(streams * scale).toFixed(1)}" height="20" class="bar"/>
<text x="${(left + Math.max(bar.frame, streams) * scale + 8).toFixed(1)}" y="${y + 15}">${streams.toFixed(streams % 1 === 0 ? 0 : 1)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + bars.length * height + 8}" font-family="system-ui, sans-serif" font-size="13">
<title>Live streams without a stall</title>
<style>text{fill:#57606a}.bar{fill:#2f81f7}.frame{fill:none;stroke:#8c959f;stroke-dasharray:3 3}</style>
<text x="12" y="24" font-weight="600">Live streams without a stall (frame: × real time when saturated)</text>
${drawn.join('\n')}
</svg>
`;
}
