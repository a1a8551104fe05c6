/**
 * Where the admin secret of a first start goes: to a terminal, or into a file of the data folder,
 * never into a log.
 */
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome, type ServeProcess, startServe } from '../../support/processes/serve-process.js';
import { ttsInTerminal } from '../../support/processes/tts.js';

const SECRET = /ttsadmin_[\w-]{43}/;

let home: Home;
let server: ServeProcess | undefined;
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  await server?.kill('SIGKILL');
  server = undefined;
  home.remove();
});

const fileOf = (at: Home) => path.join(at.dataDir, 'admin-secret');
const opens = async (secret: string) =>
  (await fetch(`${server!.baseUrl}/admin/v1/keys`, { headers: { authorization: `Bearer ${secret}` } })).status;
const said = ({ output }: ServeProcess) => output.stdout + output.stderr;

describe('the admin secret of a first start', () => {
  it('is in a file for its owner alone where the output is no terminal, which names the file', async () => {
    server = await startServe(home);
    const file = fileOf(home);
    expect(said(server)).not.toMatch(/ttsadmin_/);
    expect(server.output.stdout).toContain(file);
    expect(server.output.stderr).toContain(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secret = readFileSync(file, 'utf8').trim();
    expect(secret).toMatch(SECRET);
    expect(await opens(secret)).toBe(200);
    await server.kill('SIGTERM');
    server = await startServe(home);
    expect(server.output.stdout).toContain('admin secret of the first start (a new one: tts admin reset');
    expect(server.output.stderr).not.toMatch(/admin secret/);
    expect(await opens(secret)).toBe(200);
  });

  it('is shown once by a terminal, and is in no file', async () => {
    const terminal = ttsInTerminal(['serve', '--port', '0'], home.env as Record<string, string>, 200);
    try {
      await terminal.until(/admin secret, shown this once: ttsadmin_[\w-]{43}/);
      expect(existsSync(fileOf(home))).toBe(false);
    } finally {
      terminal.kill();
    }
  });

  it('is not lost with a start that failed', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    await expect(startServe(home, ['--port', String(port)])).rejects.toThrow(/ended with/);
    taken.close();
    expect(existsSync(fileOf(home))).toBe(false);
    server = await startServe(home);
    expect(await opens(readFileSync(fileOf(home), 'utf8').trim())).toBe(200);
  });

  it('that cannot be written is said to be lost, with the command that makes another', async () => {
    mkdirSync(path.join(fileOf(home), 'in-the-way'), { recursive: true });
    server = await startServe(home);
    expect(said(server)).not.toMatch(/ttsadmin_/);
    expect(server.output.stdout).toContain(`could not be written to ${fileOf(home)}. Make one with: tts admin reset`);
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
  });
});

describe('tts admin reset', () => {
  it('prints the new secret, also into a pipe, and removes the file of the one before', async () => {
    server = await startServe(home);
    const before = readFileSync(fileOf(home), 'utf8').trim();
    const { stdout } = await home.run('admin', 'reset');
    expect(stdout).toMatch(/^ttsadmin_[\w-]{43}\n$/);
    expect(existsSync(fileOf(home))).toBe(false);
    expect(await opens(before)).toBe(401);
    expect(await opens(stdout.trim())).toBe(200);
  });
});
