/** Admission by measured costs: the model, the controller, and a server over HTTP and WebSocket. */
import { afterEach, describe, expect, it } from 'vitest';
import { createSineEngine } from '../../src/engine/sine.js';
import { AdmissionController } from '../../src/gateway/admission-controller.js';
import { AdmissionModel, type Supply } from '../../src/gateway/admission-model.js';
import { createGateway } from '../../src/gateway/gateway.js';
import type { SpeechStream } from '../../src/gateway/speech-stream.js';
import { Wants } from '../../src/gateway/wants.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
import { silentLogger } from '../../src/log.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { msToSamples } from '../../src/protocol/audio.js';
import type { BaseModel } from '../../src/protocol/job.js';
import { createEngineWorker } from '../../testkit/engine-worker.js';
import { errorOf, type TestServer, until } from '../../testkit/server.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { Refused, StreamClient, startStreamServer } from '../stream-input/client.js';
import { orderOf } from '../support/orders.js';

const spoken = (share: number, more: object = {}) => ({
  model: 'base-tts' as const,
  chars: 100,
  samples: msToSamples(10_000),
  speed: 1,
  runMs: share * 10_000,
  leadMs: share * 1_000,
  multiThreaded: false,
  loaded: false,
  ...more,
});
interface Demand {
  readonly model: BaseModel;
  readonly aheadMs: number;
  readonly restMs: number;
  readonly speed?: number;
}
/** Whether `admission` would carry all of them. */
function carries(
  admission: AdmissionModel,
  demands: readonly Demand[],
  supply: readonly Supply[],
  { nowMs = 0, ...moment }: { nowMs?: number } & Parameters<AdmissionModel['isCarried']>[1] = {},
): boolean {
  admission.begin(nowMs);
  for (const demand of demands) admission.add(wantsOf(admission, demand, nowMs));
  return admission.isCarried(supply, moment);
}
function wantsOf(admission: AdmissionModel, { model, speed = 1, aheadMs, restMs }: Demand, nowMs = 0): Wants {
  const wants = new Wants();
  admission.note(wants, model, speed, { atMs: nowMs + aheadMs, restMs });
  return wants;
}
const stream = (restMs: number, aheadMs = 0): Demand => ({ model: 'base-tts', aheadMs, restMs });
const workers = (count: number, fromMs = 0) => [{ workers: count, fromMs }];
const streams = (count: number, restMs: number) => Array.from({ length: count }, () => stream(restMs));

describe('what can be carried', () => {
  it('is unknown before anything was measured, and no stream is refused for a guess', () => {
    expect(carries(new AdmissionModel(), streams(10_000, 60_000), workers(1))).toBe(true);
  });

  it('is what the workers do in the time of a listener, less a margin', () => {
    const admission = new AdmissionModel();
    admission.learn(spoken(0.1));
    expect(carries(admission, streams(8, 10_000), workers(1))).toBe(true);
    expect(carries(admission, streams(10, 10_000), workers(1))).toBe(false);
    expect(carries(admission, streams(34, 10_000), workers(4))).toBe(true);
    expect(carries(admission, streams(40, 10_000), workers(4))).toBe(false);
  });

  it('is more where streams were made ahead or are nearly through, and not more where they are only long', () => {
    const admission = new AdmissionModel();
    admission.learn(spoken(0.1));
    const ahead = Array.from({ length: 9 }, () => stream(5_000, 10_000));
    expect(carries(admission, [...ahead, ...streams(4, 10_000)], workers(1))).toBe(true);
    expect(carries(admission, [...streams(8, 500), ...streams(8, 10_000)], workers(1))).toBe(false);
    expect(carries(admission, [...streams(3, 200), ...streams(5, 10_000)], workers(1))).toBe(true);
    expect(carries(admission, streams(10, 600_000), workers(1))).toBe(false);
  });

  it('goes by the cost under load before that of a few, and takes a multi-threaded cost for the least', () => {
    const admission = new AdmissionModel();
    admission.learn(spoken(0.05, { multiThreaded: true }));
    expect(carries(admission, streams(17, 10_000), workers(1))).toBe(true);
    expect(carries(admission, streams(20, 10_000), workers(1))).toBe(false);
    admission.learn(spoken(0.1));
    expect(carries(admission, streams(10, 10_000), workers(1))).toBe(false);
    admission.learn(spoken(0.2, { loaded: true }));
    expect(carries(admission, streams(5, 10_000), workers(1))).toBe(false);
    expect(admission.costs).toEqual({ 'base-tts': 0.2 });
    for (let i = 0; i < 2_000; i++) admission.learn(spoken(0.1));
    expect(carries(admission, streams(8, 10_000), workers(1))).toBe(true);
  });

  it('is remembered from an earlier run, as far as that fits what is measured now', () => {
    const admission = new AdmissionModel({ 'base-tts': 0.3 });
    expect(carries(admission, streams(4, 1_000), workers(1))).toBe(false);
    admission.learn(spoken(0.1));
    expect(carries(admission, streams(4, 1_000), workers(1))).toBe(true);
    expect(carries(admission, streams(5, 1_000), workers(1))).toBe(false);
  });

  it('is less while workers are starting, and less where buffered responses have a share', () => {
    const admission = new AdmissionModel();
    admission.learn(spoken(0.1));
    const burst = (count: number) => Array.from({ length: count }, () => stream(10_000, 1_000));
    const growing = [...workers(1), ...workers(3, 4_000)];
    expect(carries(admission, burst(30), workers(4))).toBe(true);
    expect(carries(admission, burst(30), growing)).toBe(false);
    expect(carries(admission, burst(11), growing)).toBe(true);
    expect(carries(admission, burst(35), workers(4))).toBe(true);
    expect(carries(admission, burst(35), workers(4), { share: 0.9 })).toBe(false);
  });

  it('is fewer streams at high speed, by what their model has to say more in a second', () => {
    const admission = new AdmissionModel();
    admission.learn(spoken(0.1));
    const fast = (count: number, speed: number) => streams(count, 10_000).map((one) => ({ ...one, speed }));
    expect(carries(admission, fast(8, 1.25), workers(1))).toBe(true);
    // Half of what the model is too slow for is left out before the vocoder, which costs nothing.
    expect(carries(admission, fast(5, 2.5), workers(1))).toBe(true);
    expect(carries(admission, fast(6, 2.5), workers(1))).toBe(false);
    expect(carries(admission, fast(16, 0.25), workers(1))).toBe(true);
    // And what fast speech took is what slow speech takes.
    const other = new AdmissionModel();
    other.learn(spoken(0.1 * (0.1 * 2 + 0.9 * Math.SQRT2), { speed: 2.5, leadMs: 200 }));
    expect(carries(other, streams(8, 10_000), workers(1))).toBe(true);
    expect(carries(other, streams(9, 10_000), workers(1))).toBe(false);
  });

  it('goes by the cost of speech, not of segments: short ones are dear and few', () => {
    const admission = new AdmissionModel();
    for (let i = 0; i < 200; i++) {
      admission.learn(spoken(0.09));
      admission.learn(spoken(0.5, { samples: msToSamples(500), chars: 5, runMs: 250 }));
    }
    expect(carries(admission, streams(8, 10_000), workers(1))).toBe(true);
  });

  it('is less after every stall, and the same again when there was none for long', () => {
    const admission = new AdmissionModel();
    admission.learn(spoken(0.1));
    const carried = (count: number, nowMs: number) => carries(admission, streams(count, 10_000), workers(1), { nowMs });
    for (let i = 0; i < 45; i++) admission.stalled(0);
    expect(carried(8, 0)).toBe(false);
    expect(carried(7, 0)).toBe(true);
    for (let i = 0; i < 1_000; i++) admission.stalled(0);
    expect(carried(7, 0)).toBe(true);
    expect(carried(8, 600_000)).toBe(true);
  });

  it('is less where workers idle though work waits', () => {
    const admission = new AdmissionModel();
    admission.learn(spoken(0.1));
    for (let i = 0; i < 30; i++) admission.sawAtWork(0.7);
    expect(carries(admission, streams(6, 10_000), workers(1))).toBe(true);
    expect(carries(admission, streams(7, 10_000), workers(1))).toBe(false);
  });

  it('ignores what is late already, and counts nothing of an earlier question', () => {
    const admission = new AdmissionModel();
    admission.learn(spoken(0.1));
    expect(carries(admission, streams(10, 10_000), workers(1))).toBe(false);
    expect(carries(admission, streams(8, 10_000), workers(1))).toBe(true);
    const late = wantsOf(admission, stream(10_000));
    admission.begin(5_000);
    admission.add(late);
    expect(admission.isCarried(workers(1))).toBe(true);
  });

  it('has room again when the first stream ends', () => {
    expect(wantsOf(new AdmissionModel(), stream(5_000, 1_000)).firstEndMs).toBe(6_000);
  });
});

describe('a refusal', () => {
  /** A machine that carries no more streams, and how often all of its streams were looked at. */
  function fullMachine() {
    const clock = new VirtualClock();
    const costs = { 'base-tts': 0.5, 'base-tts-fast': 0.5 };
    const admission = new AdmissionController({ pool: new WorkerPool([], clock), costs }, clock);
    const wants = new Wants();
    admission.note(wants, 'base-tts', 1, { atMs: clock.now(), restMs: 60_000 });
    const stream = { order: { writtenChars: 0 }, wants: () => wants } as unknown as SpeechStream;
    const looked = { times: 0 };
    const open = {
      *[Symbol.iterator]() {
        looked.times += 1;
        yield stream;
      },
    };
    const ask = (chars: number, model: BaseModel = 'base-tts') =>
      admission.admit({ model, chars, voice: 'v', seed: 0, owner: 'a', requestId: 'r' }, open, 0);
    return { admission, clock, stream, looked, ask };
  }

  it('looks at all streams ten times a second at most, however many are refused', () => {
    const { clock, looked, ask } = fullMachine();
    for (let i = 0; i < 2_000; i += 1) {
      expect(() => ask(100 + i)).toThrow('as many listeners as this server can carry');
      clock.skip(1);
    }
    expect(looked.times).toBe(20);
  });

  it('does not count for another model, for a shorter text, or after a stream has ended', () => {
    const { admission, stream, looked, ask } = fullMachine();
    const times = [
      () => ask(500),
      () => ask(400),
      () => ask(500, 'base-tts-fast'),
      () => {
        admission.closed(stream);
        ask(500, 'base-tts-fast');
      },
    ].map((request) => {
      const before = looked.times;
      expect(request).toThrow('as many listeners');
      return looked.times - before;
    });
    expect(times).toEqual([1, 1, 1, 1]);
  });
});

it('counts an idle writer for the written text, and no more', async () => {
  const clock = new VirtualClock();
  const pool = new WorkerPool([createEngineWorker(await createSineEngine(), { clock })], clock);
  const costs = { 'base-tts': 0.3 };
  const gateway = createGateway({
    pool,
    clock,
    catalogue: loadCatalogue(),
    log: silentLogger(),
    queueLimit: 10,
    admission: true,
    costs,
  });
  for (let i = 0; i < 3; i += 1) gateway.open(orderOf()).wrote(5, false);
  expect(() => gateway.open(orderOf({ chars: 400 }))).toThrow('as many listeners');
  await clock.advance(4_500);
  expect(() => gateway.open(orderOf({ chars: 400 }))).toThrow('as many listeners');
  await clock.advance(1_000);
  expect(() => gateway.open(orderOf({ chars: 400 }))).not.toThrow();
  await gateway.close();
});

describe('a server at twice what it carries', () => {
  let server: TestServer;
  afterEach(() => server.close());

  /** Speaks four times as fast as it is heard: three listeners, or three and a bit. */
  const start = async () => {
    server = await startStreamServer({
      sine: { pace: 4, msPerChar: 50 },
      limits: { partnerConcurrency: 100 },
      gateway: { admission: true, queueLimit: 100, lookahead: 3 },
    });
    await (await ask()).arrayBuffer();
  };
  const INPUT =
    'It was late in the evening when the last train came in. Nobody was waiting for it there. The lamps went out.';
  const ask = (more: object = {}, options?: Parameters<TestServer['speak']>[1]) =>
    server.speak({ model: 'base-tts', input: INPUT, stream: true, response_format: 'pcm', ...more }, options);

  it('refuses some at once and says when to come back, speaks the others to their end, and admits the next', async () => {
    await start();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask()));
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 503);
    expect(taken.length + refused.length).toBe(8);
    expect(taken.length).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(await errorOf(answer)).toMatchObject({ code: 'overloaded' });
    }
    const whole = await ask({ stream: false });
    expect(whole.status).toBe(200);
    await whole.arrayBuffer();
    const lengths = await Promise.all(taken.map(async (answer) => (await answer.arrayBuffer()).byteLength));
    expect(new Set(lengths).size).toBe(1);
    await until(() => server.gateway.stats.open === 0);
    const next = await ask();
    expect(next.status).toBe(200);
    await next.arrayBuffer();
  });

  it('refuses a session in its handshake, and no session while there is no other stream', async () => {
    await start();
    const alone = await StreamClient.open(server);
    expect(await alone.finish()).toMatchObject({ code: 1000 });
    // The texts last longer than a busy machine takes to open the session.
    const listeners = new AbortController();
    const input = `${INPUT} `.repeat(8);
    await Promise.all(Array.from({ length: 8 }, () => ask({ input }, { signal: listeners.signal })));
    const error = await StreamClient.connect(server).then(
      (client) => client.finish(),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Refused);
    expect(error).toMatchObject({ status: 503, body: { error: { code: 'overloaded' } } });
    expect(Number((error as Refused).headers['retry-after'])).toBeGreaterThanOrEqual(1);
    listeners.abort();
    await until(() => server.gateway.stats.open === 0);
    expect(await (await StreamClient.open(server)).finish()).toMatchObject({ code: 1000 });
  });
});
