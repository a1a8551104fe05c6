/** Admission, order of steps, lookahead, cancellation, and lost workers, on a virtual clock. */
import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSineEngine, type SineOptions } from '../../src/engine/sine.js';
import { createGateway, type GatewayOptions } from '../../src/gateway/gateway.js';
import type { GatewayEvent, ObservableGateway, SpeechOrder } from '../../src/gateway/types.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import { silentLogger } from '../../src/log.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { isAbort, TtsError } from '../../src/protocol/errors.js';
import type { Segment } from '../../src/protocol/job.js';
import { createEngineWorker, type EngineWorker, type EngineWorkerOptions } from '../../testkit/engine-worker.js';
import { segmentOf } from '../../testkit/speech.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { orderOf, segmentsOf } from '../support/orders.js';

const catalogue = loadCatalogue();
const never = new AbortController().signal;
setMaxListeners(0, never);
async function collect(events: AsyncIterable<GatewayEvent>) {
  let samples = 0;
  const script: string[] = [];
  for await (const event of events) {
    if (event.type === 'audio') samples += event.pcm.length;
    if (event.type !== 'audio') script.push(`${event.type} ${event.segment.text}`);
    else if (script.at(-1) !== 'audio') script.push('audio');
  }
  return { samples, script };
}
let clock: VirtualClock;
beforeEach(() => {
  clock = new VirtualClock();
});
const until = (condition: () => boolean): Promise<void> => clock.runUntil(condition);
/** Lets time pass until the work is done. */
const run = <T>(work: Promise<T>): Promise<T> => clock.runUntil(work);
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const codeOf = (error: unknown) => (error instanceof TtsError ? error.code : error);

const gateways: ObservableGateway[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
});

interface Parts {
  sine?: SineOptions;
  workers?: EngineWorkerOptions[];
  gateway?: Partial<GatewayOptions>;
}
async function setUp({ sine = {}, workers = [{}], gateway: more = {} }: Parts = {}) {
  const made: EngineWorker[] = [];
  for (const options of workers)
    made.push(createEngineWorker(await createSineEngine(sine, { clock }), { clock, ...options }));
  const pool = new WorkerPool(made, clock);
  const gateway = createGateway({ pool, catalogue, clock, log: silentLogger(), queueLimit: 10, ...more });
  gateways.push(gateway);
  return { gateway, pool, workers: made, worker: made[0]! };
}

describe('speech', () => {
  it('comes in order: a segment, its audio, its end, the next', async () => {
    const { gateway } = await setUp({ sine: { msPerChar: 50 } });
    const speech = gateway.open(orderOf());
    const { samples, script } = await run(collect(speech.speak(segmentsOf('one', 'two'), never)));
    expect(script).toEqual(['segment one', 'audio', 'segment-end one', 'segment two', 'audio', 'segment-end two']);
    expect(samples).toBe(6 * 1_200);
    expect(speech.queueMs).toBeGreaterThanOrEqual(0);
  });

  it('reports a silent segment too', async () => {
    const { gateway } = await setUp();
    const { script, samples } = await run(collect(gateway.open(orderOf()).speak(segmentsOf(' '), never)));
    expect(script).toEqual(['segment  ', 'segment-end  ']);
    expect(samples).toBe(0);
  });

  it('passes on the failure of its source, after what came before it', async () => {
    const { gateway } = await setUp();
    async function* broken(): AsyncGenerator<Segment> {
      yield segmentOf('fine');
      throw new TtsError('invalid_ssml', 'bad');
    }
    const heard: string[] = [];
    const error = await run(
      failure(
        (async () => {
          for await (const event of gateway.open(orderOf()).speak(broken(), never)) heard.push(event.type);
        })(),
      ),
    );
    expect(codeOf(error)).toBe('invalid_ssml');
    expect(heard).toContain('segment-end');
  });

  it('surfaces an engine failure as synthesis_failed', async () => {
    const { gateway } = await setUp({ sine: { failAtOnceOn: 'bad' } });
    const error = await run(failure(collect(gateway.open(orderOf()).speak(segmentsOf('good', 'bad'), never))));
    expect(codeOf(error)).toBe('synthesis_failed');
  });
});

describe('admission', () => {
  it('is refused at once when all places are taken, and says when to come back', async () => {
    const { gateway } = await setUp({ gateway: { queueLimit: 2 } });
    const first = gateway.open(orderOf());
    gateway.open(orderOf());
    expect(() => gateway.open(orderOf())).toThrow(expect.objectContaining({ code: 'overloaded', retryAfterS: 1 }));
    first.close();
    first.close();
    expect(gateway.stats.open).toBe(1);
    expect(() => gateway.open(orderOf())).not.toThrow();
  });

  it('is refused while draining, which lasts until what runs has ended', async () => {
    const { gateway } = await setUp();
    const speech = gateway.open(orderOf());
    let drained = false;
    const draining = gateway.drain().then(() => {
      drained = true;
    });
    expect(() => gateway.open(orderOf())).toThrow(expect.objectContaining({ code: 'shutting_down' }));
    expect(gateway.ready).toBe(false);
    const { samples } = await run(collect(speech.speak(segmentsOf('still spoken'), never)));
    expect(samples).toBeGreaterThan(0);
    expect(drained).toBe(false);
    speech.close();
    await draining;
    expect(drained).toBe(true);
  });

  it('is refused when no worker can come', async () => {
    const { gateway, pool } = await setUp({ workers: [] });
    pool.setFailure(new TtsError('model_missing', 'no model'));
    expect(() => gateway.open(orderOf())).toThrow(expect.objectContaining({ code: 'no_worker_ready', retryAfterS: 5 }));
  });

  it('is refused when all workers have been dead for long', async () => {
    const { gateway, worker } = await setUp({ gateway: { deadPatienceMs: 20 } });
    worker.setState('dead');
    expect(() => gateway.open(orderOf())).not.toThrow();
    await clock.advance(40);
    expect(() => gateway.open(orderOf())).toThrow(expect.objectContaining({ code: 'no_worker_ready' }));
    worker.setState('ready');
    expect(() => gateway.open(orderOf())).not.toThrow();
  });

  it('starts workers on demand', async () => {
    const parts = await setUp({ workers: [], gateway: {} });
    const engine = await createSineEngine();
    let calls = 0;
    const gateway = createGateway({
      pool: parts.pool,
      catalogue,
      log: silentLogger(),
      queueLimit: 1,
      onDemand: () => {
        if (calls++ === 0) parts.pool.add(createEngineWorker(engine));
      },
    });
    gateways.push(gateway);
    const { samples } = await run(collect(gateway.open(orderOf()).speak(segmentsOf('hi'), never)));
    expect(samples).toBeGreaterThan(0);
    expect(calls).toBe(1);
  });
});

describe('the order of steps', () => {
  it("lets one key's single request pass another's hundred segments", async () => {
    // A listener who has heard the first segment has seconds in hand: the second is not pressing.
    const { gateway, worker } = await setUp({ gateway: { queueLimit: 200 }, sine: { delayMs: 1, msPerChar: 2_000 } });
    const greedy = Array.from({ length: 50 }, (_, i) =>
      collect(
        gateway.open(orderOf({ owner: 'greedy', requestId: `g${i}` })).speak(segmentsOf(`g${i}`, `h${i}`), never),
      ),
    );
    await until(() => gateway.stats.queuedSegments > 40);
    await run(collect(gateway.open(orderOf({ owner: 'modest' })).speak(segmentsOf('modest'), never)));
    const at = worker.jobs.findIndex((job) => job.segment.text === 'modest');
    // At most one more of the greedy owner's was begun between.
    expect(worker.jobs.length - at).toBeLessThanOrEqual(3);
    expect(at).toBeLessThan(60);
    await run(Promise.all(greedy));
  });

  it('lets live streams with seconds in hand wait for one without, and for a buffered response', async () => {
    const { gateway, worker } = await setUp({ sine: { msPerChar: 2_000, delayMs: 40 } });
    const texts = Array.from({ length: 6 }, (_, i) => `rich${i}`);
    const rich = ['b', 'c'].map((owner) =>
      collect(gateway.open(orderOf({ owner })).speak(segmentsOf(...texts), never)),
    );
    await until(() => worker.jobs.length >= 4);
    const begun = worker.jobs.length;
    await run(collect(gateway.open(orderOf({ owner: 'a', whole: true })).speak(segmentsOf('p0', 'p1', 'p2'), never)));
    // Its second and third segment did not wait for steps of the others.
    const since = worker.jobs.slice(begun).map((job) => job.segment.text[0]);
    expect(since.slice(since.indexOf('p')).join('').startsWith('ppp')).toBe(true);
    await run(Promise.all(rich));
  });

  it('lets a segment whose predecessor is still being spoken wait for one that a listener waits for', async () => {
    const { gateway, worker } = await setUp({ workers: [{ capacity: 2 }], sine: { delayMs: 200 } });
    const speak = (owner: string, ...texts: string[]) =>
      collect(gateway.open(orderOf({ owner })).speak(segmentsOf(...texts), never));
    const all = [speak('other', 'other')];
    await until(() => worker.running === 1);
    await clock.advance(50);
    all.push(speak('a', 'long '.repeat(60), 'next'));
    await until(() => gateway.stats.queuedSegments === 1);
    all.push(speak('b', 'waited for'));
    await run(Promise.all(all));
    const begun = worker.jobs.map((job) => job.segment.text);
    expect(begun.indexOf('waited for')).toBe(2);
    expect(begun.indexOf('next')).toBe(3);
  });

  it('uses every worker and no worker beyond its capacity', async () => {
    const { gateway, workers } = await setUp({ workers: [{ capacity: 1 }, { capacity: 2 }], sine: { delayMs: 20 } });
    const all = Array.from({ length: 8 }, () => collect(gateway.open(orderOf()).speak(segmentsOf('x'), never)));
    let most = [0, 0];
    const watch = () => {
      most = workers.map((worker, i) => Math.max(worker.busy, most[i]!));
    };
    const watching = clock.setInterval(watch, 1);
    await run(Promise.all(all));
    watching.cancel();
    expect(most).toEqual([1, 2]);
    expect(gateway.stats.runningSegments).toBe(0);
  });
});

describe('lookahead', () => {
  it('speaks the next segment while this one is being sent, and no further', async () => {
    const { gateway, worker } = await setUp();
    const texts = ['one', 'two', 'three', 'four'];
    const events = gateway
      .open(orderOf())
      .speak(segmentsOf(...texts), never)
      [Symbol.asyncIterator]();
    await events.next();
    await until(() => worker.jobs.length === 2);
    await clock.advance(30);
    expect(worker.jobs.map((job) => job.segment.text)).toEqual(['one', 'two']);
    let event = await events.next();
    while (event.value?.type !== 'segment-end') event = await events.next();
    await events.next();
    await until(() => worker.jobs.length === 3);
    await clock.advance(30);
    expect(worker.jobs.length).toBe(3);
  });

  it('does not let readers that stopped hold the worker, however long their segments', async () => {
    const { gateway, worker } = await setUp({ sine: { msPerChar: 1_000 } });
    for (const text of ['short', 'x'.repeat(40), 'y'.repeat(40)]) {
      const slow = gateway.open(orderOf()).speak(segmentsOf(text, text, text), never);
      await slow[Symbol.asyncIterator]().next();
    }
    const { samples } = await run(
      collect(gateway.open(orderOf({ owner: 'b' })).speak(segmentsOf('quick', 'too'), never)),
    );
    expect(samples).toBe(8 * 24_000);
    expect(worker.busy).toBe(0);
    expect(worker.running).toBeGreaterThan(0);
  });

  it('holds a few seconds for a reader that stopped, and gives it all of it when it goes on', async () => {
    let made = 0;
    const engine = await createSineEngine({ msPerChar: 1_000 });
    const counting = {
      ...engine,
      async *speak(...job: Parameters<typeof engine.speak>) {
        for await (const event of engine.speak(...job)) {
          if (event.type === 'audio') made += event.pcm.length;
          yield event;
        }
      },
    };
    const pool = new WorkerPool([createEngineWorker(counting)]);
    const gateway = createGateway({ pool, catalogue, log: silentLogger(), queueLimit: 10 });
    gateways.push(gateway);
    const texts = ['a'.repeat(120), 'b'.repeat(120), 'c'.repeat(120)];
    const events = gateway
      .open(orderOf())
      .speak(segmentsOf(...texts), never)
      [Symbol.asyncIterator]();
    await events.next();
    for (let before = -1; before !== made; await clock.advance(50)) before = made;
    expect(made).toBeLessThan(20 * 24_000);
    let samples = 0;
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (next.value.type === 'audio') samples += next.value.pcm.length;
    }
    expect(samples).toBe(3 * 120 * 24_000);
  });
});

describe('cancellation', () => {
  it('drops queued segments at once and stops the running one', async () => {
    const { gateway, worker } = await setUp({ sine: { pace: 1 } });
    const controller = new AbortController();
    const work = failure(collect(gateway.open(orderOf()).speak(segmentsOf('running', 'queued'), controller.signal)));
    await until(() => worker.running === 1 && gateway.stats.queuedSegments === 1);
    controller.abort();
    expect(gateway.stats.queuedSegments).toBe(0);
    expect(isAbort(await run(work))).toBe(true);
    await until(() => worker.running === 0);
    expect(worker.cancelled).toEqual([worker.jobs[0]!.id]);
    expect(worker.jobs.length).toBe(1);
  });

  it('happens when the consumer just stops, and when the place is given back', async () => {
    const { gateway, worker } = await setUp({ sine: { pace: 5 } });
    const stopsEarly = async () => {
      for await (const event of gateway.open(orderOf()).speak(segmentsOf('one', 'two'), never)) {
        if (event.type === 'audio') break;
      }
    };
    await run(stopsEarly());
    await until(() => worker.running === 0 && gateway.stats.queuedSegments === 0);
    const speech = gateway.open(orderOf());
    const work = failure(collect(speech.speak(segmentsOf('three'), never)));
    await until(() => worker.running === 1);
    speech.close();
    expect(isAbort(await run(work))).toBe(true);
    await until(() => worker.running === 0);
  });

  it('lets go of a source that is waiting for text', async () => {
    const { gateway } = await setUp();
    let returned = false;
    const source: AsyncIterable<Segment> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: async () => {
          returned = true;
          return { done: true, value: undefined };
        },
      }),
    };
    const controller = new AbortController();
    const work = failure(collect(gateway.open(orderOf()).speak(source, controller.signal)));
    await clock.advance(5);
    controller.abort();
    expect(isAbort(await run(work))).toBe(true);
    expect(returned).toBe(true);
  });
});

describe('a worker that dies', () => {
  it('under a segment that was not delivered: it runs again elsewhere, with the same samples', async () => {
    const { gateway, workers } = await setUp({ workers: [{}, {}], sine: { delayMs: 30 } });
    const whole = await run(collect(gateway.open(orderOf()).speak(segmentsOf('one', 'two'), never)));
    const work = collect(gateway.open(orderOf()).speak(segmentsOf('one', 'two'), never));
    await until(() => workers.some((worker) => worker.running > 0));
    workers.find((worker) => worker.running > 0)!.setState('dead');
    expect(await run(work)).toEqual(whole);
  });

  it('and comes back: the segment waits for the restart', async () => {
    const { gateway, worker } = await setUp({ sine: { delayMs: 30 } });
    const work = collect(gateway.open(orderOf()).speak(segmentsOf('one'), never));
    await until(() => worker.running === 1);
    worker.setState('dead');
    await clock.advance(20);
    worker.setState('ready');
    expect((await run(work)).samples).toBeGreaterThan(0);
    expect(worker.jobs.length).toBe(2);
  });

  async function hear(gateway: ObservableGateway, ordered: SpeechOrder, text: string, heard: number[]) {
    for await (const event of gateway.open(ordered).speak(segmentsOf(text), never)) {
      if (event.type === 'audio') heard.push(...event.pcm);
    }
  }
  const disturbed = async (parts: Parts, whole: boolean) => {
    const { gateway, workers } = await setUp({ sine: { pace: 20, chunkMs: 70 }, ...parts });
    const text = 'a sentence of some length, long enough to be cut in two';
    const heard: number[] = [];
    const work = failure(hear(gateway, orderOf({ whole }), text, heard));
    await until(() => workers[0]!.running > 0);
    if (whole) await clock.advance(60);
    else await until(() => heard.length > 10_000);
    workers[0]!.setState('dead');
    const error = await run(work);
    workers[0]!.setState('ready');
    const undisturbed: number[] = [];
    await run(hear(gateway, orderOf(), text, undisturbed));
    return { error, heard, undisturbed };
  };

  for (const whole of [false, true]) {
    it(`under a segment that was ${whole ? 'not delivered' : 'delivered in part'}: it is resumed to the sample`, async () => {
      const { error, heard, undisturbed } = await disturbed({ workers: [{}, {}] }, whole);
      expect(error).toBeUndefined();
      expect(heard).toEqual(undisturbed);
    });
  }

  it('under a segment that was delivered in part, and only another version is left: the error surfaces', async () => {
    const workers = [{}, { version: 'another' }];
    const { error } = await disturbed({ workers, gateway: { deadPatienceMs: 30 } }, false);
    expect(codeOf(error)).toBe('synthesis_failed');
  });

  it('under a segment that was not delivered, and only another version is left: it is spoken again', async () => {
    const { error, heard, undisturbed } = await disturbed({ workers: [{}, { version: 'another' }] }, true);
    expect(error).toBeUndefined();
    expect(heard).toEqual(undisturbed);
  });

  it('again and again: the segment is given up after two more tries', async () => {
    const { gateway, worker } = await setUp({ sine: { delayMs: 10 } });
    const work = failure(collect(gateway.open(orderOf()).speak(segmentsOf('cursed'), never)));
    for (let i = 0; i < 3; i++) {
      await until(() => worker.running === 1);
      worker.setState('dead');
      await until(() => worker.running === 0);
      worker.setState('ready');
    }
    expect(codeOf(await run(work))).toBe('synthesis_failed');
    expect(worker.jobs.length).toBe(3);
  });

  it('again and again, but each time after new audio: the segment goes on', async () => {
    const { gateway, worker } = await setUp({ sine: { pace: 20, chunkMs: 70 } });
    const text = 'a sentence of some length, long enough to be cut in many';
    let [heard, died] = [0, 0];
    const listen = async () => {
      for await (const event of gateway.open(orderOf()).speak(segmentsOf(text), never)) {
        if (event.type !== 'audio') continue;
        heard += event.pcm.length;
        if (died < 5 && heard > (died + 1) * 8_000) {
          died += 1;
          worker.setState('dead');
          worker.setState('ready');
        }
      }
    };
    await run(listen());
    expect(died).toBe(5);
    expect(worker.jobs.length).toBe(6);
    expect(heard).toBe([...text].filter((char) => char !== ' ').length * 1_320);
  });

  it('for good: waiting segments fail after a bounded time', async () => {
    const { gateway, worker } = await setUp({ gateway: { deadPatienceMs: 30 } });
    worker.setState('dead');
    const error = await run(failure(collect(gateway.open(orderOf()).speak(segmentsOf('hello'), never))));
    expect(error).toMatchObject({ code: 'no_worker_ready', retryAfterS: 5 });
    expect(gateway.stats.queuedSegments).toBe(0);
  });

  it('starting workers are waited for longer than dead ones', async () => {
    const { gateway, worker } = await setUp({
      workers: [{ state: 'starting' }],
      gateway: { deadPatienceMs: 5, startPatienceMs: 5_000 },
    });
    const work = collect(gateway.open(orderOf()).speak(segmentsOf('hello'), never));
    await clock.advance(30);
    expect(gateway.stats.queuedSegments).toBe(1);
    worker.setState('ready');
    expect((await run(work)).samples).toBeGreaterThan(0);
  });

  it('or is taken out: its segments go on elsewhere, to the sample', async () => {
    const { gateway, pool, workers } = await setUp({ sine: { msPerChar: 50, pace: 20 }, workers: [{}, {}] });
    const events = gateway
      .open(orderOf())
      .speak(segmentsOf('x'.repeat(60)), never)
      [Symbol.asyncIterator]();
    await run(events.next());
    const first = await run(events.next());
    const going = workers.find((worker) => worker.running > 0)!;
    await pool.remove(going);
    let samples = first.value!.type === 'audio' ? first.value.pcm.length : 0;
    for (let next = await run(events.next()); !next.done; next = await run(events.next())) {
      if (next.value.type === 'audio') samples += next.value.pcm.length;
    }
    expect(samples).toBe(60 * 1_200);
    expect(workers.map(({ jobs }) => jobs.length)).toEqual([1, 1]);
  });

  it('or freezes: all of its segments run elsewhere', async () => {
    const { gateway, workers } = await setUp({
      workers: [
        { capacity: 3, silenceMs: 1_000 },
        { capacity: 3, silenceMs: 1_000 },
      ],
      sine: { delayMs: 20 },
    });
    const work = Array.from({ length: 6 }, () =>
      collect(gateway.open(orderOf()).speak(segmentsOf('one', 'two'), never)),
    );
    await until(() => workers.every((worker) => worker.busy === 3));
    workers[0]!.freeze();
    const spoken = await run(Promise.all(work));
    expect(spoken.map(({ samples }) => samples)).toEqual(Array(6).fill(6 * 1_320));
    expect(workers[0]!.state).toBe('dead');
  });
});
