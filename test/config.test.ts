/** Where a setting comes from, which source wins, and what a wrong value says. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addSettings } from '../src/cli/context.js';
import { type Config, flagOf, loadConfig, SETTINGS } from '../src/config.js';
import { TtsError } from '../src/protocol/errors.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tts-config-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function withFile(content: unknown, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const file = path.join(dir, 'config.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return { ...env, TTS_CONFIG: file };
}

function failure(run: () => unknown): TtsError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(TtsError);
    return error as TtsError;
  }
  throw new Error('expected a TtsError');
}

describe('the order of the sources', () => {
  it('takes a flag over the environment over the file over the default', () => {
    const env = withFile({ port: 1001, host: '127.0.0.2', freeDaily: 7 }, { TTS_PORT: '1002', TTS_HOST: '127.0.0.3' });
    const { config, sources } = loadConfig({ flags: { port: '1003' }, env });
    expect(config).toMatchObject({ port: 1003, host: '127.0.0.3', freeDaily: 7, freeConcurrency: 2 });
    expect(sources).toMatchObject({ port: 'flag', host: 'environment', freeDaily: 'file', freeConcurrency: 'default' });
  });

  it('takes limits of Free access for all models or by model, from every source', () => {
    const [limits, both] = [
      { 'base-tts': 100, 'base-tts-fast': 400 },
      { 'base-tts': 1, 'base-tts-fast': 2 },
    ];
    const env = withFile({ freeDaily: limits }, { TTS_FREE_CONCURRENCY: ' base-tts-fast=2 , base-tts = 1' });
    expect(loadConfig({ env }).config).toMatchObject({ freeDaily: limits, freeConcurrency: both });
    const flags = { freeDaily: 'base-tts=100,base-tts-fast=400', freeConcurrency: '7' };
    expect(loadConfig({ flags, env }).config).toMatchObject({ freeDaily: limits, freeConcurrency: 7 });
    // A model that is not named has the default.
    const partly = loadConfig({ flags: { freeDaily: 'base-tts-fast=0' }, env: { HOME: dir } }).config;
    expect(partly.freeDaily).toEqual({ 'base-tts': 200, 'base-tts-fast': 0 });
  });

  it('ignores an empty environment variable', () => {
    expect(loadConfig({ env: { TTS_PORT: '', HOME: dir } }).sources.port).toBe('default');
  });

  it('finds the file in the XDG folder, and says when there is none', () => {
    const { file } = loadConfig({ env: { XDG_CONFIG_HOME: dir } });
    expect(file).toEqual({ path: path.join(dir, 'tts', 'config.json'), found: false });
  });

  it('gives a config that cannot be changed', () => {
    const { config } = loadConfig({ env: { HOME: dir } });
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
  });

  it('puts data and models in the XDG folders', () => {
    const { config } = loadConfig({
      env: { XDG_DATA_HOME: '/x/data', XDG_CACHE_HOME: '/x/cache', XDG_RUNTIME_DIR: '/x/run' },
    });
    expect(config.dataDir).toBe(path.join('/x/data', 'tts'));
    expect(config.modelDir).toBe(path.join('/x/cache', 'tts', 'models'));
    expect(config.runtimeDir).toBe(path.join('/x/run', 'tts'));
  });
});

describe('a wrong value', () => {
  const cases: [string, Partial<Record<keyof Config, unknown>>, NodeJS.ProcessEnv, RegExp][] = [
    ['a word for a number', { port: 'many' }, {}, /^--port must be a whole number from 0 to 65535, not "many"\.$/],
    ['a number out of range', {}, { TTS_PORT: '70000' }, /^TTS_PORT must be a whole number from 0 to 65535/],
    ['a fraction', { freeDaily: '1.5' }, {}, /^--free-daily must be a whole number/],
    ...[
      ...['base-tts', 'base-tts=', 'base-tts=-1', 'base-tts=1.5', 'base-tts=1=2', 'base-tts=1,', 'base-tts-slow=1'],
      ...['base-tts=1,base-tts=2', '', 'base-tts:free=1', 'base-tts=1000000000000', '1,2', 'toString=1'],
    ].map((freeDaily): (typeof cases)[number] => [
      `the limit ${JSON.stringify(freeDaily)}`,
      { freeDaily },
      {},
      /^--free-daily must be a whole number .* for each :free model, or one by model such as base-tts=100,base-tts-fast=400, not/,
    ]),
    ['a list for a limit', { freeDaily: [1] }, {}, /^--free-daily must be/],
    ['no model in a limit', { freeDaily: {} }, {}, /^--free-daily must be/],
    [
      'an unknown choice',
      { device: 'tpu' },
      {},
      /^--device must be one of auto, cpu, cuda, webgpu, coreml, dml, not "tpu"/,
    ],
    ['a switch that is neither', {}, { TTS_OFFLINE: 'maybe' }, /^TTS_OFFLINE must be true or false/],
  ];
  for (const [name, flags, env, message] of cases) {
    it(`names its source and what is allowed: ${name}`, () => {
      const error = failure(() => loadConfig({ flags, env: { HOME: dir, ...env } }));
      expect(error.code).toBe('config_invalid');
      expect(error.message).toMatch(message);
    });
  }

  it('is refused in a file that is not JSON', () => {
    expect(failure(() => loadConfig({ env: withFile('{port: 1}') })).message).toContain('is not JSON');
  });

  it('is refused in a file with an unknown setting, which it names', () => {
    expect(failure(() => loadConfig({ env: withFile({ prot: 1 }) })).message).toContain('unknown setting "prot"');
  });

  it('is refused when the named file is not there', () => {
    expect(failure(() => loadConfig({ env: { TTS_CONFIG: path.join(dir, 'none.json') } })).code).toBe('config_invalid');
  });

  it('never prints a secret', () => {
    expect(failure(() => loadConfig({ env: withFile({ apiKey: 12345678 }) })).message).not.toContain('12345678');
  });
});

describe('the settings table', () => {
  it('has an environment variable and a description for every setting, none twice', () => {
    const names = SETTINGS.map((row) => row.env);
    expect(new Set(names).size).toBe(names.length);
    for (const row of SETTINGS) {
      expect(row.env).toMatch(/^TTS_[A-Z_]+$/);
      expect(row.description.length).toBeGreaterThan(5);
    }
  });

  it('prints every setting with its default and its variable in help', () => {
    const shown = SETTINGS.filter((row) => !row.hidden);
    const help = addSettings(
      new Command('x').configureHelp({ helpWidth: 400 }),
      shown.map((row) => row.key),
    ).helpInformation();
    for (const row of shown) {
      expect(help).toContain(flagOf(row.key));
      expect(help).toContain(`env: ${row.env}`);
      expect(help).toContain(`default: ${row.defaultText ?? row.defaultValue({})}`);
    }
  });
});
