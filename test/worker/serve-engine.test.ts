/** An engine behind a message channel: how far it runs ahead, and that it stops when it is told to. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { createSineEngine, type SineOptions } from '../../src/engine/sine.js';
import type { SegmentJob } from '../../src/protocol/job.js';
import type { JobReply } from '../../src/worker/protocol.js';
import { serveEngine } from '../../src/worker/serve-engine.js';

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

async function served(sine: SineOptions = { msPerChar: 1_000 }) {
  const messages: JobReply[] = [];
  const engine = await createSineEngine(sine);
  const server = serveEngine(engine, (message) => messages.push(message));
  const samples = () => messages.reduce((sum, message) => sum + (message.type === 'audio' ? message.pcm.length : 0), 0);
  const settled = async () => {
    for (let before = -1; before !== samples(); await sleep(20)) before = samples();
    return samples();
  };
  return { server, messages, settled };
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

it('runs in turns: a job comes with one, asks for each other one, and says when it is used up', async () => {
  const { server, messages, settled } = await served({ msPerChar: 50, pace: 1_000 });
  server.receive({ type: 'job', job, creditSamples: 60 * 24_000 });
  await settled();
  const said = () => messages.map(({ type }) => type);
  expect(said()).toEqual(['ran', 'begin', 'waits']);
  server.receive({ type: 'turn', id: 'a' });
  await settled();
  expect(said()).toEqual(['ran', 'begin', 'waits', 'ran', 'audio', 'waits']);
  // With turns in hand it does not ask.
  for (let i = 0; i < 29; i++) server.receive({ type: 'turn', id: 'a' });
  await settled();
  expect(said().filter((type) => type === 'waits')).toHaveLength(2);
  expect(messages.at(-1)).toEqual({ type: 'end', id: 'a' });
});

it('makes one run at a time, however many jobs have a turn', async () => {
  let running = 0;
  let most = 0;
  const sine = await createSineEngine();
  const engine = {
    ...sine,
    speak: (...[spoken, steps, signal]: Parameters<typeof sine.speak>) =>
      sine.speak(
        spoken,
        {
          run: (work) =>
            steps.run(async (grant) => {
              most = Math.max(most, ++running);
              await sleep(5);
              running -= 1;
              return work(grant);
            }),
        },
        signal,
      ),
  };
  const messages: JobReply[] = [];
  const server = serveEngine(engine, (message) => messages.push(message));
  for (const id of ['a', 'b', 'c']) server.receive({ type: 'job', job: { ...job, id }, creditSamples: 1e9 });
  while (messages.filter(({ type }) => type === 'end').length < 3) await sleep(5);
  expect(most).toBe(1);
});

it('gives up a turn whose job was cancelled while it waited for it', async () => {
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

it('runs what is due soonest first, whoever sent it and whenever it came', async () => {
  const { server, messages } = await served({ msPerChar: 10, delayMs: 40 });
  for (const [id, dueInMs] of [
    ['first', 5_000],
    ['bulk', undefined],
    ['later', 900],
    ['live', 100],
  ] as const) {
    const due = dueInMs === undefined ? {} : { dueInMs };
    server.receive({ type: 'job', job: { ...job, id, ...due }, creditSamples: 60 * 24_000 });
  }
  while (messages.filter(({ type }) => type === 'end').length < 4) await sleep(10);
  const ran = messages.flatMap((message) => (message.type === 'ran' ? [message.id] : []));
  expect(ran).toEqual(['first', 'live', 'later', 'bulk']);
  await server.close();
});

describe('when a turn is due', () => {
  /** What each turn of an engine was told, in milliseconds from when it began; it says a minute in each. */
  async function told({ wide, capacity }: { wide: boolean; capacity?: number }): Promise<number[]> {
    const dues: number[] = [];
    const messages: JobReply[] = [];
    const sine = await createSineEngine();
    const engine: Engine = {
      ...sine,
      ...(capacity !== undefined && { capacity }),
      async *speak(_job, steps) {
        for (let i = 0; i < 3; i += 1) {
          const pcm = await steps.run(async (grant) => {
            dues.push(Math.round(grant.dueMs - performance.now()));
            grant.early(7);
            return new Int16Array(1_440_000);
          });
          yield { type: 'audio', pcm };
        }
      },
    };
    const server = serveEngine(engine, (message) => messages.push(message));
    server.receive({ type: 'wide', wide });
    server.receive({ type: 'job', job: { ...job, dueInMs: -100 }, creditSamples: 1e9 });
    for (const dueInMs of [-100, 5_000]) server.receive({ type: 'turn', id: 'a', dueInMs });
    while (messages.at(-1)?.type !== 'end') await sleep(5);
    const early = messages.flatMap((message) => (message.type === 'ran' ? [message.earlyMs] : []));
    expect(early).toEqual([7, 7, 7]);
    return dues;
  }

  it('counts what a lone listener was sent since it was given', async () => {
    const [first, second, third] = await told({ wide: true });
    expect(first).toBeLessThanOrEqual(-100);
    expect(second).toBeGreaterThan(5_000);
    expect(second).toBeLessThanOrEqual(60_000);
    expect(third).toBeGreaterThan(60_000);
  });

  it('does not in company, where a first sound may be kept until there is more, nor on a card', async () => {
    expect((await told({ wide: false }))[1]).toBeLessThanOrEqual(-100);
    expect((await told({ wide: true, capacity: 4 }))[1]).toBeLessThanOrEqual(-100);
  });
});

describe('an engine that runs many turns at once on a card', () => {
  async function onCard(sine: SineOptions) {
    const messages: JobReply[] = [];
    const runs: (readonly string[])[] = [];
    const engine = await createSineEngine(
      { msPerChar: 1, chunkMs: 20, ...sine },
      { onRun: (texts) => runs.push(texts) },
    );
    const server = serveEngine(engine, (message) => messages.push(message));
    const begin = (id: string, dueInMs?: number) => {
      const named = { ...job.segment, text: id.padEnd(60, '.') };
      const due = dueInMs === undefined ? {} : { dueInMs };
      server.receive({ type: 'job', job: { ...job, id, ...due, segment: named }, creditSamples: 60 * 24_000 });
    };
    const turn = (id: string, dueInMs?: number) =>
      server.receive({ type: 'turn', id, ...(dueInMs === undefined ? {} : { dueInMs }) });
    const count = (type: JobReply['type']) => messages.filter((message) => message.type === type).length;
    const names = () => runs.map((texts) => texts.map((text) => text.slice(0, text.indexOf('.'))));
    return { server, messages, runs, begin, turn, count, names };
  }

  it('keeps the order of deadlines there too', async () => {
    const { server, begin, turn, count, names } = await onCard({ card: { runMs: 30, most: 1 } });
    const due = { first: 5_000, bulk: undefined, later: 900, live: 100 };
    for (const id of Object.keys(due)) begin(id);
    // Each has begun, and stands before its first chunk.
    while (count('waits') < 4) await sleep(5);
    for (const [id, dueInMs] of Object.entries(due)) turn(id, dueInMs);
    while (count('audio') < 4) await sleep(5);
    expect(names()).toEqual([['live'], ['later'], ['first'], ['bulk']]);
    await server.close();
  });

  it('has a cancelled job in no run that begins afterwards', async () => {
    const { server, messages, runs, begin, turn, count, names } = await onCard({ card: { runMs: 100, most: 2 } });
    for (const id of ['stays', 'gone', 'waits']) begin(id);
    while (count('waits') < 3) await sleep(5);
    for (const id of ['stays', 'gone', 'waits']) for (let i = 0; i < 3; i++) turn(id);
    while (runs.length < 1) await sleep(5);
    expect(names()).toEqual([['stays', 'gone']]);
    server.receive({ type: 'cancel', id: 'gone' });
    while (count('end') < 2) await sleep(5);
    expect(messages).toContainEqual(expect.objectContaining({ type: 'error', id: 'gone', code: 'aborted' }));
    expect(names().slice(1).flat()).not.toContain('gone');
    expect(names().flat().sort()).toEqual(['gone', ...Array(3).fill('stays'), ...Array(3).fill('waits')]);
    await server.close();
  });
});
