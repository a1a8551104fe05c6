/**
 * What a deployment needs: a discrete-event simulation of listeners, gateways, a broker and engines, with measured costs as its
 * inputs. It looks for the fewest engine cores with which nobody stalls, and tells what everything else then carries.
 *
 *   npm run bench -- sizing [--streams 1000,100000] [--engine-core-s 0.1] [--gateway-core-ms 2] …
 *   npm run bench -- sizing --measure [--seconds 10]     the costs of engine, gateway and broker on this machine
 *
 * docs/sizing.md says where the numbers that stand here as defaults come from.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createHttpClient } from '../src/client/http.js';
import { saturate } from '../src/client/load/capacity.js';
import { httpListener } from '../src/client/load/listener.js';
import { startNats } from '../testkit/nats.js';
import { startMachine } from './machines.js';
import { startServer } from './serve.js';

export interface Costs {
  /** Core seconds of an engine for a second of audio. */
  readonly engineCoreS: number;
  /** Of that, what the front takes before the first sound of a segment, as audio seconds' worth. */
  readonly frontShare: number;
  /** Core milliseconds of a gateway for a second of audio, and for a request. */
  readonly gatewayCoreMs: number;
  readonly gatewayRequestMs: number;
  /** One way through the broker. */
  readonly brokerMs: number;
  /** Megabytes a second that one broker passes on. */
  readonly brokerMBs: number;
  /** Requests a second that one database admits and settles. */
  readonly databasePerS: number;
  /** Admission, before any text is spoken. */
  readonly admitMs: number;
}

export interface Plan {
  readonly streams: number;
  readonly engines: number;
  readonly gateways: number;
  readonly brokers: number;
}

export interface Carried {
  readonly firstMs: { readonly p50: number; readonly p95: number; readonly p99: number };
  /** Share of segments that came after their listener had run dry. */
  readonly stalled: number;
  readonly engineLoad: number;
  readonly gatewayLoad: number;
}

/** As live listeners are: a request every so often, heard to its end, then the next. */
const REQUEST_S = [4, 36] as const;
const SEGMENT_S = 4;
/** What an engine makes in one turn, which cannot be interrupted. */
const TURN_S = 1;
/** Segments under way of a stream; more would only be held. */
const AHEAD_S = 6;
/** The first sound is due this soon after its text. */
const FIRST_DUE_S = 0.15;
const WARM_S = 10;
const RUN_S = 40;
/** PCM at 24 kHz, 16 bit, and the messages around it. */
const BYTES_PER_S = 48_000 * 1.03;

/** The smallest first: times with what happens then. */
class Heap<T> {
  readonly #keys: number[] = [];
  readonly #items: T[] = [];
  get size(): number {
    return this.#keys.length;
  }
  get least(): number {
    return this.#keys[0]!;
  }
  push(key: number, item: T): void {
    const [keys, items] = [this.#keys, this.#items];
    let at = keys.length;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (keys[up]! <= key) break;
      keys[at] = keys[up]!;
      items[at] = items[up]!;
      at = up;
    }
    keys[at] = key;
    items[at] = item;
  }
  pop(): T {
    const [keys, items] = [this.#keys, this.#items];
    const top = items[0]!;
    const key = keys.pop()!;
    const item = items.pop()!;
    const { length } = keys;
    if (length === 0) return top;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= length) break;
      if (down + 1 < length && keys[down + 1]! < keys[down]!) down++;
      if (keys[down]! >= key) break;
      keys[at] = keys[down]!;
      items[at] = items[down]!;
      at = down;
    }
    keys[at] = key;
    items[at] = item;
    return top;
  }
}

interface Stream {
  readonly gateway: number;
  /** When the text was there, and when the listener began to hear. */
  askedS: number;
  heardS: number;
  /** Seconds of audio: of the whole request, made, and arrived. */
  totalS: number;
  madeS: number;
  arrivedS: number;
}

/** The same game every time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function simulate({ streams, engines, gateways, brokers }: Plan, costs: Costs, seed = 20_261_115): Carried {
  const random = dice(seed);
  const endS = WARM_S + RUN_S;
  const events = new Heap<() => void>();
  const waiting = new Heap<Stream>();
  const gatewayFreeS = new Float64Array(gateways);
  const brokerFreeS = new Float64Array(brokers);
  const firstsMs: number[] = [];
  let [nowS, idle, turns, late, engineBusyS, gatewayBusyS] = [0, engines, 0, 0, 0, 0];

  /** Passes through one thing at a time, in the order of arrival; tells when it is through. */
  const through = (freeS: Float64Array, at: number, costS: number): number => {
    freeS[at] = Math.max(freeS[at]!, nowS) + costS;
    return freeS[at]!;
  };
  const viaGateway = (stream: Stream, costS: number): number => {
    if (nowS >= WARM_S) gatewayBusyS += costS;
    return through(gatewayFreeS, stream.gateway, costS);
  };
  const deadline = (stream: Stream): number =>
    stream.arrivedS === 0 ? stream.askedS + FIRST_DUE_S : stream.heardS + stream.madeS;

  function ready(stream: Stream): void {
    waiting.push(deadline(stream), stream);
    while (idle > 0 && waiting.size > 0) run(waiting.pop());
  }

  function run(stream: Stream): void {
    idle--;
    const audioS = Math.min(TURN_S, stream.totalS - stream.madeS);
    const beginsSegment = stream.madeS % SEGMENT_S < 1e-9;
    const costS = costs.engineCoreS * (audioS + (beginsSegment ? costs.frontShare : 0));
    if (nowS >= WARM_S) engineBusyS += costS;
    events.push(nowS + costS, () => {
      idle++;
      made(stream, audioS);
      while (idle > 0 && waiting.size > 0) run(waiting.pop());
    });
  }

  function made(stream: Stream, audioS: number): void {
    const dueS = stream.arrivedS === 0 ? Number.POSITIVE_INFINITY : stream.heardS + stream.madeS;
    stream.madeS += audioS;
    const broker = stream.gateway % brokers;
    const sentS = through(brokerFreeS, broker, (audioS * BYTES_PER_S) / (costs.brokerMBs * 1e6));
    events.push(sentS + costs.brokerMs / 1000, () => {
      events.push(viaGateway(stream, (audioS * costs.gatewayCoreMs) / 1000), () => {
        if (stream.arrivedS === 0) {
          stream.heardS = nowS;
          if (nowS >= WARM_S) firstsMs.push((nowS - stream.askedS) * 1000);
        }
        stream.arrivedS += audioS;
        if (nowS >= WARM_S) {
          turns++;
          if (nowS > dueS) late++;
        }
        if (stream.madeS >= stream.totalS - 1e-9) {
          // The next request comes when this one was heard.
          events.push(Math.max(nowS, stream.heardS + stream.totalS), () => ask(stream));
          return;
        }
        const aheadS = stream.madeS - (nowS - stream.heardS);
        const waitS = Math.max(0, aheadS - AHEAD_S);
        if (waitS === 0) ready(stream);
        else events.push(nowS + waitS, () => ready(stream));
      });
    });
  }

  function ask(stream: Stream): void {
    stream.totalS = REQUEST_S[0] + random() * (REQUEST_S[1] - REQUEST_S[0]);
    stream.madeS = 0;
    stream.arrivedS = 0;
    stream.askedS = nowS;
    const placedS = viaGateway(stream, costs.gatewayRequestMs / 1000) + (costs.admitMs + costs.brokerMs) / 1000;
    events.push(placedS, () => ready(stream));
  }

  for (let n = 0; n < streams; n++) {
    const stream = { gateway: n % gateways, askedS: 0, heardS: 0, totalS: 0, madeS: 0, arrivedS: 0 };
    events.push(random() * WARM_S, () => ask(stream));
  }
  while (events.size > 0 && events.least < endS) {
    nowS = events.least;
    events.pop()();
  }
  firstsMs.sort((a, b) => a - b);
  const quantile = (share: number) => firstsMs[Math.min(firstsMs.length - 1, Math.floor(firstsMs.length * share))] ?? 0;
  return {
    firstMs: { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) },
    stalled: late / Math.max(1, turns),
    engineLoad: engineBusyS / (engines * RUN_S),
    gatewayLoad: gatewayBusyS / (gateways * RUN_S),
  };
}

/** Good enough to be heard, and for longer than is simulated: nobody stalls, and nearly all hear something within half a second. */
const isFine = ({ stalled, firstMs, engineLoad }: Carried): boolean =>
  stalled === 0 && firstMs.p99 < 500 && engineLoad < 0.97;

/** The fewest engine cores that do, to within a hundredth. */
export function fewest(streams: number, costs: Costs, gateways: number, brokers: number): Plan & { carried: Carried } {
  const work = streams * costs.engineCoreS * (1 + costs.frontShare / SEGMENT_S);
  let low = Math.floor(work);
  let high = Math.ceil(work * 1.3) + 4;
  const plan = (engines: number) => ({ streams, engines, gateways, brokers });
  let best = { ...plan(high), carried: simulate(plan(high), costs) };
  while (high - low > Math.max(1, high / 100)) {
    const middle = Math.floor((low + high) / 2);
    const carried = simulate(plan(middle), costs);
    if (isFine(carried)) {
      high = middle;
      best = { ...plan(middle), carried };
    } else low = middle;
  }
  return best;
}

export const MEASURED: Costs = {
  engineCoreS: 0.12,
  frontShare: 0.5,
  gatewayCoreMs: 2.03,
  gatewayRequestMs: 6.2,
  brokerMs: 0.5,
  brokerMBs: 8 * 62,
  databasePerS: 255,
  admitMs: 2,
};
/** What of a thing is used, so that the hour of the day and the loss of one are no news. */
const HEADROOM = { gateway: 0.6, broker: 0.6, database: 0.6, engine: 0.8 };

/** Core seconds a process has used. */
async function coreSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The model itself: what its process takes, however much else the machine has to do. */
async function measureEngine(model: string, seconds: number): Promise<void> {
  const { signal } = new AbortController();
  const server = await startServer({ TTS_ENGINE: 'kokoro' }, ['--workers', '1', '--threads', '1']);
  const client = createHttpClient({ baseUrl: server.baseUrl, apiKey: server.key });
  const listen = httpListener(client, { model, voice: 'english_female_professional' });
  const texts = [
    'The four of them walked back along the river to the old house. It was cold, and the bridge lay in the dark.',
  ];
  await saturate({ listen, texts }, { clients: 1, seconds: 3 }, signal);
  const engines = await server.engines();
  const used = async () => (await Promise.all(engines.map(coreSeconds))).reduce((sum, each) => sum + each, 0);
  const [beforeS, startMs] = [await used(), performance.now()];
  const speed = await saturate({ listen, texts }, { clients: 1, seconds }, signal);
  const audioS = (speed * (performance.now() - startMs)) / 1000;
  process.stdout.write(
    `${model}: an engine takes ${(((await used()) - beforeS) / audioS).toFixed(3)} core s for a second of audio\n`,
  );
  await server.stop();
}

/** A gateway without engines, whose workers cost nothing: what is left is the way between them. */
async function measure(seconds: number): Promise<void> {
  const { signal } = new AbortController();
  const env = { TTS_ENGINE: 'sine', TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 60 }) };
  const nats = await startNats();
  const worker = startMachine('worker', ['worker', '--log-level', 'error', '--workers', '1'], {
    ...env,
    TTS_NATS: nats.url,
  });
  const gateway = await startServer({ ...env, TTS_NATS: nats.url }, ['--workers', '0']);
  const client = createHttpClient({ baseUrl: gateway.baseUrl, apiKey: gateway.key });
  const listen = httpListener(client, { model: 'base-tts-fast', voice: 'english_female_professional' });
  const broker = Number(
    (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).trim().split(' ')[0],
  );
  const long = 'The four of them walked back along the river to the old house, and nobody said a word. '.repeat(20);
  const perAudioSecond = async (texts: readonly string[]) => {
    await saturate({ listen, texts }, { clients: 4, seconds: 2 }, signal);
    const [gatewayS, brokerS] = [await coreSeconds(gateway.pid), await coreSeconds(broker)];
    const startMs = performance.now();
    const speed = await saturate({ listen, texts }, { clients: 4, seconds }, signal);
    const audioS = (speed * (performance.now() - startMs)) / 1000;
    return {
      gatewayMs: (1000 * ((await coreSeconds(gateway.pid)) - gatewayS)) / audioS,
      brokerMs: (1000 * ((await coreSeconds(broker)) - brokerS)) / audioS,
    };
  };
  const whole = await perAudioSecond([long]);
  const short = 'Well, then.';
  const brief = await perAudioSecond([short]);
  const briefS = (short.length * 60) / 1000;
  process.stdout.write(
    `a gateway takes ${whole.gatewayMs.toFixed(2)} core ms for a second of audio, and ${((brief.gatewayMs - whole.gatewayMs) * briefS).toFixed(2)} more for a request; ` +
      `the broker ${whole.brokerMs.toFixed(2)} core ms for a second of audio, ${(48 / whole.brokerMs).toFixed(0)} MB/s a core\n`,
  );
  await Promise.all([gateway.stop(), worker.stop()]);
  await nats.close();
}

export async function main(argv: readonly string[]): Promise<void> {
  const flag = (name: string) => name.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`);
  const names = Object.keys(MEASURED) as (keyof Costs)[];
  const { values } = parseArgs({
    args: [...argv],
    options: {
      streams: { type: 'string', default: '1000,100000' },
      measure: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '10' },
      ...Object.fromEntries(
        names.map((name) => [flag(name), { type: 'string' as const, default: String(MEASURED[name]) }]),
      ),
    },
  });
  if (values.measure) {
    await measureEngine('base-tts-fast', Number(values.seconds));
    return measure(Number(values.seconds));
  }
  const given = values as unknown as Record<string, string>;
  const costs = Object.fromEntries(names.map((name) => [name, Number(given[flag(name)])])) as unknown as Costs;
  const meanS = (REQUEST_S[0] + REQUEST_S[1]) / 2;
  for (const streams of given.streams!.split(',').map(Number)) {
    // Whoever shares a broker is a cell, and cells share nothing but the database: one of them stands for all.
    const audioMBs = (streams * BYTES_PER_S) / 1e6;
    const cells = Math.max(1, Math.ceil(audioMBs / (costs.brokerMBs * HEADROOM.broker)));
    const inCell = Math.ceil(streams / cells);
    const gatewayCores = (inCell * (costs.gatewayCoreMs + costs.gatewayRequestMs / meanS)) / 1000;
    const gateways = Math.max(2, Math.ceil(gatewayCores / HEADROOM.gateway));
    const requestsPerS = streams / meanS;
    const { engines, carried } = fewest(inCell, costs, gateways, 1);
    const ordered = (inCell * costs.engineCoreS * (1 + costs.frontShare / SEGMENT_S)) / HEADROOM.engine;
    const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
    const lines = [
      `${streams} concurrent streams in ${cells} cells, each around a broker`,
      `  engines    ${engines * cells} cores at ${percent(carried.engineLoad)}; order ${Math.ceil(ordered) * cells} to run them at ${percent(HEADROOM.engine)}`,
      `  gateways   ${gateways * cells} processes at ${percent(carried.gatewayLoad)} of a core, ${Math.ceil(inCell / gateways)} streams each`,
      `  brokers    ${cells}, each ${(audioMBs / cells).toFixed(0)} MB/s of audio in and as much out, ${((audioMBs / cells) * 0.008).toFixed(1)} Gbit/s each way`,
      `  database   ${requestsPerS.toFixed(0)} requests/s: ${(requestsPerS / costs.databasePerS / HEADROOM.database).toFixed(2)} times what was measured, at ${percent(HEADROOM.database)}`,
      `  first audio ${carried.firstMs.p50.toFixed(0)} ms median, ${carried.firstMs.p95.toFixed(0)} p95, ${carried.firstMs.p99.toFixed(0)} p99; stalled ${(carried.stalled * 100).toFixed(3)} %`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}
