/**
 * Disks that are full, read-only or lose the accounts under a running server: nothing delivered
 * goes unpaid, and it says so.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountsFile } from '../../../src/accounts/data-folder.js';
import { until } from '../../../testkit/server.js';
import { createKey } from '../../support/browser/pages.js';
import {
  adminSecretOf,
  type Home,
  makeHome,
  type ServeProcess,
  startServe,
} from '../../support/processes/serve-process.js';

const TEXT = 'A sentence that takes its time. And another one after it, just as slow.';

/** A disk of its own, where this user may make one. */
function mountSmallDisk(dir: string, sizeKiB: number): boolean {
  mkdirSync(dir, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeKiB}k,mode=700`, 'tmpfs', dir], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function fillDisk(file: string): void {
  const handle = openSync(file, 'w');
  const page = Buffer.alloc(4096, 1);
  try {
    for (;;) writeSync(handle, page);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(handle);
  }
}

const probe = makeHome();
const canMount = mountSmallDisk(path.join(probe.dir, 'disk'), 64);
if (canMount) execFileSync('umount', [path.join(probe.dir, 'disk')]);
probe.remove();

describe('the disk of the accounts', () => {
  let home: Home;
  let server: ServeProcess | undefined;
  let mounted: string | undefined;
  beforeEach(() => {
    home = makeHome({ TTS_SINE_OPTIONS: JSON.stringify({ pace: 1, msPerChar: 20 }) });
  });
  afterEach(async () => {
    await server?.kill('SIGKILL');
    server = undefined;
    if (mounted !== undefined) execFileSync('umount', [mounted]);
    mounted = undefined;
    home.remove();
  });

  const mountData = (sizeKiB: number) => {
    expect(mountSmallDisk(home.dataDir, sizeKiB)).toBe(true);
    mounted = home.dataDir;
  };
  /** By a command, as an operator makes it before the server runs. */
  const makeKey = () => home.run('keys', 'create', '--tier', 'partner', '--credits', '1000');
  /** By the server, which takes less than the start of a command. */
  const keyOfServer = async () => {
    const bearer = await createKey(server!.baseUrl, adminSecretOf(home), { tier: 'partner', credits: 1000 });
    return { bearer, id: bearer.slice(4, 12) };
  };
  const speak = (key: string) =>
    fetch(`${server!.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'base-tts', input: TEXT, stream: true }),
    });
  const key = async (id: string) => {
    const headers = { authorization: `Bearer ${adminSecretOf(home)}` };
    const response = await fetch(`${server!.baseUrl}/admin/v1/keys`, { headers });
    const { data } = (await response.json()) as { data: { id: string; credits: number; reserved: number }[] };
    return data.find((one) => one.id === id);
  };

  it.skipIf(!canMount)(
    'full while audio is delivered: debited in the end, Partner work refused meanwhile',
    async () => {
      mountData(1024);
      server = await startServe(home);
      const { bearer, id } = await keyOfServer();
      const response = await speak(bearer);
      expect(response.status).toBe(200);
      const filler = path.join(home.dataDir, 'filler');
      fillDisk(filler);
      await response.arrayBuffer();
      await until(() => server!.output.stderr.includes('cannot be written; what ends is kept'));
      const refused = await speak(bearer);
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({
        error: { code: 'store_unavailable', message: expect.not.stringContaining(home.dataDir) },
      });
      rmSync(filler);
      await until(async () => (await key(id))?.reserved === 0, 'the settlement');
      expect((await key(id))?.credits).toBe(1000 - TEXT.length);
      await (await speak(bearer)).arrayBuffer();
      await until(async () => (await key(id))?.credits === 1000 - 2 * TEXT.length);
      expect(await server.kill('SIGTERM')).toBe(0);
      expect(await home.run('db', 'check')).toMatchObject({ code: 0, stdout: '' });
    },
  );

  it.skipIf(!canMount)('full at the stop: ends all the same, and the credits come back at the next start', async () => {
    mountData(1024);
    server = await startServe(home);
    const { bearer, id } = await keyOfServer();
    const response = await speak(bearer);
    fillDisk(path.join(home.dataDir, 'filler'));
    await response.arrayBuffer();
    await until(() => server!.output.stderr.includes('cannot be written; what ends is kept'));
    expect(await server.kill('SIGTERM')).toBe(0);
    expect(server.output.stderr).toMatch(/"lost":1,"msg":"requests could not be booked/);
    rmSync(path.join(home.dataDir, 'filler'));
    server = await startServe(home);
    expect(await key(id)).toMatchObject({ credits: 1000, reserved: 0 });
    const rows = JSON.parse((await home.run('usage', '--json')).stdout) as { outcome: string; credits: number }[];
    expect(rows).toMatchObject([{ outcome: 'interrupted', credits: 0 }]);
  });

  it.skipIf(!canMount)('full at start: says so, not that another server is there', async () => {
    mountData(16);
    fillDisk(path.join(home.dataDir, 'filler'));
    const said = await startServe(home).catch(String);
    expect(said).toMatch(/data folder .* cannot be used: the disk is full\./);
    expect(said).not.toMatch(/Another tts server| {4}at /);
  });

  it.skipIf(!canMount)('read-only at start: says so, without a stack', async () => {
    mountData(1024);
    await makeKey();
    execFileSync('mount', ['-o', 'remount,ro', home.dataDir]);
    const said = await startServe(home).catch(String);
    expect(said).toMatch(/cannot be used: the disk is read-only\. .*--data-dir/);
    expect(said).not.toMatch(/ {4}at /);
  });

  it('holds files that only their owner may read, goes on where it is put back, and is one file after a stop', async () => {
    await makeKey();
    chmodSync(home.dataDir, 0o755);
    server = await startServe(home);
    const names = readdirSync(home.dataDir);
    expect(names).toEqual(expect.arrayContaining(['accounts.db', 'server.lock', 'server-holder.json']));
    for (const name of names) {
      const stat = statSync(path.join(home.dataDir, name));
      expect([name, stat.mode & 0o777]).toEqual([name, stat.isDirectory() ? 0o700 : 0o600]);
    }

    const { bearer, id } = await keyOfServer();
    const file = accountsFile(home.dataDir);
    renameSync(file, `${file}.away`);
    expect((await speak(bearer)).status).toBe(503);
    renameSync(`${file}.away`, file);
    await (await speak(bearer)).arrayBuffer();
    await until(async () => (await key(id))?.credits === 1000 - TEXT.length);

    expect(await server.kill('SIGTERM')).toBe(0);
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    expect(statSync(file).size).toBeGreaterThan(4096);
  });

  it('refuses at start a database that was cut off, and tts db check lists the damage', async () => {
    await makeKey();
    const file = accountsFile(home.dataDir);
    truncateSync(file, Math.floor(statSync(file).size / 2));
    await expect(startServe(home)).rejects.toThrow(/accounts\.db is damaged/);
    const checked = await home.run('db', 'check');
    expect(checked.code).toBe(1);
    expect(checked.stderr).toMatch(/damaged|not in order/);
    expect(checked.stderr).not.toMatch(/ {4}at /);
  });

  it('says when the database is deleted under it, takes on nothing it could not keep, and saves what it knows', async () => {
    server = await startServe(home);
    const { bearer, id } = await keyOfServer();
    const running = await speak(bearer);
    const file = accountsFile(home.dataDir);
    for (const part of ['', '-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
    await running.arrayBuffer();
    const refused = await speak(bearer);
    expect(refused.status).toBe(503);
    expect(server.output.stderr).toMatch(/was deleted while the server ran/);
    expect(await server.kill('SIGTERM')).toBe(0);
    const rescued = readdirSync(home.dataDir).find((name) => name.includes('rescued'));
    expect(server.output.stderr).toContain(rescued);
    renameSync(path.join(home.dataDir, rescued!), file);
    const { stdout } = await home.run('keys', 'list', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ id, credits: 1000 - TEXT.length, reserved: 0 }]);
  });
});
