/**
 * Homes in which nothing can be made: the commands say which folder and what to set, and nothing
 * spins.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/folder.js';
import { makeHome, type ServeProcess, startServe } from '../support/processes/serve-process.js';
import { tts } from '../support/processes/tts.js';

let mounted: string | undefined;
let server: ServeProcess | undefined;
afterEach(async () => {
  await server?.kill('SIGKILL');
  server = undefined;
  if (mounted === undefined) return;
  execFileSync('umount', [mounted]);
  rmSync(mounted, { recursive: true });
  mounted = undefined;
});

function readOnlyHome(): string | undefined {
  const dir = mkdtempSync(path.join(tmpdir(), 'tts-read-only-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,ro', 'tmpfs', dir], { stdio: 'ignore' });
    mounted = dir;
    return dir;
  } catch {
    rmSync(dir, { recursive: true });
    return undefined;
  }
}
const envOf = (home: string) => ({ PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' });

async function expectAdvice(home: string): Promise<void> {
  const env = envOf(home);
  const cases: [readonly string[], RegExp][] = [
    [['models', 'pull'], /model folder .* cannot be written .*--model-dir \(TTS_MODEL_DIR\)/],
    [['speak', 'Hello.', '-o', path.join(tmpdir(), 'never.wav')], /model folder .* cannot be written .*TTS_MODEL_DIR/],
    [['keys', 'create', '--tier', 'free'], /data folder .* cannot be used: .*--data-dir or TTS_DATA_DIR/],
    [['serve', '--port', '0'], /data folder .* cannot be used: .*--data-dir or TTS_DATA_DIR/],
  ];
  for (const [args, advice] of cases) {
    const { code, stderr } = await tts(args, { env });
    expect(stderr).toMatch(advice);
    expect(stderr).not.toMatch(/ {4}at |unexpected failure/);
    expect(code).toBe(args[0] === 'models' || args[0] === 'speak' ? 6 : 1);
  }
}

describe('a home', () => {
  it.runIf(process.platform === 'linux')('that cannot be made is said, with what to set', async () => {
    await expectAdvice('/proc/no-home');
  });

  it('that is read-only is said, with what to set', async ({ skip }) => {
    const home = readOnlyHome();
    if (home === undefined) return skip('mounting is not allowed here');
    await expectAdvice(home);
  });

  it('under a file is no home, and no trouble to a command that needs none', async () => {
    const { code, stderr } = await tts(['config'], { env: envOf('/dev/null/home') });
    expect([code, stderr]).toEqual([0, expect.stringContaining('(not there)')]);
  });

  it.runIf(process.platform === 'linux')('that cannot be made does not keep a server from its stop', async () => {
    const at = makeHome({ HOME: '/proc/no-home', TTS_ENGINE: 'kokoro' });
    server = await startServe(at);
    expect(await server.kill('SIGTERM')).toBe(0);
    at.remove();
  });
});

describe('making a folder', () => {
  it('makes all above it, and is content with what is there', () => {
    const root = mkdtempSync(path.join(tmpdir(), 'tts-folder-'));
    makeFolder(path.join(root, 'a', 'b', 'c'));
    makeFolder(path.join(root, 'a', 'b', 'c'));
    mkdirSync(path.join(root, 'a', 'd'));
    makeFolder(path.join(root, 'a', 'd', 'e'), 0o700);
    expect(['a/b/c', 'a/d/e'].map((dir) => existsSync(path.join(root, dir)))).toEqual([true, true]);
    rmSync(root, { recursive: true });
  });

  it.runIf(process.platform === 'linux')('comes back from file systems that have no place for one', () => {
    expect(() => makeFolder('/proc/no/such/place')).toThrow(/ENOENT/);
    expect(() => makeFolder('/dev/null/x')).toThrow(/ENOTDIR|EEXIST/);
  });
});
