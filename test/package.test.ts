/** What npm does with this package: in a clone, and where it is installed by itself. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import npm from '@npmcli/config/lib/definitions/index.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../src/protocol/job.js';
import { loadFrontEnd } from '../src/text/languages.js';

const ROOT = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const manifest = JSON.parse(read('package.json'));
const lock = JSON.parse(read('package-lock.json'));

describe('in a clone', () => {
  it('names no setting that npm does not know, so that npm has nothing to warn of', () => {
    const known = Object.keys(npm.definitions as object);
    const named = read('.npmrc')
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('=')[0]);
    expect(known).toEqual(expect.arrayContaining(named));
  });

  it("holds no file over 1 MB but the model's own and the one set of weights that training goes on from", () => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
    const large = files.filter(
      (file) => existsSync(path.join(ROOT, file)) && statSync(path.join(ROOT, file)).size > 1e6,
    );
    const allowed = /^voices\/(base-tts-fast|training\/front-checkpoint-10)\//;
    expect(large.filter((file) => !allowed.test(file))).toEqual([]);
  });

  it("does not run onnxruntime's download of CUDA libraries, whatever the version of npm", () => {
    // From npm 11.16 on `allowScripts` says so; the earlier ones run only what the lock file marks.
    expect(manifest.allowScripts['onnxruntime-node']).toBe(false);
    expect(lock.packages['node_modules/onnxruntime-node']).not.toHaveProperty('hasInstallScript');
    expect(lock.packages['node_modules/speaker']).toHaveProperty('hasInstallScript');
  });

  it('has no package that warns on the oldest Node it allows', () => {
    const atRunTime = Object.entries<{ dev?: boolean; engines?: { node?: string } }>(lock.packages).filter(
      ([name, { dev }]) => name !== '' && !dev,
    );
    const newer = atRunTime.filter(([, { engines }]) => /^>=? ?2[1-9][.\d]*$/.test(engines?.node ?? ''));
    expect(newer.map(([name]) => name)).toEqual([]);
  });
});

describe('as a package', () => {
  it('can be published, under a name of its own and with the command tts', () => {
    expect(manifest).toMatchObject({
      name: 'selfhosted-tts',
      bin: { tts: 'bin/tts.js' },
      engines: { node: '^20.19 || ^22.12 || ^24' },
    });
    for (const field of ['repository', 'homepage', 'bugs', 'keywords', 'license', 'exports', 'publishConfig', 'man']) {
      expect(manifest).toHaveProperty(field);
    }
    expect(manifest.private).toBeUndefined();
  });

  it('needs nothing of what npm reads only in a clone', () => {
    // Overrides count for the root alone: what the installed program runs on must not depend on
    // one.
    const overridden = Object.keys(manifest.overrides ?? {}).filter(
      (name) => !lock.packages[`node_modules/${name}`].dev,
    );
    expect(overridden).toEqual([]);
  });
});

describe('the manual page', () => {
  it('is made from the commands, each with its options, in roff without a mistake', () => {
    const tts = (...args: string[]) =>
      execFileSync(process.execPath, [path.join(ROOT, 'bin/tts.js'), ...args], { encoding: 'utf8' });
    const page = tts('man');
    const commands = [...tts('--help').matchAll(/^ {2}([a-z]+)(?:\|[a-z]+)?(?: \[.*?\])? {2,}\S/gm)].map(
      (match) => match[1]!,
    );
    expect(commands.length).toBeGreaterThan(8);
    const sections = [...page.matchAll(/^\.SS "tts ([a-z]+)/gm)].map((match) => match[1]);
    for (const name of commands.filter((command) => command !== 'help')) expect(sections).toContain(name);
    expect(page).toMatch(/^\.SS "tts keys create/m);
    expect(page).toMatch(/^\\fB.*\\-\\-srt/m);
    // A line that begins with a dot is a request: those we make, and no text that happens to.
    const requests = new Set([...page.matchAll(/^[.'](\S*)/gm)].map((match) => match[1]));
    expect([...requests].sort()).toEqual(['B', 'I', 'PP', 'SH', 'SS', 'TH', 'TP', 'fi', 'nf']);
  });

  it.runIf(process.platform === 'linux')('comes back from where no file can be made', () => {
    const args = [path.join(ROOT, 'bin/tts.js'), 'man', '-o', '/proc/no/such/tts.1'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
    expect([status, stderr]).toEqual([1, expect.stringContaining('/proc/no/such/tts.1 cannot be written')]);
  });
});

describe('installed by itself', () => {
  let prefix: string;
  const SYSTEMS = ['linux/x64', 'linux/arm64', 'darwin/arm64', 'win32/x64'];
  const OWN = `${process.platform}/${process.arch}`;
  const packageDir = () => path.join(prefix, 'node_modules', 'selfhosted-tts');
  const inside = (...parts: string[]) => path.join(packageDir(), 'node_modules', ...parts);
  const runtime = (...parts: string[]) => inside('onnxruntime-node', ...parts);
  const dependency = (name: string, about: object, files: readonly string[]) => {
    for (const file of ['package.json', ...files]) {
      mkdirSync(path.dirname(inside(name, file)), { recursive: true });
      writeFileSync(inside(name, file), JSON.stringify(about));
    }
  };
  const filesOf = (name: string) =>
    readdirSync(inside(name), { recursive: true, encoding: 'utf8' })
      .filter((file) => statSync(inside(name, file)).isFile())
      .map((file) => file.split(path.sep).join('/'))
      .sort();
  const preinstall = (env: NodeJS.ProcessEnv = {}) =>
    execFileSync(process.execPath, [path.join(packageDir(), 'bin', 'preinstall.js')], { env });

  beforeEach(() => {
    prefix = mkdtempSync(path.join(tmpdir(), 'tts-package-'));
    cpSync(path.join(ROOT, 'bin'), path.join(packageDir(), 'bin'), { recursive: true });
    writeFileSync(path.join(packageDir(), 'package.json'), '{"type":"module"}');
    for (const system of SYSTEMS) {
      mkdirSync(runtime('bin/napi-v6', system), { recursive: true });
      for (const name of ['lib.1', 'lib.1.30']) writeFileSync(runtime('bin/napi-v6', system, name), 'library');
    }
    mkdirSync(runtime('script'));
    writeFileSync(runtime('package.json'), '{"type":"commonjs"}');
    writeFileSync(runtime('script/install.js'), 'console.log("fetching");');
  });
  afterEach(() => rmSync(prefix, { recursive: true, force: true }));

  it.runIf(SYSTEMS.includes(OWN))('keeps the library of this system alone, and one copy of it', () => {
    preinstall();
    expect(SYSTEMS.filter((system) => existsSync(runtime('bin/napi-v6', system)))).toEqual([OWN]);
    const inodeOf = (name: string) => statSync(runtime('bin/napi-v6', OWN, name)).ino;
    expect(inodeOf('lib.1')).toBe(inodeOf('lib.1.30'));
  });

  it('keeps programs, not type declarations and source maps', () => {
    mkdirSync(runtime('dist'));
    const names = ['index.js', 'index.d.ts', 'index.d.cts', 'index.d.mts', 'index.js.map', 'bitmap', 'word.ts'];
    for (const name of names) writeFileSync(runtime('dist', name), '');
    preinstall();
    expect(readdirSync(runtime('dist')).sort()).toEqual(['bitmap', 'index.js', 'word.ts']);
  });

  it('keeps programs and licences, not tests, examples and manuals', () => {
    const names = [
      'docs/index.js',
      'dist/docs/used.js',
      'test/a.js',
      'LICENSE.md',
      'README.md',
      'tester.js',
      'example.js',
    ];
    dependency('some', {}, names);
    dependency('@scope/other', {}, names);
    preinstall();
    const kept = ['LICENSE.md', 'dist/docs/used.js', 'example.js', 'tester.js'];
    for (const name of ['some', '@scope/other'])
      expect(filesOf(name).filter((file) => file !== 'package.json')).toEqual(kept);
  });

  it("leaves out espeak's dictionary of a language that is not read here, and no other", async () => {
    const data = path.join('node_modules', 'espeak-phonemizer', 'dist', 'data');
    const { voiceToBucket, buckets } = JSON.parse(read(path.join(data, 'manifest.json')));
    const fronts = await Promise.all(LANGUAGES.map(loadFrontEnd));
    const opened = fronts.map(({ alphabet }) => buckets[voiceToBucket[alphabet.espeakVoice]].path);
    const files = readdirSync(path.join(ROOT, data)).map((name) => `dist/data/${name}`);
    dependency('espeak-phonemizer', {}, files);
    preinstall();
    const left = filesOf('espeak-phonemizer');
    expect(files.filter((name) => !left.includes(name))).toEqual(['dist/data/ru.data']);
    expect(opened).not.toContain('ru.data');
  });

  it('keeps every file with TTS_INSTALL_TRIM=0, and still fetches nothing', () => {
    const before = filesOf('onnxruntime-node');
    preinstall({ TTS_INSTALL_TRIM: '0' });
    expect(filesOf('onnxruntime-node')).toEqual(before);
    const env = { npm_lifecycle_event: 'postinstall' };
    expect(execFileSync(process.execPath, ['./script/install'], { cwd: runtime(), env, encoding: 'utf8' })).toBe('');
    preinstall();
    expect(filesOf('onnxruntime-node')).not.toEqual(before);
  });

  it('removes nothing where there is no library of this system', () => {
    rmSync(runtime('bin/napi-v6', OWN), { recursive: true, force: true });
    preinstall();
    for (const system of SYSTEMS) expect(existsSync(runtime('bin/napi-v6', system))).toBe(system !== OWN);
  });

  it("makes onnxruntime's postinstall fetch only what is asked for, and leaves it to be run by hand", () => {
    const install = (env: NodeJS.ProcessEnv) =>
      execFileSync(process.execPath, ['./script/install'], { cwd: runtime(), env, encoding: 'utf8' });
    preinstall();
    preinstall();
    expect(install({ npm_lifecycle_event: 'postinstall' })).toBe('');
    expect(install({ npm_lifecycle_event: 'postinstall', ONNXRUNTIME_NODE_INSTALL: 'cuda12' })).toBe('fetching\n');
    expect(install({})).toBe('fetching\n');
  });

  it('touches nothing in a clone', () => {
    cpSync(packageDir(), path.join(prefix, 'clone'), { recursive: true });
    execFileSync(process.execPath, [path.join(prefix, 'clone', 'bin', 'preinstall.js')]);
    for (const system of SYSTEMS) {
      expect(existsSync(path.join(prefix, 'clone/node_modules/onnxruntime-node/bin/napi-v6', system))).toBe(true);
    }
  });
});
