/** `tts doctor`, `tts config`, `tts completion` and `--help`: the commands about the commands. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutTrying } from '../../src/cli/doctor/gpu.js';
import { loadConfig } from '../../src/config.js';
import type { VulkanFacts } from '../../src/engine/gpu/vulkan.js';
import { writeMeasurement } from '../../src/engine/measure/remembered.js';
import type { TestServer } from '../../testkit/server.js';
import { startStreamServer } from '../stream-input/client.js';
import { type Home, makeHome, tts, ttsInTerminal } from '../support/processes/tts.js';

let server: TestServer;
let home: Home;
beforeAll(async () => {
  server = await startStreamServer();
  home = makeHome();
});
afterAll(async () => {
  await server.close();
  home.remove();
});
const run = (args: string[], env: Record<string, string> = {}) =>
  tts(args, { env: { ...home.env, ...env }, cwd: home.dir });

describe('tts doctor', () => {
  interface Finding {
    what: string;
    state: string;
    found: string;
    advice?: string;
  }
  const findings = (stdout: Buffer) =>
    Object.fromEntries((JSON.parse(stdout.toString()) as Finding[]).map((finding) => [finding.what, finding]));

  it('looks at everything, a server that is named included, and lets the engine speak', async () => {
    const flags = ['--server', server.baseUrl, '--api-key', server.partner.key, '--port', '0', '--json'];
    const { stdout, stderr } = await run(['doctor', ...flags]);
    expect(stderr).toBe('');
    const found = findings(stdout);
    expect(Object.keys(found)).toEqual([
      'Node',
      'Model',
      'Engine',
      'Processes',
      'Sound',
      'Local server',
      'Port',
      'Data folder',
      'Server',
    ]);
    expect(found.Node).toMatchObject({ state: 'fine', found: expect.stringContaining(process.versions.node) });
    expect(found.Engine).toMatchObject({ found: expect.stringMatching(/speaks: .*first sound after \d+ ms/) });
    expect(found.Server).toMatchObject({ state: 'fine', found: expect.stringMatching(/voices, ready to speak/) });
    expect(found['Data folder']).toMatchObject({ state: 'fine' });
  });

  it('says what to do about each finding, and ends with 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    writeFileSync(home.file('a-file'), '');
    const flags = ['--host', '127.0.0.1', '--port', String(port), '--data-dir', home.file('a-file/folder')];
    const models = ['--model-dir', home.file('empty'), '--offline', '--device', 'cpu', '--threads', '1'];
    const elsewhere = ['--server', 'http://127.0.0.1:1', '--lexicon', '', '--voices-dir', ''];
    const ran = await run(['doctor', ...flags, ...models, ...elsewhere], { TTS_ENGINE: 'kokoro' });
    taken.close();
    const text = ran.stdout.toString();
    expect(text).toMatch(/✗ Model .*missing.*\n +→ .*tts models pull/);
    expect(text).toMatch(/! Engine .*not tried.*\n +→ tts models pull/);
    expect(text).toMatch(new RegExp(`! Port .*taken.*\\n +→ tts serve --port ${port + 1}`));
    expect(text).toMatch(/✗ Data folder .*cannot be written\n +→ .*--data-dir/);
    expect(text).toMatch(/✗ Server .*nothing is listening.*\n +→ .*--api-key/);
    expect(ran.code).toBe(1);
  });
});

describe("tts doctor's word on a GPU", () => {
  const bare: VulkanFacts = { adapters: [], loader: false, manifests: [], needsManifest: false };
  const h200 = { ...bare, adapters: ['NVIDIA H200 (driver 580.159.04)'] };
  const intel = { ...bare, adapters: ['GPU with the driver i915'], loader: true };

  it('names what is there, what is missing, and the command that installs it', () => {
    expect(withoutTrying(bare, 'auto', 'linux')).toMatchObject({
      state: 'fine',
      found: 'none seen, and none is needed',
    });
    expect(withoutTrying(h200, 'auto', 'linux')).toMatchObject({
      state: 'note',
      found: expect.stringMatching(/^NVIDIA H200 \(driver 580\.159\.04\), but .*libvulkan\.so\.1/),
      advice: expect.stringContaining('apt install libvulkan1'),
    });
    expect(withoutTrying(h200, 'webgpu', 'linux')).toMatchObject({ state: 'broken' });
    expect(withoutTrying({ ...h200, loader: true }, 'auto', 'linux')).toMatchObject({
      advice: expect.stringContaining('NVIDIA_DRIVER_CAPABILITIES=all'),
    });
    expect(withoutTrying(intel, 'auto', 'linux')).toMatchObject({
      found: 'GPU with the driver i915, but no driver of Vulkan for it',
      advice: expect.stringContaining('apt install mesa-vulkan-drivers'),
    });
  });

  it('tries what may work, and what was asked for by name', () => {
    expect(withoutTrying({ ...h200, loader: true, needsManifest: true }, 'auto', 'linux')).toBeUndefined();
    expect(withoutTrying({ ...intel, manifests: ['intel_icd.json'] }, 'auto', 'linux')).toBeUndefined();
    expect(withoutTrying(bare, 'webgpu', 'linux')).toBeUndefined();
    expect(withoutTrying(h200, 'cuda', 'linux')).toBeUndefined();
    expect(withoutTrying(bare, 'auto', 'darwin')).toBeUndefined();
    expect(withoutTrying(h200, 'cpu', 'linux')).toMatchObject({
      found: expect.stringMatching(/H200.*the CPU was asked/),
    });
  });

  it.runIf(process.platform === 'linux' && process.arch === 'arm64')(
    'says of one that this runtime does not have what it needs',
    async () => {
      const flags = ['--device', 'webgpu', '--model-dir', home.file('empty'), '--offline', '--port', '0', '--json'];
      const { stdout, code } = await run(['doctor', ...flags], { TTS_ENGINE: 'kokoro' });
      const told = JSON.parse(stdout.toString()) as { what: string }[];
      expect(told.find(({ what }) => what === 'GPU')).toEqual({
        what: 'GPU',
        state: 'broken',
        found: expect.stringMatching(/"webgpu" cannot be used here\. It needs .*WebGPU.*or use --device cpu/),
      });
      expect(code).toBe(1);
    },
  );
});

describe('the choice of a model', () => {
  const chosen = async (env: Record<string, string> = {}) => {
    const flags = [
      '--model-dir',
      home.file('measured'),
      '--device',
      'cpu',
      '--threads',
      '1',
      '--offline',
      '--port',
      '0',
    ];
    const { stdout } = await run(['doctor', ...flags], { TTS_ENGINE: 'kokoro', ...env });
    return /. Chosen +(.*(?:\n +→ .*)?)/.exec(stdout.toString())?.[1];
  };
  const remember = (realTimeFactor: number) =>
    writeMeasurement(
      home.file('measured'),
      { device: 'cpu', threads: 1 },
      {
        vocoder: 'quantised',
        realTimeFactor,
        untilHeard: { 'base-tts': realTimeFactor, 'base-tts-fast': 0.1 },
        runtime: '1',
      },
    );

  it('is explained by doctor with what was remembered', async () => {
    expect(await chosen()).toMatch(
      /^base-tts-fast, which every machine carries: .*not measured here yet\n +→ tts models/,
    );
    await remember(0.5);
    expect(await chosen()).toMatch(/^base-tts: remembered of base-tts on this machine: 2\.0 × faster.*measured\.json/);
    await remember(0.9);
    expect(await chosen()).toMatch(/^base-tts-fast: .*: 1\.1 × faster than real time, and 1\.3 × faster.* is enough/);
    expect(await chosen({ TTS_MODEL: 'base-tts:free' })).toMatch(/^base-tts:free, as set/);
  });
});

describe('an unavailable device', () => {
  it('ends a command with the code of an engine that failed', async () => {
    const device = process.platform === 'darwin' ? 'cuda' : 'coreml';
    const args = ['speak', 'Hello.', '--device', device, '-o', home.file('device.wav')];
    const ran = await run(args, { TTS_ENGINE: 'kokoro', TTS_MODEL_DIR: loadConfig().config.modelDir });
    expect(ran.stderr).toContain(`The device "${device}" cannot be used here`);
    expect(ran.code).toBe(8);
  });
});

describe('tts config', () => {
  it('shows every setting and where it came from, secrets covered', async () => {
    mkdirSync(home.file('.config/tts'), { recursive: true });
    writeFileSync(home.file('.config/tts/config.json'), JSON.stringify({ queueLimit: 12 }));
    const ran = await run(['config', '--port', '9000'], { TTS_API_KEY: 'tts_verysecretindeed0123456789' });
    const rows = Object.fromEntries(
      ran.stdout
        .toString()
        .split('\n')
        .map((line) => [line.split(/\s+/)[0]!, line]),
    );
    expect(rows.port).toMatch(/^port +9000 +--port +TTS_PORT$/);
    expect(rows.apiKey).toMatch(/^apiKey +tts_\S{0,4}… +TTS_API_KEY/);
    expect(rows.queueLimit).toMatch(/^queueLimit +12 +\S+config\.json/);
    expect(rows.host).toMatch(/^host +127\.0\.0\.1 +default/);
    expect(ran.stdout.toString()).not.toContain('secret');
    expect(ran.stderr).toMatch(/config file: .*config\.json\n$/);
  });

  it('prints JSON for scripts', async () => {
    const { settings } = JSON.parse((await run(['config', '--json'])).stdout.toString()) as {
      settings: Record<string, { value: unknown; source: string }>;
    };
    expect(settings.engine).toMatchObject({ value: 'sine', source: 'environment' });
    expect(settings.port).toMatchObject({ value: 8787, source: 'default' });
  });

  it('refuses a setting that cannot be', async () => {
    expect(await run(['config'], { TTS_PORT: 'many' })).toMatchObject({
      code: 2,
      stderr: /TTS_PORT must be a whole number/,
    });
  });
});

const present = (shell: string): boolean => {
  try {
    execFileSync(shell, ['-c', 'true']);
    return true;
  } catch {
    return false;
  }
};

describe('tts completion', () => {
  it('completes commands, options, values and files in bash', async () => {
    const script = (await run(['completion', 'bash'])).stdout.toString();
    writeFileSync(home.file('tts.bash'), script);
    writeFileSync(home.file('story.txt'), '');
    const complete = (...words: string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own
          'source tts.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tts; printf "%s\\n" "${COMPREPLY[@]}"',
          '_',
          ...words,
        ],
        { cwd: home.dir, encoding: 'utf8' },
      )
        .trim()
        .split('\n');
    expect(complete('tts', 's')).toEqual(['serve', 'speak', 'say', 'stream', 'speechd-module']);
    expect(complete('tts', 'speak', '--s')).toEqual(['--srt', '--ssml', '--seed', '--speed', '--style', '--server']);
    for (const before of [
      ['speak', '-v'],
      ['say', '--voice'],
      ['voices', '--preview'],
    ])
      expect(complete('tts', ...before, 'english_female_a')).toEqual(['english_female_articulate']);
    expect(complete('tts', 'speak', '--device', 'c')).toEqual(['cpu', 'cuda', 'coreml']);
    expect(complete('tts', 'config', 's')).toEqual(['set']);
    expect(complete('tts', 'speak', '-m', 'base-tts-')).toEqual(['base-tts-fast', 'base-tts-fast:free']);
    expect(complete('tts', 'speak', '--format', '')).toEqual([
      'wav',
      'mp3',
      'm4a',
      'm4b',
      'aac',
      'opus',
      'flac',
      'pcm',
    ]);
    expect(complete('tts', 'speak', '-f', 'st')).toEqual(['story.txt']);
    expect(complete('tts', 'keys', 'c')).toEqual(['create']);
    expect(complete('tts', 'keys', 'create', '--ti')).toEqual(['--tier']);
    expect(complete('tts', 'completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  });

  for (const shell of ['zsh', 'fish']) {
    it(`writes a script that ${shell} understands`, async () => {
      const script = (await run(['completion', shell])).stdout.toString();
      for (const word of ['speak', 'stream', 'voices', 'flush-on-newline', 'base-tts-fast'])
        expect(script).toContain(word);
      if (!present(shell)) {
        // Debian: zsh, fish. Left out where they are not installed, but not on the build machine.
        expect(process.env.CI).not.toBe('true');
        return;
      }
      const file = home.file(`tts.${shell}`);
      writeFileSync(file, script);
      if (shell === 'fish') {
        const ask = (line: string) =>
          execFileSync('fish', ['--no-config', '-c', `source ${file}; complete -C "${line}"`], {
            encoding: 'utf8',
            env: home.env,
          });
        expect(ask('tts str')).toMatch(/^stream\t/);
        expect(ask('tts speak --sr')).toMatch(/^--srt\t/);
        expect(ask('tts speak --format ')).toMatch(/wav[\s\S]*pcm|pcm[\s\S]*wav/);
      } else {
        execFileSync('zsh', ['-n', file]);
        const loaded = execFileSync(
          'zsh',
          ['-f', '-c', `autoload -U compinit; compinit -D -u; source ${file}; print $_comps[tts]`],
          {
            encoding: 'utf8',
            env: home.env,
          },
        );
        expect(loaded.trim()).toBe('_tts');
      }
    });
  }

  it('knows no other shell', async () => {
    expect(await run(['completion', 'tcsh'])).toMatchObject({ code: 2, stderr: /bash, zsh, fish/ });
  });
});

describe('help', () => {
  it('teaches by example, and names the exit codes', async () => {
    for (const args of [['--help'], ['speak', '--help'], ['help', 'stream'], ['voices', '-h'], ['doctor', '--help']]) {
      const ran = await run(args);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout.toString()).toMatch(/Examples:\n +\S*tts|Examples:\n +\S.*tts/);
    }
    expect((await run(['speak', '--help'])).stdout.toString()).toMatch(/Exit codes: 0 done.*130 interrupted/s);
  });

  it('is what a bare call and a wrong one get, on stderr, with 2', async () => {
    expect(await run([])).toMatchObject({ code: 2, stderr: /Usage: tts/ });
    expect(await run(['spaek'])).toMatchObject({ code: 2, stderr: /Did you mean speak/ });
    expect((await run(['--version'])).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('fits a narrow terminal', async () => {
    const terminal = ttsInTerminal(['config'], home.env, 60);
    expect(await terminal.ended()).toBe(0);
    const lines = terminal
      .text()
      .split('\n')
      .filter((line) => !line.startsWith('config file'));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });

  it('offers no option of these commands that no test here uses', async () => {
    const used = [import.meta.dirname, path.join(import.meta.dirname, '../heard')]
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
      )
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    for (const command of ['speak', 'stream', 'voices', 'doctor', 'completion']) {
      const help = (await run([command, '--help'])).stdout.toString();
      const options = help.slice(help.indexOf('Options:'), help.indexOf('Examples:'));
      const flags = [...options.matchAll(/^ {2}(?:(-\w), )?(--[\w-]+)/gm)];
      expect(flags.length).toBeGreaterThan(0);
      for (const [, short, long] of flags) {
        const seen =
          used.includes(`'${long}'`) ||
          (short !== undefined && used.includes(`'${short}'`)) ||
          used.includes(` ${long} `);
        expect({ command, long, seen }).toEqual({ command, long, seen: true });
      }
    }
  });
});
