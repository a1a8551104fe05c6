/** An engine behind a message channel: credit, the order of steps, and cancellation. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { createSineEngine, type SineOptions } from '../../src/engine/sine.js';
import type { SegmentJob } from '../../src/protocol/job.js';
import type { JobReply } from '../../src/worker/protocol.js';
import { EngineServer } from '../../src/worker/serve-engine.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';

const text = 'x'.repeat(60);
const job: SegmentJob = {
  id: 'a',
  model: 'base-tts',
  language: 'en-US',
  mix: [],
  seed: 0,
  speed: 1,
  gainDb: 0,
  segment: { text, offset: 0, spans: [{ kind: 'text', text, start: 0, end: 60 }], pause: 'sentence' },
};

let clock: VirtualClock;
beforeEach(() => {
  clock = new VirtualClock();
  clock.skip(1_000);
});

/** Serves an engine; the messages are what it replies. */
function serve(engine: Engine) {
  const messages: JobReply[] = [];
  const server = new EngineServer(engine, (message) => messages.push(message), clock);
  const count = (type: JobReply['type']) => messages.filter((message) => message.type === type).length;
  return { server, messages, count };
}

async function served(sine: SineOptions = { msPerChar: 1_000 }) {
  const { server, messages, count } = serve(await createSineEngine(sine, { clock }));
  const samples = () => messages.reduce((sum, message) => sum + (message.type === 'audio' ? message.pcm.length : 0), 0);
  const settled = async () => {
    for (let before = -1; before !== messages.length; await clock.advance(20)) before = messages.length;
    return samples();
  };
  return { server, messages, count, settled };
}

const CREDIT = 4 * 24_000;

it('sends as much as it has credit for, and goes on as more is given', async () => {
  const { server, messages, settled } = await served();
  server.receive({ type: 'job', job, creditSamples: CREDIT });
  const ahead = await settled();
  expect(ahead).toBeGreaterThanOrEqual(CREDIT);
  expect(ahead).toBeLessThan(CREDIT + 24_000);
  server.receive({ type: 'credit', id: 'a', samples: 48_000 });
  expect((await settled()) - ahead).toBe(48_000);
  server.receive({ type: 'credit', id: 'a', samples: 60 * 24_000 });
  expect(await settled()).toBe(60 * 24_000);
  expect(messages.at(-1)).toEqual({ type: 'end', id: 'a' });
});

it('acknowledges a cancellation, also of a job that waits for credit', async () => {
  const { server, messages, settled } = await served();
  server.receive({ type: 'job', job, creditSamples: CREDIT });
  await settled();
  server.receive({ type: 'cancel', id: 'a' });
  await settled();
  expect(messages.at(-1)).toMatchObject({ type: 'error', id: 'a', code: 'aborted' });
  await server.close();
});

it('runs in steps: a job comes with one, asks for every other one, and reports when one is used up', async () => {
  const { server, messages, settled } = await served({ msPerChar: 50, pace: 1_000 });
  server.receive({ type: 'job', job, creditSamples: 60 * 24_000 });
  await settled();
  const said = () => messages.map(({ type }) => type);
  expect(said()).toEqual(['ran', 'begin', 'waits']);
  server.receive({ type: 'turn', id: 'a' });
  await settled();
  expect(said()).toEqual(['ran', 'begin', 'waits', 'ran', 'audio', 'waits']);
  // With steps in hand it does not ask.
  for (let i = 0; i < 29; i++) server.receive({ type: 'turn', id: 'a' });
  await settled();
  expect(said().filter((type) => type === 'waits')).toHaveLength(2);
  expect(messages.at(-1)).toEqual({ type: 'end', id: 'a' });
});

it('runs one step at a time, however many jobs have one', async () => {
  let running = 0;
  let most = 0;
  const sine = await createSineEngine();
  const engine: Engine = {
    ...sine,
    speak: (...[spoken, steps, signal]: Parameters<typeof sine.speak>) =>
      sine.speak(
        spoken,
        {
          run: (work) =>
            steps.run(async (grant) => {
              most = Math.max(most, ++running);
              await clock.sleep(5);
              running -= 1;
              return work(grant);
            }),
        },
        signal,
      ),
  };
  const { server, count } = serve(engine);
  for (const id of ['a', 'b', 'c']) server.receive({ type: 'job', job: { ...job, id }, creditSamples: 1e9 });
  await clock.runUntil(() => count('end') === 3);
  expect(most).toBe(1);
});

it('gives up a step whose job was cancelled while it waited for it', async () => {
  const { server, messages, settled } = await served({ msPerChar: 50, pace: 1_000 });
  server.receive({ type: 'job', job, creditSamples: 60 * 24_000 });
  await settled();
  server.receive({ type: 'cancel', id: 'a' });
  await settled();
  expect(messages.at(-1)).toMatchObject({ type: 'error', id: 'a', code: 'aborted' });
  server.receive({ type: 'job', job: { ...job, id: 'b' }, creditSamples: 60 * 24_000 });
  await settled();
  expect(messages.at(-1)).toEqual({ type: 'waits', id: 'b' });
});

it('runs the soonest due step first, in whichever order they came', async () => {
  const { server, messages, count } = await served({ msPerChar: 10, delayMs: 40 });
  for (const [id, dueInMs] of [
    ['first', 5_000],
    ['bulk', undefined],
    ['later', 900],
    ['live', 100],
  ] as const) {
    const due = dueInMs === undefined ? {} : { dueInMs };
    server.receive({ type: 'job', job: { ...job, id, ...due }, creditSamples: 60 * 24_000 });
  }
  await clock.runUntil(() => count('end') === 4);
  const ran = messages.flatMap((message) => (message.type === 'ran' ? [message.id] : []));
  expect(ran).toEqual(['first', 'live', 'later', 'bulk']);
  await server.close();
});

it('lets the job whose step has ended go on before what is due later', async () => {
  const { server, messages, count } = await served({ msPerChar: 10, chunkMs: 200, delayMs: 40, pace: 10 });
  const begin = (id: string, dueInMs: number, whole: boolean) =>
    server.receive({ type: 'job', job: { ...job, id, dueInMs, whole }, creditSamples: 60 * 24_000 });
  begin('book', 9_000, true);
  server.receive({ type: 'turn', id: 'book', dueInMs: 9_000 });
  begin('live', 100, false);
  for (let i = 0; i < 2; i += 1) server.receive({ type: 'turn', id: 'live', dueInMs: 100 });
  await clock.runUntil(() => count('ran') === 5);
  const ran = messages.flatMap((message) => (message.type === 'ran' ? [message.id] : []));
  expect(ran).toEqual(['book', 'live', 'live', 'live', 'book']);
  await server.close();
});

describe('when a step is due', () => {
  /** In how many milliseconds each step was due; each makes a minute of audio. */
  async function dueIn({ wide, capacity, whole = false }: { wide: boolean; capacity?: number; whole?: boolean }) {
    const dues: number[] = [];
    const sine = await createSineEngine();
    const engine: Engine = {
      ...sine,
      ...(capacity !== undefined && { capacity }),
      async *speak(_job, steps) {
        for (let i = 0; i < 3; i += 1) {
          const pcm = await steps.run(async (grant) => {
            dues.push(grant.dueMs - clock.now());
            grant.spent(10);
            grant.early(0.7);
            return new Int16Array(1_440_000);
          });
          yield { type: 'audio', pcm };
        }
      },
    };
    const { server, messages, count } = serve(engine);
    server.receive({ type: 'wide', wide });
    server.receive({ type: 'job', job: { ...job, dueInMs: -100, whole }, creditSamples: 1e9 });
    for (const dueInMs of [-100, 5_000]) server.receive({ type: 'turn', id: 'a', dueInMs });
    await clock.runUntil(() => count('end') === 1);
    const early = messages.flatMap((message) => (message.type === 'ran' ? [message.earlyMs] : []));
    expect(early).toEqual([7, 7, 7]);
    return dues;
  }

  it('counts what a single listener was sent since the step was given', async () => {
    expect(await dueIn({ wide: true })).toEqual([-100, 60_000, 120_000]);
  });

  it('does not count that under load, where first audio may be held back, nor on a GPU', async () => {
    expect(await dueIn({ wide: false })).toEqual([-100, -100, 5_000]);
    expect(await dueIn({ wide: true, capacity: 4 })).toEqual([-100, -100, 5_000]);
  });

  it('is never, where nobody hears it before it is all there', async () => {
    const never = Number.POSITIVE_INFINITY;
    for (const wide of [true, false]) expect(await dueIn({ wide, whole: true })).toEqual([never, never, never]);
  });
});

describe('an engine that takes many steps at once, as on a GPU', () => {
  async function onGpu(sine: SineOptions) {
    const runs: (readonly string[])[] = [];
    const engine = await createSineEngine(
      { msPerChar: 1, chunkMs: 20, ...sine },
      { clock, onRun: (texts) => runs.push(texts) },
    );
    const { server, messages, count } = serve(engine);
    const begin = (id: string, dueInMs?: number) => {
      const named = { ...job.segment, text: id.padEnd(60, '.') };
      const due = dueInMs === undefined ? {} : { dueInMs };
      server.receive({ type: 'job', job: { ...job, id, ...due, segment: named }, creditSamples: 60 * 24_000 });
    };
    const step = (id: string, dueInMs?: number) =>
      server.receive({ type: 'turn', id, ...(dueInMs === undefined ? {} : { dueInMs }) });
    const names = () => runs.map((texts) => texts.map((text) => text.slice(0, text.indexOf('.'))));
    return { server, messages, runs, begin, step, count, names };
  }

  it('keeps the order of deadlines there too', async () => {
    const { server, begin, step, count, names } = await onGpu({ card: { runMs: 30, most: 1 } });
    const due = { first: 5_000, bulk: undefined, later: 900, live: 100 };
    for (const id of Object.keys(due)) begin(id);
    // Each has begun, and stands before its first chunk.
    await clock.runUntil(() => count('waits') === 4);
    for (const [id, dueInMs] of Object.entries(due)) step(id, dueInMs);
    await clock.runUntil(() => count('audio') === 4);
    expect(names()).toEqual([['live'], ['later'], ['first'], ['bulk']]);
    await server.close();
  });

  it('has a cancelled job in no run that begins afterwards', async () => {
    const { server, messages, runs, begin, step, count, names } = await onGpu({ card: { runMs: 100, most: 2 } });
    for (const id of ['stays', 'gone', 'waits']) begin(id);
    await clock.runUntil(() => count('waits') === 3);
    for (const id of ['stays', 'gone', 'waits']) for (let i = 0; i < 3; i++) step(id);
    await clock.runUntil(() => runs.length === 1);
    expect(names()).toEqual([['stays', 'gone']]);
    server.receive({ type: 'cancel', id: 'gone' });
    await clock.runUntil(() => count('end') === 2);
    expect(messages).toContainEqual(expect.objectContaining({ type: 'error', id: 'gone', code: 'aborted' }));
    expect(names().slice(1).flat()).not.toContain('gone');
    expect(names().flat().sort()).toEqual(['gone', ...Array(3).fill('stays'), ...Array(3).fill('waits')]);
    await server.close();
  });
});
