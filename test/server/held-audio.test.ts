/**
 * Room for buffered responses: shares of keys, temporary files, makers that wait, and readers that
 * are cut.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/log.js';
import { DEFAULT_SETTINGS } from '../../src/server/settings.js';
import { answerSize } from '../../src/server/speech/answer-size.js';
import type { HeldAnswer } from '../../src/server/speech/held-answer.js';
import { HeldAudio, type HeldAudioOptions, type Holder } from '../../src/server/speech/held-audio.js';
import { until } from '../../testkit/server.js';
import { VirtualClock } from '../../testkit/virtual-clock.js';

const KB = 1_000;
const signal = new AbortController().signal;
const FREE: Holder = { id: 'freekey1', tier: 'free' };
const partner = (id: string): Holder => ({ id, tier: 'partner' });
const size = (bytes: number) => ({ chars: 100, bytes, param: 'input' });
const bytesOf = (length: number, from = 0) => Uint8Array.from({ length }, (_, i) => (from + i) % 251);

describe('HeldAudio', () => {
  let dir: string;
  const opened: HeldAudio[] = [];
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'tts-held-test-'));
  });
  afterEach(async () => {
    for (const held of opened.splice(0)) await held.close();
    rmSync(dir, { recursive: true });
  });

  const open = (options: Partial<HeldAudioOptions> = {}): HeldAudio => {
    const held = new HeldAudio({
      memoryBytes: 80 * KB,
      diskBytes: 720 * KB,
      dir,
      stallMs: 20_000,
      log: silentLogger(),
      ...options,
    });
    opened.push(held);
    return held;
  };
  const fill = async (answer: HeldAnswer, bytes: number, step = 5 * KB) => {
    for (let at = 0; at < bytes; at += step) await answer.append(bytesOf(Math.min(step, bytes - at), at), signal);
  };
  const content = async (answer: HeldAnswer) => {
    const pieces = [];
    for await (const piece of answer.read(1_000)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  };

  it('gives a Free key an eighth and any key a quarter of the memory, and the rest to files', async () => {
    const held = open();
    const free = await held.take(size(50 * KB), FREE);
    await fill(free, 50 * KB);
    expect([free.room.memory, free.room.disk]).toEqual([10 * KB, 40 * KB]);
    const own = partner('partner1');
    const answers = [await held.take(size(50 * KB), own), await held.take(size(50 * KB), own)];
    for (const answer of answers) await fill(answer, 50 * KB);
    expect(answers[0]!.room.memory + answers[1]!.room.memory).toBe(20 * KB);
    expect(readdirSync(dir)).toHaveLength(3);
    for (const name of readdirSync(dir)) expect(statSync(path.join(dir, name)).mode & 0o777).toBe(0o600);
    expect(Buffer.compare(await content(answers[1]!), bytesOf(50 * KB))).toBe(0);
    for (const answer of [free, ...answers]) answer.release();
    await until(() => readdirSync(dir).length === 0);
  });

  it('refuses a key beyond its share with 503, while another key has room', async () => {
    const held = open();
    await held.take(size(60 * KB), FREE);
    const refused = await held.take(size(60 * KB), FREE).catch((error) => error);
    expect(refused).toMatchObject({ code: 'overloaded', message: expect.stringContaining('its share') });
    expect(refused.retryAfterS).toBeGreaterThan(0);
    expect(await held.take(size(60 * KB), partner('partner1'))).toBeDefined();
  });

  it('counts bytes as they are made: what was promised beyond them is free when an answer is made', async () => {
    const held = open();
    const first = await held.take(size(100 * KB), FREE);
    await expect(held.take(size(50 * KB), FREE)).rejects.toMatchObject({ code: 'overloaded' });
    await fill(first, 5 * KB);
    first.finish();
    expect(await held.take(size(50 * KB), FREE)).toBeDefined();
  });

  it('refuses at the beginning what could never be held, and says how much could', () => {
    const held = open();
    expect(() => held.check(size(100 * KB))).not.toThrow();
    expect(() => held.check(size(200 * KB))).toThrow(/at most 50 such characters/);
  });

  it('lets a maker that outgrew its promise wait until others are read, and never fails it', async () => {
    const held = open({ memoryBytes: 20 * KB, diskBytes: 20 * KB });
    const others = [];
    for (const id of ['partner1', 'partner2', 'partner3']) {
      const other = await held.take(size(10 * KB), partner(id));
      await fill(other, 10 * KB);
      other.finish();
      others.push(other);
    }
    const long = await held.take(size(5 * KB), partner('partner4'));
    const made = fill(long, 20 * KB);
    await until(() => long.room.waiting);
    for (const other of others) {
      expect(Buffer.compare(await content(other), bytesOf(10 * KB))).toBe(0);
      other.release();
    }
    await made;
    expect(Buffer.compare(await content(long), bytesOf(20 * KB))).toBe(0);
  });

  it('refuses the newest of makers that all wait for each other, so that the others come to their end', async () => {
    const held = open({ memoryBytes: 20 * KB, diskBytes: 20 * KB });
    const [first, second] = [
      await held.take(size(5 * KB), partner('partner1')),
      await held.take(size(5 * KB), partner('partner2')),
    ];
    const makers = [fill(first, 25 * KB), fill(second, 25 * KB).catch((error) => second.release() ?? error)];
    expect(await makers[1]).toMatchObject({ code: 'overloaded' });
    await makers[0];
    expect(first.madeBytes).toBe(25 * KB);
  });

  it('stops waiting when its signal aborts', async () => {
    const held = open({ memoryBytes: 20 * KB, diskBytes: 0 });
    const made = await held.take(size(5 * KB), partner('partner1'));
    made.finish();
    const second = await held.take(size(5 * KB), partner('partner2'));
    const left = new AbortController();
    const waits = second.append(bytesOf(6 * KB), left.signal);
    await until(() => second.room.waiting);
    left.abort();
    await expect(waits).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('cuts a reader that takes nothing, only while others wait', async () => {
    const clock = new VirtualClock();
    const held = open({ clock, stallMs: 20_000, memoryBytes: 40 * KB, diskBytes: 0 });
    const deaf = [];
    for (const id of ['a', 'b', 'c', 'd']) {
      const answer = await held.take(size(10 * KB), partner(id));
      await fill(answer, 10 * KB);
      answer.finish();
      deaf.push(answer);
    }
    const cut: number[] = [];
    for (const [at, answer] of deaf.entries()) {
      await answer.read(60_000, () => cut.push(at)).next();
    }
    await clock.advance(60_000);
    expect(cut).toEqual([]);
    expect(await held.take(size(5 * KB), partner('e'))).toBeDefined();
    expect(cut).toEqual([0, 1, 2, 3]);
  });

  it('cuts a reader that is slower than the audio is heard, and not one that keeps up', async () => {
    const clock = new VirtualClock();
    const held = open({ clock, stallMs: 20_000, memoryBytes: 800 * KB, diskBytes: 0 });
    const [slow, quick] = [
      await held.take(size(200 * KB), partner('a')),
      await held.take(size(200 * KB), partner('b')),
    ];
    const cut: string[] = [];
    for (const answer of [slow, quick]) {
      await fill(answer, 200 * KB, 1 * KB);
      answer.finish();
    }
    // Both take a piece now and then, which is next to nothing of the one's audio, and minutes of
    // the other's.
    const readers = [slow.read(1, () => cut.push('slow')), quick.read(3_600_000, () => cut.push('quick'))];
    for (const reader of readers) await reader.next();
    for (let i = 0; i < 8; i++) {
      await clock.advance(5_000);
      for (const reader of readers) await reader.next();
    }
    const others = ['c', 'd', 'e'].map(partner);
    for (const other of others) await held.take(size(190 * KB), other).catch(() => undefined);
    expect(cut).not.toContain('quick');
    await held.take(size(200 * KB), partner('f')).catch(() => undefined);
    expect(cut).toContain('slow');
    expect(cut).not.toContain('quick');
  });

  it('removes at the next start what a killed server left, and nothing else', async () => {
    const first = open();
    const answer = await first.take(size(50 * KB), FREE);
    await fill(answer, 50 * KB);
    writeFileSync(path.join(dir, 'accounts.db'), '');
    const second = open();
    await second.begin();
    expect(readdirSync(dir)).toEqual(['accounts.db']);
    // The file of a server that lives has lost its name alone.
    expect(Buffer.compare(await content(answer), bytesOf(50 * KB))).toBe(0);
  });

  it('goes on in memory where files cannot be made, as far as there is room', async () => {
    const file = path.join(dir, 'file');
    writeFileSync(file, '');
    const held = open({ dir: path.join(file, '.') });
    const answer = await held.take(size(10 * KB), FREE);
    await fill(answer, 10 * KB);
    expect(answer.room.memory).toBe(10 * KB);
    answer.release();
    const beyond = await held.take(size(5 * KB), partner('partner1'));
    await expect(fill(beyond, 60 * KB)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('makes the folder of the files where it is missing', async () => {
    mkdirSync(path.join(dir, 'data'));
    const held = open({ dir: path.join(dir, 'data') });
    const answer = await held.take(size(50 * KB), FREE);
    rmSync(path.join(dir, 'data'), { recursive: true });
    await fill(answer, 50 * KB);
    expect(answer.room.disk).toBe(40 * KB);
  });
});

describe('the size of a response', () => {
  const { maxHeldBytes: memoryBytes, maxHeldDiskBytes: diskBytes, heldStallMs: stallMs } = DEFAULT_SETTINGS;
  const held = new HeldAudio({ memoryBytes, diskBytes, dir: tmpdir(), stallMs, log: silentLogger() });
  const check = (text: string, speed = 1, bytesPerSecond = 48_000) =>
    held.check(answerSize({ text, chars: text.length, param: 'input' }, { speed, bytesPerSecond }));

  it('lets any text of the contract be held, whatever it is made of', () => {
    for (const unit of ['The lamps went out. ', '7', '777 ', 'W', '½', 'Hi.\n\n', '3/4/2024 $1,250.75 ']) {
      expect(() => check(unit.repeat(2_048).slice(0, 2_048))).not.toThrow();
    }
  });

  it('is as the speed and the format make it', () => {
    const text = 'The lamps went out. '.repeat(500).slice(0, 9_900);
    const mp3 = (128_000 / 8) * (4 / 3);
    expect(() => check(text, 1, mp3)).not.toThrow();
    expect(() => check(text, 0.25, mp3)).toThrow(/Send at most \d{4} such characters/);
    expect(() => check(text, 0.25, 4_000)).not.toThrow();
  });

  it('is no less than what was measured', () => {
    const seconds = (text: string) =>
      answerSize({ text, chars: text.length, param: 'input' }, { bytesPerSecond: 1_000 }).bytes / 1_000;
    // Spoken by english_female_professional.
    expect(seconds('7'.repeat(600))).toBeGreaterThan(226);
    expect(seconds('W'.repeat(500))).toBeGreaterThan(222);
    expect(seconds('WWW XKW '.repeat(70))).toBeGreaterThan(169);
    expect(seconds('½¾©™№ '.repeat(80))).toBeGreaterThan(178);
    expect(seconds('Hi.\n\n'.repeat(80))).toBeGreaterThan(97);
    expect(seconds('a, b; c: d - e '.repeat(40))).toBeGreaterThan(58);
    expect(seconds('3/4/2024 $1,250.75 12:30 '.repeat(25))).toBeGreaterThan(152);
  });
});
