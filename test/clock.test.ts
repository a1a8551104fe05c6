import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../src/clock.js';
import { VirtualClock } from '../testkit/virtual-clock.js';

describe.each<[string, () => Clock, (clock: Clock, ms: number) => Promise<void>]>([
  ['the system clock', () => systemClock, (clock, ms) => clock.sleep(ms)],
  ['a virtual clock', () => new VirtualClock(), (clock, ms) => (clock as VirtualClock).advance(ms)],
])('%s', (_name, create, pass) => {
  it('runs a timer when it is due, an interval again and again, and none that was cancelled', async () => {
    const clock = create();
    const ran: string[] = [];
    const interval = clock.setInterval(() => ran.push('interval'), 20).unref();
    clock.setTimeout(() => ran.push('timeout'), 5).unref();
    clock.setTimeout(() => ran.push('cancelled'), 5).cancel();
    const beforeMs = clock.now();
    await pass(clock, 65);
    interval.cancel();
    const count = ran.length;
    await pass(clock, 30);
    expect(clock.now()).toBeGreaterThan(beforeMs);
    expect(ran.slice(0, 2)).toEqual(['timeout', 'interval']);
    expect(ran).not.toContain('cancelled');
    expect(ran).toHaveLength(count);
  });

  it('ends a sleep with the reason of its signal', async () => {
    const clock = create();
    const abort = new AbortController();
    const sleeping = clock.sleep(3_600_000, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(clock.sleep(3_600_000, abort.signal)).rejects.toThrow('enough');
  });
});

describe('a virtual clock', () => {
  it('runs what is due in order, also what comes up meanwhile', async () => {
    const clock = new VirtualClock();
    const ran: [string, number][] = [];
    const note = (name: string) => () => ran.push([name, clock.now()]);
    clock.setTimeout(note('b'), 20);
    clock.setTimeout(note('c'), 20);
    clock.setTimeout(() => {
      note('a')();
      void clock.sleep(5).then(note('after a'));
    }, 10);
    clock.setTimeout(note('later'), 31);
    await clock.advance(30);
    expect(ran).toEqual([
      ['a', 10],
      ['after a', 15],
      ['b', 20],
      ['c', 20],
    ]);
    expect([clock.now(), clock.timers]).toEqual([30, 1]);
  });

  it('skips time without running timers, which then run late', async () => {
    const clock = new VirtualClock();
    const ranAtMs: number[] = [];
    clock.setTimeout(() => ranAtMs.push(clock.now()), 10);
    clock.skip(100);
    expect(ranAtMs).toEqual([]);
    await clock.advance(0);
    expect(ranAtMs).toEqual([100]);
    expect(clock.wallMs()).toBe(Date.UTC(2026, 0, 1) + 100);
  });

  it('runs until a promise settles, and says so where none of its timers can settle it', async () => {
    const clock = new VirtualClock();
    const slept = clock.sleep(60_000).then(() => clock.sleep(60_000));
    await clock.runUntil(slept);
    expect(clock.now()).toBe(120_000);
    await expect(clock.runUntil(new Promise(() => undefined))).rejects.toThrow('No timer is due');
  });
});
