/** Hundreds of listeners on a machine whose time is counted: how many are carried without a break, in which order, and who is turned away. */
import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ListenerClock } from '../../src/client/load/listener.js';
import { createGateway } from '../../src/gateway/gateway.js';
import type { Policy } from '../../src/gateway/scheduler.js';
import { SpokenText } from '../../src/gateway/spoken-text.js';
import type { Gateway } from '../../src/gateway/types.js';
import { createCrew } from '../../src/gateway/workers/crew.js';
import { createPool } from '../../src/gateway/workers/pool.js';
import { silentLogger } from '../../src/log.js';
import { loadCatalogue } from '../../src/models/catalogue.js';
import { TtsError } from '../../src/protocol/errors.js';
import type { BaseModel } from '../../src/protocol/job.js';
import { LocalCutter } from '../../src/text/segment/cutter.js';
import { VirtualMachine } from '../support/virtual-machine.js';

const TEXTS = [
  'The two of them walked along the river until the lights were far behind. Neither of them said a word.',
  'Somebody had left a lantern on the wall, still burning. Under it there was a letter, folded in half.',
  'It was late when the last train came in, and nobody was waiting for it. The lamps went out one by one.',
];
const TEXT_MS = 6_500;
const ROUNDS = 3;
/** Two of many who share a machine: a second of speech takes an eighth of one, and any run up to twice as long as it should. */
const SLOW = { costs: { front: 0.055, window: 0.05 }, unsteady: 1 };
/** A whole answer of half a minute. */
const LONG = [...TEXTS, ...TEXTS].join(' ');
const never = new AbortController().signal;
setMaxListeners(0, never);

let machine: VirtualMachine;
let workers: number;
let gateway: Gateway;
let saturated: number;
let model: BaseModel;

beforeEach(() => {
  machine = new VirtualMachine();
  workers = 4;
  model = 'base-tts-fast';
});
afterEach(() => {
  vi.restoreAllMocks();
});

const log = silentLogger();
const catalogue = loadCatalogue();
const OPTIONS = { catalogue, log, queueLimit: 5_000, lookahead: 3, admission: true };

async function start(policy: Policy = 'deadline'): Promise<void> {
  const pool = createPool(Array.from({ length: workers }, (_, i) => machine.worker(`w${i}`)));
  gateway = createGateway({ ...OPTIONS, pool, policy });
  saturated = await saturate();
}

/** As quiet as a server is at night: one worker, which has spoken; the others have to start first. */
async function startWithOne(startMs: number): Promise<void> {
  const pool = createPool();
  const hire = (number: number) => machine.worker(`w${number}`, number === 1 ? 0 : startMs);
  const crew = createCrew({ pool, hire, least: 1, most: workers, startsAtOnce: workers / 2, idleMs: 60_000, log });
  crew.start();
  gateway = createGateway({ ...OPTIONS, pool, crew });
  for (const text of TEXTS) await machine.until(listen(text));
}

async function listen(text: string, { whole = false, speed = 1, owner = 'a' } = {}) {
  const about = { model, voice: 'english_female_professional', seed: 0, requestId: 'r' };
  const clock = new ListenerClock(machine.nowMs);
  const speech = gateway.open({ ...about, owner, speed, whole, chars: text.length });
  const spoken = new SpokenText(speech, new LocalCutter({ countTokens: (piece) => piece.length, language: 'en-US' }));
  spoken.text(text);
  spoken.end();
  try {
    for await (const event of spoken.speak(never))
      if (event.type === 'audio') clock.hear(event.pcm.length, machine.nowMs);
  } finally {
    spoken.close();
  }
  return clock.listened;
}

const isRefusal = (error: unknown) => error instanceof TtsError && error.code === 'overloaded';

/** Seconds of speech a second, with clients who want nothing but the next text. */
async function saturate(): Promise<number> {
  const startMs = machine.nowMs;
  let audioMs = 0;
  const client = async (number: number) => {
    for (let turn = number; machine.nowMs - startMs < 6_000; turn++) {
      const heard = await listen(TEXTS[turn % TEXTS.length]!).catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
      });
      audioMs += heard?.audioMs ?? 0;
      if (heard === undefined) await machine.sleep(100);
    }
  };
  await machine.until(Promise.all(Array.from({ length: 8 * workers }, (_, i) => client(i))));
  return audioMs / (machine.nowMs - startMs);
}

/** This share of what is made at most, each for three texts, spread over one or all at once. */
async function crowd(share: number, arrivals: 'spread' | 'burst', speed = 1) {
  const count = Math.floor(share * saturated);
  const heard: Awaited<ReturnType<typeof listen>>[] = [];
  let refused = 0;
  const listener = async (number: number) => {
    if (arrivals === 'spread') await machine.sleep(((number / count) * TEXT_MS) / speed);
    for (let round = 0; round < ROUNDS; round++) {
      try {
        const one = await listen(TEXTS[(number + round) % TEXTS.length]!, { speed });
        heard.push(one);
        await machine.sleep(one.playedOutAtMs - machine.nowMs);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused++;
        await machine.sleep(TEXT_MS / speed);
      }
    }
  };
  await machine.until(Promise.all(Array.from({ length: count }, (_, i) => listener(i))));
  const stalled = heard.filter((one) => one.stalled).length;
  const latestMs = Math.max(...heard.map(({ firstAudioMs }) => firstAudioMs));
  return { stalled, refused, heard: heard.length, latestMs };
}

/** The same, while clients want whole answers without end. */
async function besideWholeAnswers(share: number) {
  let over = false;
  let made = 0;
  const bulk = Array.from({ length: 8 * workers }, async () => {
    for (; !over; made++) await listen(LONG, { whole: true, owner: 'b' });
  });
  const result = await crowd(share, 'spread');
  over = true;
  await machine.until(Promise.all(bulk));
  return { ...result, made };
}

it('carries nine tenths of what it makes at most where listeners come one after the other', async () => {
  await start();
  expect(await crowd(0.9, 'spread')).toMatchObject({ stalled: 0, refused: 0 });
});

it('carries two thirds of it where all come at once, and none waits long for his first sound', async () => {
  await start();
  const { latestMs, ...rest } = await crowd(0.65, 'burst');
  expect(rest).toMatchObject({ stalled: 0, refused: 0 });
  expect(latestMs).toBeLessThan(3_000);
});

it('takes three quarters of those where most workers have to start first, and none of them has a break', async () => {
  workers = 8;
  await start();
  await startWithOne(2_000);
  const { stalled, heard, refused } = await crowd(0.65, 'burst');
  expect(stalled).toBe(0);
  expect(heard / (heard + refused)).toBeGreaterThan(0.75);
});

it.each(['base-tts-fast', 'base-tts'] as const)(
  'turns some away where twice as many come for %s, so that nobody has a break; then it takes the next at once',
  async (asked) => {
    model = asked;
    await start();
    const { stalled, refused, heard } = await crowd(2, 'spread');
    expect(stalled).toBe(0);
    expect(refused).toBeGreaterThan(0);
    expect(heard).toBeGreaterThan(ROUNDS * 0.6 * saturated);
    const alone = await machine.until(listen(TEXTS[0]!));
    await machine.until(machine.sleep(TEXT_MS));
    const next = await machine.until(listen(TEXTS[0]!));
    expect(alone.firstAudioMs).toBeCloseTo(next.firstAudioMs, 0);
  },
);

it.each(['spread', 'burst'] as const)(
  'keeps everybody it took from a break on two slow cores as well, where a front is longer than a first window lasts (%s)',
  async (arrivals) => {
    vi.restoreAllMocks();
    machine = new VirtualMachine(SLOW);
    workers = 2;
    await start();
    expect(await crowd(0.6, arrivals)).toMatchObject({ stalled: 0, refused: 0 });
    const { stalled, refused, heard } = await crowd(2, arrivals);
    expect(stalled).toBe(0);
    expect(refused).toBeGreaterThan(0);
    expect(heard).toBeGreaterThan(ROUNDS * 0.8 * saturated);
  },
);

it('turns more away of those who want it spoken fast, and none of the others has a break', async () => {
  await start();
  const slow = await crowd(1.3, 'spread');
  const fast = await crowd(1.3, 'spread', 2);
  expect([slow.stalled, fast.stalled]).toEqual([0, 0]);
  expect(fast.refused).toBeGreaterThan(slow.refused);
});

it('lets whole answers fill what listeners leave, where first come, first served serves none of them in time', async () => {
  await start();
  const ours = await besideWholeAnswers(0.8);
  expect(ours).toMatchObject({ stalled: 0, refused: 0 });
  expect(ours.latestMs).toBeLessThan(1_000);
  expect(ours.made).toBeGreaterThan(0);
  await start('fifo');
  const theirs = await besideWholeAnswers(0.1);
  expect(theirs.latestMs).toBeGreaterThan(3_000);
});
