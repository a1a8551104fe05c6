/**
 * What a new user does, word for word: packs the clone, installs the tarball into an empty prefix,
 * and types every example of the README into a terminal, in an empty home. Of the model only the
 * download is there, so the first run prepares and measures.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as pty from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measurementFile } from '../../src/engine/measure/remembered.js';
import { hasPulse, type SoundCard, startSoundCard } from '../../testkit/sound/pulse.js';
import { modelDirForTests } from '../../testkit/speech.js';
import { hasChromium, launchBrowser } from '../support/browser/browser.js';
import { consoleExamples, type Example, firstExample } from '../support/readme-examples.js';
import { screenOf } from '../support/screen.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MINUTES = 60_000;
/** What no output may hold: traces, warnings, values that should have been words. */
const STRAY = /^\s+at |node:internal|\bat \S+ \(|Error:|\bwarn(?:ing)?\b|undefined|NaN|\[object|Unhandled|npm error/i;

/**
 * Remarks of npm's that are not ours to prevent: about the settings of whoever runs the tests, and
 * (npm 11) about scripts that nobody has judged yet.
 */
const OF_NPM = /^npm warn (?:Unknown (?:user|env) config|install-scripts)/;

const dir = mkdtempSync(path.join(tmpdir(), 'tts-newcomer-'));
const clone = path.join(dir, 'clone');
const home = path.join(dir, 'home');
const prefix = path.join(dir, 'prefix');
const work = path.join(dir, 'work');
const standIns = path.join(dir, 'stand-ins');
const env: Record<string, string> = {
  PATH: [path.join(prefix, 'bin'), standIns, process.env.PATH].join(path.delimiter),
  HOME: home,
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  TTS_MODEL_DIR: path.join(dir, 'models'),
  XDG_RUNTIME_DIR: path.join(dir, 'run'),
  // npm is set up as it was for `npm ci`: its registry and its cache are not what is tested.
  npm_config_prefix: prefix,
  npm_config_cache: process.env.npm_config_cache ?? path.join(homedir(), '.npm'),
  npm_config_userconfig: process.env.npm_config_userconfig ?? path.join(homedir(), '.npmrc'),
  // With another prefix npm would look for the machine's settings (a proxy, a certificate)
  // somewhere else.
  npm_config_globalconfig:
    process.env.npm_config_globalconfig ??
    execFileSync('npm', ['config', 'get', 'globalconfig'], { encoding: 'utf8' }).trim(),
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'NODE_EXTRA_CA_CERTS')),
  npm_config_prefer_offline: 'true',
};

interface Shown {
  readonly code: number;
  /** The lines that stand on the screen in the end. */
  readonly screen: readonly string[];
  /** Everything that was ever shown. */
  readonly output: string;
}

interface Running {
  until(pattern: RegExp): Promise<void>;
  type(keys: string): void;
  ended(): Promise<Shown>;
  kill(): void;
}

const running = new Set<pty.IPty>();

function start(line: string, cwd: string): Running {
  const terminal = pty.spawn('/bin/bash', ['--norc', '-c', line], {
    cwd,
    env,
    cols: 100,
    rows: 30,
    name: 'xterm-256color',
  });
  running.add(terminal);
  let output = '';
  terminal.onData((text) => {
    output += text;
  });
  const exit = new Promise<number>((resolve) => {
    terminal.onExit(({ exitCode }) => {
      running.delete(terminal);
      resolve(exitCode);
    });
  });
  return {
    async until(pattern) {
      for (let i = 0; i < 3_000 && !pattern.test(output); i++) await sleep(20);
      expect(output).toMatch(pattern);
    },
    type: (keys) => terminal.write(keys),
    kill: () => terminal.kill('SIGKILL'),
    async ended() {
      const code = await exit;
      return { code, output, screen: screenOf(output).filter((text) => !OF_NPM.test(text)) };
    },
  };
}

async function shown(line: string, cwd = work): Promise<Shown> {
  const result = await start(line, cwd).ended();
  expect(result.code, [line, ...result.screen].join('\n')).toBe(0);
  expect(result.screen.filter((text) => STRAY.test(text))).toEqual([]);
  return result;
}

/** A file that players open: its header tells its true length, and it is not silent. */
function expectWav(file: string): void {
  const bytes = readFileSync(file);
  expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
  expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
  expect(bytes.length).toBeGreaterThan(44 + 24_000);
  expect(bytes.subarray(44).some((byte) => byte > 8 && byte < 248)).toBe(true);
}

const examples = consoleExamples();
const take = (pattern: RegExp): Example => {
  const found = examples.filter(({ command }) => pattern.test(command));
  expect(found, `README examples like ${pattern}`).toHaveLength(1);
  return found[0]!;
};

/**
 * The pages of the installed package: each whole, with everything it loads, and nothing from
 * elsewhere.
 */
async function expectPages(): Promise<void> {
  const base = `http://127.0.0.1:${port}`;
  for (const name of ['/', '/dashboard']) {
    const page = await fetch(base + name);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'/);
    const loads = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(loads.length).toBeGreaterThan(3);
    for (const url of loads) {
      const asset = await fetch(base + url);
      expect([asset.status, url], name).toEqual([200, expect.stringMatching(/^\/assets\/[\w.-]+$/)]);
      expect(asset.headers.get('cache-control')).toContain('immutable');
    }
  }
  expect(await (await fetch(`${base}/docs/commands`)).text()).toContain('<code>tts speak</code>');
  if (!hasChromium()) return;
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(base);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.locator('.word.now').first().waitFor({ timeout: 60_000 });
  } finally {
    await browser.close();
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** An executable of ours, in place of a program that is somebody else's. */
function standIn(file: string, script: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, script);
  chmodSync(file, 0o755);
}

/** A clone as `npm ci` leaves it; its build is made by packing it. */
function makeClone(): void {
  const parts = [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'tsconfig.json',
    'tsconfig.build.json',
    'bin',
    'src',
    'web',
    'docs',
    'pronunciations',
    'scripts',
    'voices',
  ];
  for (const part of [...parts, 'README.md', 'CHANGELOG.md', 'LICENSE', 'NOTICE']) {
    const filter = (from: string) => !from.includes(path.join('voices', 'training'));
    cpSync(path.join(ROOT, part), path.join(clone, part), { recursive: true, filter });
  }
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
}

/** The model as downloaded, and nothing that is made from it. */
async function makeModels(): Promise<void> {
  const from = path.join(await modelDirForTests(), 'kokoro-82m');
  for (const part of ['kokoro-quantized.onnx', 'tokenizer.json', 'styles']) {
    cpSync(path.join(from, part), path.join(env.TTS_MODEL_DIR!, 'kokoro-82m', part), { recursive: true });
  }
}

let card: SoundCard | undefined;
let port = 8787;
const at = ({ command }: Example): string => command.replaceAll('127.0.0.1:8787', `127.0.0.1:${port}`);

beforeAll(async () => {
  for (const folder of [home, prefix, work, standIns]) mkdirSync(folder, { recursive: true });
  mkdirSync(env.XDG_RUNTIME_DIR!, { mode: 0o700 });
  makeClone();
  await makeModels();
  standIn(path.join(standIns, 'llm'), '#!/bin/sh\nprintf "Once there was a small grey cat. It slept all day."\n');
  mkdirSync(path.join(work, 'examples'));
  cpSync(path.join(ROOT, 'examples/story.txt'), path.join(work, 'examples/story.txt'));
  if (hasPulse()) {
    card = await startSoundCard();
    Object.assign(env, card.env);
  }
  if (!(await isFree(port))) {
    port = 18_787 + (process.pid % 10_000);
    env.TTS_PORT = String(port);
  }
}, 5 * MINUTES);

afterAll(async () => {
  for (const terminal of running) terminal.kill('SIGKILL');
  await card?.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('a newcomer', { timeout: 5 * MINUTES }, () => {
  it('packs the clone and installs it, within 200 MB', async () => {
    const { screen } = await shown(take(/^npm install --global/).command, clone);
    expect(
      screen.filter(
        (line) => !/^(?:added \d+ packages in |\d+ packages are looking for funding|\s+run `npm fund`)/.test(line),
      ),
    ).toEqual([]);
    expect(existsSync(path.join(prefix, 'share/man/man1/tts.1'))).toBe(true);
    const kilobytes = Number(execFileSync('du', ['-sk', prefix], { encoding: 'utf8' }).split('\t')[0]);
    expect(kilobytes).toBeLessThan(200_000);
  });

  it('speaks from the clone on the first day, and sees what it waits for', async () => {
    const [install, ...rest] = firstExample().split(' && ');
    expect(install).toBe('npm ci');
    const speak = rest.join(' && ');
    const first = start(speak, clone);
    // Each of the two may be over before a busy machine has drawn a frame.
    await first.until(/preparing|measuring/i);
    first.type('\u0003');
    const broken = await first.ended();
    expect(existsSync(path.join(clone, 'hello.wav'))).toBe(false);
    expect(broken.screen.filter((line) => STRAY.test(line))).toEqual([]);
    // What was broken off is done by the next; a busy machine may be through with it before it has
    // drawn a frame.
    const { screen } = await shown(speak, clone);
    expect(existsSync(measurementFile(env.TTS_MODEL_DIR!))).toBe(true);
    expect(screen.at(-1)).toMatch(/hello\.wav/);
    expectWav(path.join(clone, 'hello.wav'));
    // The model of this machine has spoken. From here on the fast one does, which takes a tenth.
    env.TTS_MODEL = 'base-tts-fast';
  });

  it('writes a file and its subtitles', async () => {
    const { screen } = await shown(take(/^tts speak -f examples\/story\.txt/).command);
    expect(screen.join('\n')).toMatch(/story\.mp3/);
    const mp3 = readFileSync(path.join(work, 'story.mp3'));
    expect(mp3.subarray(0, 3).toString('latin1')).toBe('ID3');
    expect(mp3.length).toBeGreaterThan(50_000);
    const subtitles = readFileSync(path.join(work, 'story.srt'), 'utf8');
    expect(subtitles).toMatch(/^1\n00:00:00,\d{3} --> 00:00:\d\d,\d{3}\n/);
    expect(subtitles.replace(/\s+/g, ' ')).toMatch(/eleven passengers and a dog/);
  });

  it('sees how a text is read', async () => {
    const { screen } = await shown(take(/^tts explain/).command);
    expect(screen.join(' ')).toMatch(/Doctor.*twelve dollars and fifty cents/s);
  });

  if (hasPulse()) {
    it('hears a sentence, a story while it is told, and a voice', async () => {
      const [sentence, story, voice] = [/^tts speak "/, /^llm /, /^tts voices --preview/].map(take) as [
        Example,
        Example,
        Example,
      ];
      const recorder = await card!.record();
      expect((await shown(sentence.command)).screen.join(' ')).toMatch(/train to Oslo/);
      expect((await shown(story.command)).screen.join(' ')).toMatch(/slept all day/);
      await shown(voice.command);
      const heard = (await recorder.stop()).filter((sample) => Math.abs(sample) > 100).length;
      expect(heard).toBeGreaterThan(3 * 24_000);
    });
  } else {
    it('hears nothing: pulseaudio, pulseaudio-utils, alsa-utils and libasound2-plugins are not installed', () => {
      expect(process.env.CI).not.toBe('true');
    });
  }

  it('runs a server, makes a key, and speaks through it', async () => {
    const server = start(take(/^tts serve/).command, work);
    await server.until(/listening/i);
    const { screen } = await shown(`${take(/tts keys create/).command}; echo "$KEY"`);
    const key = /^tts_[A-Za-z0-9_-]{43}$/m.exec(screen.join('\n'))?.[0];
    expect(key).toBeDefined();
    env.KEY = key!;
    await expectPages();

    const saved = take(/^curl .* -o hello\.wav$/s);
    await shown(at(saved));
    expectWav(path.join(work, 'hello.wav'));

    server.type('\u0003');
    const stopped = await server.ended();
    expect([0, 130]).toContain(stopped.code);
    expect(stopped.screen.filter((line) => STRAY.test(line))).toEqual([]);
  });

  it('has tried every example there is', () => {
    const tried = [
      /^npm install --global/,
      /^tts speak "/,
      /^tts speak -f/,
      /^llm /,
      /^tts voices --preview/,
      /^tts explain/,
    ];
    tried.push(/^tts serve/, /tts keys create/, /^curl .* -o hello\.wav$/s);
    expect(examples.filter(({ command }) => !tried.some((pattern) => pattern.test(command)))).toEqual([]);
  });
});
