/** A discrete-event simulation of listeners, gateways, a broker and engines. */

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

/**
 * Seconds of audio of a request, least and most. A listener hears one to its end, then asks for the
 * next.
 */
export const REQUEST_S = [4, 36] as const;
export const SEGMENT_S = 4;
/** Seconds of audio that an engine makes in one step, which cannot be interrupted. */
const STEP_S = 1;
/** Seconds of audio that a stream may be ahead of its listener. */
const AHEAD_S = 6;
/** The first sound is due this soon after its text. */
const FIRST_DUE_S = 0.15;
const WARM_S = 10;
const RUN_S = 40;
/** PCM at 24 kHz, 16 bit, and the messages around it. */
export const BYTES_PER_S = 48_000 * 1.03;

/** A binary heap: the item with the smallest key comes first. */
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
  /** When the text was there, and when its first audio arrived. */
  askedS: number;
  heardS: number;
  /** Seconds of audio: of the whole request, made, and arrived. */
  totalS: number;
  madeS: number;
  arrivedS: number;
}

/** Random numbers that are the same in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One run of the simulation. Times are seconds since its start. */
class Simulation {
  readonly #plan: Plan;
  readonly #costs: Costs;
  readonly #random: () => number;
  readonly #events = new Heap<() => void>();
  readonly #waiting = new Heap<Stream>();
  readonly #gatewayFreeS: Float64Array;
  readonly #brokerFreeS: Float64Array;
  readonly #firstsMs: number[] = [];
  #nowS = 0;
  #idleEngines: number;
  #steps = 0;
  #lateSteps = 0;
  #engineBusyS = 0;
  #gatewayBusyS = 0;

  constructor(plan: Plan, costs: Costs, seed: number) {
    this.#plan = plan;
    this.#costs = costs;
    this.#random = dice(seed);
    this.#gatewayFreeS = new Float64Array(plan.gateways);
    this.#brokerFreeS = new Float64Array(plan.brokers);
    this.#idleEngines = plan.engines;
  }

  run(): Carried {
    const { streams, engines, gateways } = this.#plan;
    for (let n = 0; n < streams; n++) {
      const stream = { gateway: n % gateways, askedS: 0, heardS: 0, totalS: 0, madeS: 0, arrivedS: 0 };
      this.#events.push(this.#random() * WARM_S, () => this.#ask(stream));
    }
    while (this.#events.size > 0 && this.#events.least < WARM_S + RUN_S) {
      this.#nowS = this.#events.least;
      this.#events.pop()();
    }
    const firstsMs = this.#firstsMs.sort((a, b) => a - b);
    const quantile = (share: number) =>
      firstsMs[Math.min(firstsMs.length - 1, Math.floor(firstsMs.length * share))] ?? 0;
    return {
      firstMs: { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) },
      stalled: this.#lateSteps / Math.max(1, this.#steps),
      engineLoad: this.#engineBusyS / (engines * RUN_S),
      gatewayLoad: this.#gatewayBusyS / (gateways * RUN_S),
    };
  }

  get #isWarm(): boolean {
    return this.#nowS >= WARM_S;
  }

  /**
   * Passes through a server that takes one thing at a time, in the order of arrival. Returns when
   * it is through.
   */
  #through(freeS: Float64Array, at: number, costS: number): number {
    freeS[at] = Math.max(freeS[at]!, this.#nowS) + costS;
    return freeS[at]!;
  }

  #viaGateway(stream: Stream, costS: number): number {
    if (this.#isWarm) this.#gatewayBusyS += costS;
    return this.#through(this.#gatewayFreeS, stream.gateway, costS);
  }

  #ask(stream: Stream): void {
    const { gatewayRequestMs, admitMs, brokerMs } = this.#costs;
    stream.totalS = REQUEST_S[0] + this.#random() * (REQUEST_S[1] - REQUEST_S[0]);
    stream.madeS = 0;
    stream.arrivedS = 0;
    stream.askedS = this.#nowS;
    const placedS = this.#viaGateway(stream, gatewayRequestMs / 1000) + (admitMs + brokerMs) / 1000;
    this.#events.push(placedS, () => this.#ready(stream));
  }

  #ready(stream: Stream): void {
    const deadlineS = stream.arrivedS === 0 ? stream.askedS + FIRST_DUE_S : stream.heardS + stream.madeS;
    this.#waiting.push(deadlineS, stream);
    this.#startSteps();
  }

  #startSteps(): void {
    while (this.#idleEngines > 0 && this.#waiting.size > 0) this.#step(this.#waiting.pop());
  }

  #step(stream: Stream): void {
    this.#idleEngines--;
    const { engineCoreS, frontShare } = this.#costs;
    const audioS = Math.min(STEP_S, stream.totalS - stream.madeS);
    const beginsSegment = stream.madeS % SEGMENT_S < 1e-9;
    const costS = engineCoreS * (audioS + (beginsSegment ? frontShare : 0));
    if (this.#isWarm) this.#engineBusyS += costS;
    this.#events.push(this.#nowS + costS, () => {
      this.#idleEngines++;
      this.#made(stream, audioS);
      this.#startSteps();
    });
  }

  #made(stream: Stream, audioS: number): void {
    const { brokerMBs, brokerMs, gatewayCoreMs } = this.#costs;
    const dueS = stream.arrivedS === 0 ? Number.POSITIVE_INFINITY : stream.heardS + stream.madeS;
    stream.madeS += audioS;
    const broker = stream.gateway % this.#plan.brokers;
    const sentS = this.#through(this.#brokerFreeS, broker, (audioS * BYTES_PER_S) / (brokerMBs * 1e6));
    this.#events.push(sentS + brokerMs / 1000, () => {
      const passedS = this.#viaGateway(stream, (audioS * gatewayCoreMs) / 1000);
      this.#events.push(passedS, () => this.#arrived(stream, audioS, dueS));
    });
  }

  #arrived(stream: Stream, audioS: number, dueS: number): void {
    const nowS = this.#nowS;
    if (stream.arrivedS === 0) {
      stream.heardS = nowS;
      if (this.#isWarm) this.#firstsMs.push((nowS - stream.askedS) * 1000);
    }
    stream.arrivedS += audioS;
    if (this.#isWarm) {
      this.#steps++;
      if (nowS > dueS) this.#lateSteps++;
    }
    if (stream.madeS >= stream.totalS - 1e-9) {
      // The next request comes when this one was heard.
      this.#events.push(Math.max(nowS, stream.heardS + stream.totalS), () => this.#ask(stream));
      return;
    }
    const aheadS = stream.madeS - (nowS - stream.heardS);
    const waitS = Math.max(0, aheadS - AHEAD_S);
    if (waitS === 0) this.#ready(stream);
    else this.#events.push(nowS + waitS, () => this.#ready(stream));
  }
}

export const simulate = (plan: Plan, costs: Costs, seed = 20_261_115): Carried =>
  new Simulation(plan, costs, seed).run();

/**
 * Good enough to be heard, and for longer than is simulated: nobody stalls, and nearly all hear
 * something within half a second.
 */
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
