/**
 * How many live listeners this machine carries, in one table and one picture. Each plays in real
 * time from its first sample. A stall is 50 ms of silence, and one stream in a thousand may have
 * one. A listener that is refused, or waits more than a second for first audio (three where all
 * come at once, four times what a single listener waits where that is longer), is not carried.
 * Every listener hears three texts, one after the other. By bisection, next to the saturated speed:
 * arrivals spread and in one burst, beside clients that want buffered responses without end (eight
 * for each engine process), over the WebSocket with a writer of 20 tokens a second, first come
 * first served for comparison; then twice as many listeners as can be carried.
 *
 *   npm run bench -- streams [--models base-tts-fast,base-tts]
 *                            [--parts spread,burst,beside,socket,socket-burst,double,fifo]
 *                            [--seconds 10] [--rounds 3] [--precision 0.05] [--tries 1]
 *                            [--engine kokoro|sine] [--flags="--workers 2"] [--svg FILE]
 */
import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Arrivals, findCapacity, quantile, saturate, type Trial } from '../../src/client/load/capacity.js';
import type { Listen, Listened } from '../../src/client/load/listener.js';
import { TtsError } from '../../src/protocol/errors.js';
import { type BenchServer, cpuSeconds, startServer } from '../support/serve.js';
import { VOICE } from '../support/texts.js';
import { type Bar, chart } from './chart.js';
import { type Listeners, startListeners } from './listeners.js';
import { LOADS, type Load, PARTS, type Part, SHORT_TEXTS } from './loads.js';

const TOKENS_PER_SECOND = 20;
const LONE_ROUNDS = 12;
/** What a listener waits for first audio at most. */
const FIRST_WITHIN_MS: Readonly<Record<Arrivals, number>> = { spread: 1_000, burst: 3_000 };
const FIRST_WITHIN_TIMES = 4;
/** After a trial that was broken off its streams have to be cleared away. */
const CLEAR_MS = 1_500;
const WARM_UP_SECONDS = 6;
/** What is less than this share of the saturated speed is not looked for. */
const LEAST = 0.05;
const { signal } = new AbortController();
setMaxListeners(0, signal);

/** Clients of buffered responses, for each engine process there may be. */
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

/** Listeners that come over the length of a text and hear several; a refused one goes away. */
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
    if (values.svg !== '') await writeFile(values.svg, chart(bars));
  }
  row('measured in', `${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
}
