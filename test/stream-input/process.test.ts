/**
 * Sessions against the whole program: `tts serve` in its own process, killed, started again and
 * stopped.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testkit/server.js';
import { StreamClient } from './client.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
const LAST = 'This one is being spoken when the server is told to stop. Yes, it is.';
const run = promisify(execFile);

describe('sessions of tts serve', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tts-sessions-'));
    env = {
      ...process.env,
      TTS_ENGINE: 'sine',
      TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: 50, pace: 2 }),
      TTS_RUNTIME_DIR: path.join(folder, 'run'),
      TTS_DATA_DIR: path.join(folder, 'data'),
    };
  });
  afterAll(async () => {
    child?.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  const serve = async (): Promise<number> => {
    child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--log-level', 'error'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: child.stdout! })) {
      const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port !== undefined) return Number(port);
    }
    throw new Error('the server did not say where it listens');
  };
  const json = async (...args: string[]) =>
    JSON.parse((await run(process.execPath, [BIN, ...args, '--json'], { env })).stdout);

  it('return at the next start what they had reserved when the server was killed, and finish before it stops', async () => {
    const key = await json('keys', 'create', '--tier', 'partner', '--credits', '1000');
    const first = { port: await serve(), partner: key };
    const whole = await StreamClient.open(first);
    whole.say('This one ends. ');
    expect(await whole.finish()).toMatchObject({ code: 1000, final: true });
    const cut = await Promise.all([StreamClient.open(first), StreamClient.open(first)]);
    for (const client of cut) {
      client.say('This one is being spoken when the server dies. Halfway through. ');
      await client.untilAudio();
    }
    await until(async () => (await json('keys', 'list'))[0].reserved === 2 * 63);
    child!.kill('SIGKILL');
    for (const client of cut) expect(await client.ended()).toMatchObject({ code: 1006, final: false });
    expect(await json('keys', 'list')).toMatchObject([{ credits: 1000 - 14, reserved: 2 * 63 }]);

    const second = { port: await serve(), partner: key };
    expect(await json('keys', 'list')).toMatchObject([{ credits: 1000 - 14, reserved: 0 }]);
    const last = await StreamClient.open(second);
    last.say(LAST);
    await last.untilAudio();
    child!.kill('SIGTERM');
    const exited = once(child!, 'exit');
    expect(await last.finish()).toMatchObject({ code: 1000, final: true });
    expect(await exited).toEqual([0, null]);
    expect(
      (await json('usage')).map((row: { outcome: string; credits: number }) => [row.outcome, row.credits]),
    ).toEqual([
      ['completed', 14],
      ['interrupted', 0],
      ['interrupted', 0],
      ['completed', LAST.length],
    ]);
    expect(await json('keys', 'list')).toMatchObject([{ credits: 1000 - 14 - LAST.length, reserved: 0 }]);
  });
});
