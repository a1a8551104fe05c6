/** One server a data folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireServerLock } from '../../src/accounts/server-lock.js';

const DIST = path.resolve(import.meta.dirname, '../../dist/accounts/server-lock.js');

describe('the lock of a data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), 'tts-lock-')), 'data');
  });
  afterEach(() => rm(path.dirname(folder), { recursive: true }));

  it('refuses a second server with a message that names the first', () => {
    const lock = acquireServerLock(folder);
    const refused = (message: string) =>
      expect(() => acquireServerLock(folder)).toThrow(
        expect.objectContaining({ code: 'data_dir_locked', message: expect.stringContaining(message) }),
      );
    refused(`process ${process.pid}, still starting`);
    lock.announce('http://127.0.0.1:8787');
    refused(`process ${process.pid} at http://127.0.0.1:8787`);
    refused(folder);
    lock.release();
  });

  it('is free again after release, however often released', () => {
    const first = acquireServerLock(folder);
    first.release();
    const second = acquireServerLock(folder);
    first.release();
    expect(() => acquireServerLock(folder)).toThrow(expect.objectContaining({ code: 'data_dir_locked' }));
    second.release();
  });

  it('ends with a process that was killed', async () => {
    const script = `import { acquireServerLock } from ${JSON.stringify(DIST)};
      acquireServerLock(${JSON.stringify(folder)}).announce('http://127.0.0.1:1');
      console.log('held'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(() => acquireServerLock(folder)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`process ${child.pid} at http://127.0.0.1:1`) }),
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    acquireServerLock(folder).release();
  });
});
