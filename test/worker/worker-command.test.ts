/** `tts worker` on a machine with a GPU: how many engine processes it starts, and where. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WorkerPool } from '../../src/gateway/workers/pool.js';
import { hasNats, startNats } from '../../testkit/nats.js';
import { until } from '../support/books/jobs.js';
import { watch } from '../support/processes/nats-workers.js';
import { makeHome } from '../support/processes/serve-process.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** The engines of a `tts worker` whose sine engine has a GPU, once `count` of them are ready. */
async function enginesOf(count: number, ...args: readonly string[]): Promise<WorkerPool> {
  const nats = await startNats();
  const home = makeHome({ TTS_NATS: nats.url, TTS_SINE_OPTIONS: JSON.stringify({ card: { runMs: 5, most: 4 } }) });
  open.push(() => nats.close(), home.remove);
  const { pool, workers } = watch(await nats.bus({ prefix: 'tts' }));
  open.push(() => workers.close());
  const child = spawn(process.execPath, [BIN, 'worker', '--log-level', 'warn', ...args], {
    env: home.env,
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  open.push(() => {
    child.kill('SIGKILL');
    return exited;
  });
  await until(() => pool.counts.ready >= count);
  return pool;
}

const versionsOf = ({ workers }: WorkerPool) => workers.map(({ version }) => version);

if (!hasNats()) {
  it('leaves NATS out: nats-server is not installed', () => {
    expect(process.env.CI).not.toBe('true');
  });
} else {
  describe('tts worker with a GPU', () => {
    it('runs two engine processes on it where the number was left to it, each with all the steps it takes', async () => {
      const pool = await enginesOf(2);
      expect(versionsOf(pool)).toEqual(['sine card', 'sine card']);
      expect(pool.workers.map(({ capacity }) => capacity)).toEqual([16, 16]);
    });

    it('runs as many on it as were asked for', async () => {
      expect(versionsOf(await enginesOf(3, '--workers', '3'))).toEqual(['sine card', 'sine card', 'sine card']);
    });

    it('runs none on it where the CPU was asked for', async () => {
      const pool = await enginesOf(2, '--workers', '2', '--device', 'cpu');
      expect(versionsOf(pool)).toEqual(['sine', 'sine']);
      expect(pool.workers.map(({ capacity }) => capacity)).toEqual([2, 2]);
    });
  });
}
