/** What is seen of a process that says nothing: whether it works, or stands still. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Standstill } from '../../src/worker/standstill.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(line: string): ChildProcess {
  const child = spawn('sh', ['-c', line], { stdio: 'ignore' });
  children.push(child);
  return child;
}

/** Looks `times` times, a tenth of a second apart, after a first look. */
async function watched(standstill: Standstill, times = 10): Promise<void> {
  for (let i = 0; i <= times; i++) {
    if (i > 0) await sleep(100);
    // On a clock of its own, so that a busy machine does not change the result.
    standstill.look(i * 100, 1_000);
  }
}

describe.runIf(process.platform === 'linux')('a process that says nothing', () => {
  it('works while it gains processor time or waits for a processor, however busy the machine is', async () => {
    const busy = Array.from({ length: 6 }, () => start('while :; do :; done'));
    await sleep(200);
    const standstill = new Standstill(() => busy[0]!.pid);
    await watched(standstill);
    expect(standstill.stillMs).toBe(0);
    expect(standstill.spins()).toBe(false);
  });

  it('is taken for an endless loop by the processor time that it used, not by the clock', async () => {
    const [busyPid, quietPid] = [start('while :; do :; done').pid, start('exec sleep 60').pid];
    const spinning = new Standstill(() => busyPid, 0);
    const quiet = new Standstill(() => quietPid, 1);
    await sleep(200);
    await Promise.all([watched(spinning), watched(quiet)]);
    expect([spinning.spins(), quiet.spins()]).toEqual([true, false]);
    expect(spinning.spins(60_000)).toBe(false);
  });

  it('stands still where it sleeps, or was stopped', async () => {
    const asleep = start('exec sleep 60');
    const stopped = start('while :; do :; done');
    stopped.kill('SIGSTOP');
    await sleep(200);
    const both = [asleep, stopped].map(({ pid }) => new Standstill(() => pid));
    await Promise.all(both.map((standstill) => watched(standstill)));
    for (const standstill of both) {
      expect(standstill.stillMs).toBe(1_000);
      expect(standstill.certain).toBe(true);
      standstill.reset();
      expect(standstill.stillMs).toBe(0);
    }
  });

  it('adds no more at a look than was agreed: this process may have been stopped itself', async () => {
    const { pid } = start('exec sleep 60');
    await sleep(200);
    const standstill = new Standstill(() => pid);
    standstill.look(0, 300);
    standstill.look(60_000, 300);
    expect(standstill.stillMs).toBe(300);
  });
});

describe('a process that cannot be seen', () => {
  it('is given three times as long, and nothing is certain', async () => {
    const standstill = new Standstill(() => undefined);
    await watched(standstill, 3);
    expect(standstill.stillMs).toBeCloseTo(100);
    expect(standstill.certain).toBe(false);
  });
});
