/** Any client of a broker can send anything: gateways and workers stay up, their work goes on. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { LogBrake } from '../../src/worker/log-brake.js';
import type { Bus } from '../../src/worker/nats-bus.js';
import { encode, SUBJECT } from '../../src/worker/nats-wire.js';
import { hasNats, type NatsServer, startNats } from '../../testkit/nats.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';
import { collect, failureOf, grantAll, jobOf, until } from '../support/books/jobs.js';
import { serveSine, watch, workerNamed } from '../support/processes/nats-workers.js';

const never = new AbortController().signal;
const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function broker(config?: string): Promise<NatsServer> {
  if (config === undefined) {
    const nats = await startNats();
    open.push(() => nats.close());
    return nats;
  }
  const dir = mkdtempSync(path.join(tmpdir(), 'tts-nats-'));
  open.push(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(path.join(dir, 'nats.conf'), config);
  const nats = await startNats(['-c', path.join(dir, 'nats.conf')]);
  open.push(() => nats.close());
  return nats;
}

function listLog() {
  const lines: { msg: string; times?: number }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

/** A worker that speaks, the gateway that it speaks for, and a third at the same broker. */
async function setUp(nats: NatsServer) {
  const { log, lines } = listLog();
  const [ours, theirs, stranger] = [await nats.bus({ log }), await nats.bus({ log }), await nats.bus()];
  let drops = 0;
  for (const bus of [ours, theirs]) bus.onChange(() => (drops += 1));
  const engine = serveSine(theirs, 'w1', { msPerChar: 20, pace: 20 });
  open.push(engine.close);
  const { pool, workers } = watch(ours, { log });
  open.push(() => workers.close());
  const worker = await workerNamed(pool, 'w1');
  await until(() => worker.state === 'ready');
  worker.onChange(() => grantAll(worker));
  const speak = async () => (await collect(worker.run(jobOf('Good evening, everybody.'), never))).pcm;
  return { worker, pool, stranger, speak, lines, engine, drops: () => drops };
}

/** Numbers that are the same in every run. */
function dice(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What was seen on the bus, in all the ways in which it can be wrong. */
function broken(seen: readonly Uint8Array[], roll: (below: number) => number): Uint8Array {
  const VALUES: readonly unknown[] = [
    null,
    {},
    [],
    -1,
    1e300,
    '',
    'a b',
    '>',
    'x.*',
    true,
    0.5,
    { toString: 1 },
    '\u0000'.repeat(20),
  ];
  const bytes = Buffer.from(seen[roll(seen.length)] ?? Buffer.from('{}'));
  const kind = roll(5);
  if (kind === 0) return Buffer.from(Array.from({ length: roll(40) }, () => roll(256)));
  if (kind === 1) return Buffer.from([1, ...Array.from({ length: roll(40) }, () => roll(256))]);
  if (kind === 2) return bytes.subarray(0, roll(bytes.length + 1));
  if (kind === 3) {
    for (let i = 0; i <= roll(4); i++) bytes[roll(bytes.length)] = roll(256);
    return bytes;
  }
  try {
    const message = JSON.parse(bytes.toString());
    let part = message;
    for (;;) {
      const key = Object.keys(part)[roll(Object.keys(part).length)]!;
      const inner = part[key];
      if (typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0 && roll(2) === 0) part = inner;
      else {
        part[key] = VALUES[roll(VALUES.length)];
        return Buffer.from(JSON.stringify(message));
      }
    }
  } catch {
    return bytes.subarray(1);
  }
}

/** Not the ids of the workers in use: with those, a client can send all that they send. */
const renamed = (payload: Uint8Array): Uint8Array =>
  payload[0] === 1 ? payload : Buffer.from(Buffer.from(payload).toString('latin1').replaceAll('w1', 'w9'), 'latin1');

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('other clients of the broker', () => {
    it('send nonsense and parts of right messages on every subject: no process fails, and work goes on', async () => {
      const nats = await broker();
      const { speak, stranger, lines, engine, drops, worker } = await setUp(nats);
      const seen: Uint8Array[] = [];
      const subjects = new Set<string>([SUBJECT.workers, SUBJECT.hello, SUBJECT.worker('w1')]);
      const stop = stranger.subscribe('>', (payload, subject) => {
        if (seen.length < 500) seen.push(Uint8Array.from(payload));
        if (subject.startsWith('gateway.') && subjects.size < 20) subjects.add(subject);
      });
      const undisturbed = await speak();
      await until(() => seen.length > 20);
      stop();
      expect([...subjects].some((subject) => subject.startsWith('gateway.'))).toBe(true);
      const pid = engine.pid();
      const roll = dice(7);
      const all = [...subjects, SUBJECT.link('nobody', 'w1~x')];
      for (let round = 0; round < 20; round++) {
        const speaking = speak().catch((error: Error) => error);
        for (let i = 0; i < 200; i++) stranger.publish(all[roll(all.length)]!, renamed(broken(seen, roll)));
        await sleep(5);
        // A number that is forged on the very link may cost that link, and never a sample of what
        // is heard.
        const spoken = await speaking;
        if (!(spoken instanceof Error)) expect(spoken).toEqual(undisturbed);
      }
      await until(() => worker.state === 'ready');
      expect(await speak()).toEqual(undisturbed);
      expect(engine.pid()).toBe(pid);
      expect(drops()).toBe(0);
      expect(lines.length).toBeLessThan(100);
    });

    it('send what once threw: a byte of audio, a link that is no name, invalid facts', async () => {
      const nats = await broker();
      const { speak, stranger, engine, drops, pool } = await setUp(nats);
      const undisturbed = await speak();
      const pid = engine.pid();
      const turn = { v: 1, type: 'turn', link: {}, gateway: {}, id: 'job-1', n: 0 };
      for (const subject of [SUBJECT.workers, SUBJECT.hello, SUBJECT.worker('w1'), 'gateway.x.w1~y']) {
        stranger.publish(subject, Buffer.from([1]));
        stranger.publish(subject, encode(turn));
        stranger.publish(subject, encode({ ...turn, gateway: 'a b', link: 'x y' }));
        stranger.publish(subject, encode({ v: 1, type: 'silent', life: '1', silentMs: 0 }));
      }
      stranger.publish(SUBJECT.workers, encode({ v: 1, id: 'w2', life: '1', state: 'ready', turns: 0, facts: null }));
      stranger.publish(SUBJECT.workers, encode({ v: 1, id: 'a.b', life: '1', state: 'ready', turns: 0 }));
      expect(await speak()).toEqual(undisturbed);
      expect(pool.workers.map(({ id }) => id)).toEqual(['w1']);
      expect([engine.pid(), drops()]).toEqual([pid, 0]);
    });

    it('cause a few lines in the log by thousands of messages, and bounded memory', async () => {
      const nats = await broker();
      const { speak, stranger, lines, pool } = await setUp(nats);
      const before = lines.length;
      for (let i = 0; i < 5_000; i++) {
        stranger.publish(SUBJECT.workers, encode({ v: 2, id: `other-${i}` }));
        stranger.publish(SUBJECT.workers, encode({ v: 1, id: `fake-${i}`, life: '1', state: 'starting', turns: 0 }));
        stranger.publish(SUBJECT.worker('w1'), encode({ nonsense: i }));
        stranger.publish(
          SUBJECT.worker('w1'),
          encode({ v: 1, type: 'beat', link: `w1~${i}`, gateway: `g${i}`, sent: 1 }),
        );
      }
      // One that is not heard again goes: a slow machine never has all of them at once.
      let most = 0;
      await until(() => {
        most = Math.max(most, pool.workers.length);
        return most > 100;
      });
      expect((await speak()).length).toBeGreaterThan(0);
      expect(Math.max(most, pool.workers.length)).toBeLessThanOrEqual(1_000);
      const said = lines.slice(before).map(({ msg }) => msg);
      expect(said.filter((msg) => msg.includes('another version'))).toHaveLength(1);
      expect(said.length).toBeLessThan(20);
    });

    it('give a job too many steps, or an id to two jobs: their link is dropped, and no other', async () => {
      const nats = await broker();
      const { speak, stranger, engine } = await setUp(nats);
      const undisturbed = await speak();
      const pid = engine.pid();
      const lost: string[] = [];
      const listen = (bus: Bus, link: string) =>
        bus.subscribe(SUBJECT.link('g9', link), (payload) => {
          const reply =
            payload[0] === 1 ? {} : (JSON.parse(Buffer.from(payload).toString()) as { type?: string; why?: string });
          if (reply.type === 'lost') lost.push(reply.why!);
        });
      for (const link of ['w1~steps', 'w1~twice', 'w1~none']) listen(stranger, link);
      const say = (link: string, n: number, message: object) =>
        stranger.publish(SUBJECT.worker('w1'), encode({ v: 1, gateway: 'g9', link, n, ...message }));
      const job = { type: 'job', job: jobOf('A sentence that nobody wants.', { id: 'j' }), creditSamples: 10 };
      say('w1~steps', 0, job);
      for (let n = 1; n < 40; n++) say('w1~steps', n, { type: 'turn', id: 'j' });
      await until(() => lost.some((why) => why.includes('too many steps')));
      say('w1~twice', 0, job);
      say('w1~twice', 1, job);
      await until(() => lost.some((why) => why.includes('a job twice')));
      say('w1~none', 0, { type: 'turn', id: 'j' });
      await until(() => lost.some((why) => why.includes('begins without a job')));
      expect(await speak()).toEqual(undisturbed);
      expect(engine.pid()).toBe(pid);
    });
  });

  describe('a broker that takes only small messages', () => {
    it('is refused by gateway and worker when they connect, by the name of its setting', async () => {
      const nats = await broker('max_payload: 16384\n');
      await expect(nats.bus()).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringMatching(/takes messages of at most 16384 bytes.*max_payload.*65536/),
      });
      const home = mkdtempSync(path.join(tmpdir(), 'tts-nats-'));
      open.push(() => rmSync(home, { recursive: true, force: true }));
      const env = { PATH: process.env.PATH, HOME: home, TTS_ENGINE: 'sine', TTS_NATS: nats.url };
      for (const args of [['worker'], ['serve', '--port', '0', '--workers', '0']]) {
        const ran = await promisify(execFile)(process.execPath, [BIN, ...args], { env, timeout: 30_000 }).catch(
          (e) => e,
        );
        expect(ran.code, args[0]).toBe(2);
        expect(ran.stderr).toMatch(/max_payload.*65536/);
      }
    });

    it('that takes just enough carries speech; a larger segment fails by that name, and nothing else does', async () => {
      const nats = await broker('max_payload: 65536\n');
      const { speak, worker, drops } = await setUp(nats);
      const undisturbed = await speak();
      // What the gateway sends is too large, then what the worker answers.
      for (const length of [70_000, 30_000]) {
        const text = 'x'.repeat(length);
        const segment = {
          text,
          offset: 0,
          spans: [{ kind: 'text', text: 'x', start: 0, end: 1 }],
          pause: 'none',
        } as const;
        const error = await failureOf(() => worker.run(jobOf(segment), never));
        expect(error.message).toMatch(/max_payload/);
        expect(await speak()).toEqual(undisturbed);
      }
      await until(() => worker.busy === 0 && worker.idle);
      expect(drops()).toBe(0);
    });
  });
}

describe('a line of the log that other programs can cause', () => {
  it('is written at once, then once a window with its count', async () => {
    const { log, lines } = listLog();
    const clock = new VirtualClock();
    const brake = new LogBrake(log, clock);
    for (let i = 0; i < 100; i++) brake.write('warn', { i }, 'again');
    brake.write('info', {}, 'another');
    expect(lines.map(({ msg }) => msg)).toEqual(['again', 'another']);
    await clock.advance(10_000);
    expect(lines[2]).toMatchObject({ msg: 'again', times: 99, i: 99 });
    await clock.advance(10_000);
    expect(lines).toHaveLength(3);
    brake.write('warn', {}, 'again');
    expect(lines).toHaveLength(4);
    brake.close();
  });
});
