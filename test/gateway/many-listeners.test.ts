/** Hundreds of listeners on a virtual clock: how many are carried, and who is refused. */
import { setMaxListeners } from 'node:events';
import { beforeEach, expect, it } from 'vitest';
import { ListenerClock } from '../../src/client/load/listener.js';
import { createGateway } from '../../src/gateway/gateway.js';
import type { Policy } from '../../src/gateway/scheduler.js';
import { SpokenText } from '../../src/gateway/spoken-text.js';
import type { Gateway } from '../../src/gateway/types.js';
import { Autoscaler } from '../../src/gateway/workers/autoscaler.js';
import { WorkerPool } from '../../src/gateway/workers/pool.js';
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
/** Two slow cores: a second of speech takes an eighth of one, a step up to twice its time. */
const SLOW = { costs: { front: 0.055, window: 0.05 }, unsteady: 1 };
/** A buffered response of half a minute. */
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

const log = silentLogger();
const catalogue = loadCatalogue();
const OPTIONS = { catalogue, log, queueLimit: 5_000, lookahead: 3, admission: true };

async function start(policy: Policy = 'deadline'): Promise<void> {
  const { clock } = machine;
  const virtual = Array.from({ length: workers }, (_, i) => machine.worker(`w${i}`));
  gateway = createGateway({ ...OPTIONS, clock, pool: new WorkerPool(virtual, clock), policy });
  saturated = await saturate();
}

/** An idle server: one worker, which has spoken; the others have to start first. */
async function startWithOne(startMs: number): Promise<void> {
  const { clock } = machine;
  const pool = new WorkerPool([], clock);
  const autoscaler = new Autoscaler({
    pool,
    clock,
    startWorker: (number) => machine.worker(`w${number}`, number === 1 ? 0 : startMs),
    limits: () => ({ least: 1, most: workers }),
    maxStarting: workers / 2,
    idleMs: 60_000,
    log,
  });
  autoscaler.start();
  gateway = createGateway({ ...OPTIONS, clock, pool, autoscaler });
  for (const text of TEXTS) await machine.until(listen(text));
}

async function listen(text: string, { whole = false, speed = 1, owner = 'a' } = {}) {
  const about = { model, voice: 'english_female_professional', seed: 0, requestId: 'r' };
  const playback = new ListenerClock(machine.nowMs);
  const speech = gateway.open({ ...about, owner, speed, whole, chars: text.length });
  const cutter = new LocalCutter({ countTokens: (piece) => piece.length, language: 'en-US' });
  const spoken = new SpokenText(speech, cutter, machine.clock);
  spoken.text(text);
  spoken.end();
  try {
    for await (const event of spoken.speak(never))
      if (event.type === 'audio') playback.hear(event.pcm.length, machine.nowMs);
  } finally {
    spoken.close();
  }
  return playback.listened;
}

const isRefusal = (error: unknown) => error instanceof TtsError && error.code === 'overloaded';

/** Seconds of speech a second, with clients that always want the next text. */
async function saturate(): Promise<number> {
  const startMs = machine.nowMs;
  let audioMs = 0;
  const client = async (number: number) => {
    for (let next = number; machine.nowMs - startMs < 6_000; next++) {
      const heard = await listen(TEXTS[next % TEXTS.length]!).catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
      });
      audioMs += heard?.audioMs ?? 0;
      if (heard === undefined) await machine.sleep(100);
    }
  };
  await machine.until(Promise.all(Array.from({ length: 8 * workers }, (_, i) => client(i))));
  return audioMs / (machine.nowMs - startMs);
}

/** Listeners for this share of the saturated speech, each of three texts, spread or all at once. */
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

/** The same, while clients want buffered responses without end. */
async function besideBuffered(share: number) {
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

it('carries nine tenths of the saturated speech where listeners come one after the other', async () => {
  await start();
  expect(await crowd(0.9, 'spread')).toMatchObject({ stalled: 0, refused: 0 });
});

it('carries two thirds of it where all come at once, and none waits long for first audio', async () => {
  await start();
  const { latestMs, ...rest } = await crowd(0.65, 'burst');
  expect(rest).toMatchObject({ stalled: 0, refused: 0 });
  expect(latestMs).toBeLessThan(3_000);
});

it('admits three quarters of those where most workers have to start first, and none of them stalls', async () => {
  workers = 8;
  await start();
  await startWithOne(2_000);
  const { stalled, heard, refused } = await crowd(0.65, 'burst');
  expect(stalled).toBe(0);
  expect(heard / (heard + refused)).toBeGreaterThan(0.75);
});

it.each(['base-tts-fast', 'base-tts'] as const)(
  'refuses some where twice as many come for %s, so that no listener stalls; then it admits the next at once',
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
  'stalls no admitted stream on two slow cores, where a front takes longer than a first window lasts (%s)',
  async (arrivals) => {
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

it('refuses more of the streams at double speed, and none of the others stalls', async () => {
  await start();
  const slow = await crowd(1.3, 'spread');
  const fast = await crowd(1.3, 'spread', 2);
  expect([slow.stalled, fast.stalled]).toEqual([0, 0]);
  expect(fast.refused).toBeGreaterThan(slow.refused);
});

it('lets buffered responses fill what live streams leave; first come, first served makes those late', async () => {
  await start();
  const ours = await besideBuffered(0.8);
  expect(ours).toMatchObject({ stalled: 0, refused: 0 });
  expect(ours.latestMs).toBeLessThan(1_000);
  expect(ours.made).toBeGreaterThan(0);
  await start('fifo');
  const theirs = await besideBuffered(0.1);
  expect(theirs.latestMs).toBeGreaterThan(3_000);
});

it('lets a listener begin within the steps that run, and never stall, beside a book', async () => {
  workers = 2;
  await start();
  const listeners = async () => {
    const heard: Awaited<ReturnType<typeof listen>>[] = [];
    for (const text of [...TEXTS, ...TEXTS, ...TEXTS]) {
      const one = await machine.until(listen(text));
      heard.push(one);
      await machine.until(machine.sleep(Math.max(0, one.playedOutAtMs - machine.nowMs)));
    }
    expect(heard.filter((one) => one.stalled)).toEqual([]);
    return Math.max(...heard.map(({ firstAudioMs }) => firstAudioMs));
  };
  const aloneMs = await listeners();
  let over = false;
  let sentences = 0;
  const book = Array.from({ length: 4 * workers }, async (_, n) => {
    for (; !over; sentences++)
      await listen(TEXTS[n % TEXTS.length]!.split(/(?<=\.) /)[0]!, { whole: true, owner: 'b' });
  });
  const besideMs = await listeners();
  over = true;
  await machine.until(Promise.all(book));
  // The longest step is the front of a sentence of 72 characters, 173 ms.
  expect(besideMs).toBeLessThan(aloneMs + 175);
  expect(sentences).toBeGreaterThan(100);
});
