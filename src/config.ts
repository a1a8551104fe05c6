/** Settings from flags, environment, file and defaults, in this order, as a frozen Config. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { writePrivateFileSync } from './atomic-file.js';
import { makeFolder } from './folder.js';
import { TtsError } from './protocol/errors.js';
import { didYouMean } from './protocol/suggestion.js';
import { baseDir, type Config, flagOf, SETTINGS, type Setting, userVoicesDir } from './settings.js';

export { baseDir, type Config, flagOf, SETTINGS, type Setting, userVoicesDir };

export type Source = 'flag' | 'environment' | 'file' | 'default';
export interface Sources {
  readonly config: Config;
  readonly sources: Readonly<Record<keyof Config, Source>>;
  /** The config file that was looked for, and whether it was there. */
  readonly file: { readonly path: string; readonly found: boolean };
}

export interface ConfigInput {
  readonly flags?: Partial<Record<keyof Config, unknown>>;
  readonly env?: NodeJS.ProcessEnv;
}

function parse(row: Setting, raw: unknown, where: string): Config[keyof Config] {
  const value = row.read(raw);
  if (value !== undefined) return value;
  const given = row.secret ? '' : `, not ${JSON.stringify(raw)}`;
  throw new TtsError('config_invalid', `${where} must be ${row.allowed}${given}.`, { param: row.key });
}

function readConfigFile(file: string, required: boolean): Record<string, unknown> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (!required && ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new TtsError('config_invalid', `The config file ${file} could not be read: ${(cause as Error).message}.`, {
      cause,
    });
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new TtsError('config_invalid', `The config file ${file} is not JSON: ${(cause as Error).message}.`, {
      cause,
    });
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new TtsError('config_invalid', `The config file ${file} must hold one JSON object, such as {"port": 8787}.`);
  }
  const known = new Set(SETTINGS.map((row) => row.key as string));
  for (const key of Object.keys(data)) {
    if (!known.has(key)) {
      throw new TtsError(
        'config_invalid',
        `The config file ${file} has an unknown setting "${key}".${didYouMean(key, [...known])} Known: ${[...known].join(', ')}.`,
      );
    }
  }
  return data as Record<string, unknown>;
}

/** The config file: the one named by TTS_CONFIG, or the user's. */
function configFile(env: NodeJS.ProcessEnv): { path: string; named: boolean } {
  const named = env.TTS_CONFIG;
  return { path: named || path.join(baseDir(env, 'CONFIG'), 'tts', 'config.json'), named: Boolean(named) };
}

/** Sets or removes one setting in the config file, and returns the file's path. */
export function writeSetting(key: string, raw: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const row = SETTINGS.find((candidate) => candidate.key === key);
  if (!row) {
    const known = SETTINGS.filter((candidate) => !candidate.hidden).map((candidate) => candidate.key);
    throw new TtsError(
      'usage',
      `There is no setting "${key}".${didYouMean(key, known)} There are: ${known.join(', ')}.`,
    );
  }
  const { path: file } = configFile(env);
  const { [key]: _, ...others } = readConfigFile(file, false) ?? {};
  const settings = raw === undefined ? others : { ...others, [key]: parse(row, raw, key) };
  try {
    makeFolder(path.dirname(file));
    // It may hold keys.
    writePrivateFileSync(file, `${JSON.stringify(settings, null, 2)}\n`);
  } catch (cause) {
    throw new TtsError('config_invalid', `The config file ${file} cannot be written: ${(cause as Error).message}.`, {
      cause,
    });
  }
  return file;
}

export function loadConfig({ flags = {}, env = process.env }: ConfigInput = {}): Sources {
  const { path: filePath, named } = configFile(env);
  const file = readConfigFile(filePath, named);
  const config: Record<string, unknown> = {};
  const sources: Record<string, Source> = {};
  for (const row of SETTINGS) {
    const flag = flags[row.key];
    const fromEnv = env[row.env];
    if (flag !== undefined) {
      config[row.key] = parse(row, flag, flagOf(row.key));
      sources[row.key] = 'flag';
    } else if (fromEnv !== undefined && fromEnv !== '') {
      config[row.key] = parse(row, fromEnv, row.env);
      sources[row.key] = 'environment';
    } else if (file && Object.hasOwn(file, row.key)) {
      config[row.key] = parse(row, file[row.key], `"${row.key}" in ${filePath}`);
      sources[row.key] = 'file';
    } else {
      config[row.key] = row.defaultValue(env);
      sources[row.key] = 'default';
    }
  }
  return {
    config: Object.freeze(config) as unknown as Config,
    sources: sources as Record<keyof Config, Source>,
    file: { path: filePath, found: file !== undefined },
  };
}
