/** Settings from flags, environment, file and defaults, in that order, as one frozen Config. The table also prints help. */
import { readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { writePrivateFileSync } from './atomic-file.js';
import { makeFolder } from './folder.js';
import { DEVICES, type Device } from './protocol/device.js';
import { TtsError } from './protocol/errors.js';

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  // Client
  readonly server: string;
  readonly apiKey: string;
  readonly apiKeyFile: string;
  readonly voice: string;
  readonly model: string;
  // Server
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly freeConcurrency: number;
  readonly freeDaily: number;
  readonly partnerConcurrency: number;
  readonly billDelivered: boolean;
  readonly queueLimit: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly allowedHosts: string;
  readonly tlsCert: string;
  readonly tlsKey: string;
  readonly corsOrigin: string;
  readonly metricsPort: number;
  readonly metricsHost: string;
  readonly logLevel: LogLevel;
  // Engine
  readonly device: Device;
  readonly workers: number;
  readonly threads: number;
  readonly engine: 'kokoro' | 'sine';
  // Files
  readonly modelDir: string;
  readonly voicesDir: string;
  readonly lexicon: string;
  readonly offline: boolean;
  readonly runtimeDir: string;
}

type Group = 'client' | 'server' | 'engine' | 'files';

export interface Setting<K extends keyof Config = keyof Config> {
  readonly key: K;
  readonly group: Group;
  readonly env: string;
  /** Placeholder of the value in help; none for a switch. */
  readonly placeholder?: string;
  readonly description: string;
  readonly defaultValue: (env: NodeJS.ProcessEnv) => Config[K];
  /** How the default reads in help, where the value itself would name this machine. */
  readonly defaultText?: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly secret?: boolean;
  /** Settable from file and environment, shown by `tts config`, absent from help. */
  readonly hidden?: boolean;
}

/** An XDG base folder, or its macOS and Windows counterpart. */
function baseDir(env: NodeJS.ProcessEnv, kind: 'CONFIG' | 'DATA' | 'CACHE'): string {
  const xdg = env[`XDG_${kind}_HOME`];
  if (xdg && path.isAbsolute(xdg)) return xdg;
  const home = env.HOME || env.USERPROFILE || homedir();
  if (process.platform === 'win32') return env.LOCALAPPDATA || path.join(home, 'AppData', 'Local');
  if (process.platform === 'darwin') {
    return kind === 'CACHE' ? path.join(home, 'Library', 'Caches') : path.join(home, 'Library', 'Application Support');
  }
  return path.join(home, { CONFIG: '.config', DATA: '.local/share', CACHE: '.cache' }[kind]);
}

function runtimeDir(env: NodeJS.ProcessEnv): string {
  const xdg = env.XDG_RUNTIME_DIR;
  if (xdg && path.isAbsolute(xdg)) return path.join(xdg, 'tts');
  const user = process.getuid ? String(process.getuid()) : env.USERNAME || 'user';
  return path.join(tmpdir(), `tts-${user}`);
}

const setting = <K extends keyof Config>(row: Setting<K>): Setting => row as unknown as Setting;

export const SETTINGS: readonly Setting[] = [
  setting({
    key: 'server',
    group: 'client',
    env: 'TTS_BASE_URL',
    placeholder: 'URL',
    description: 'server to speak through',
    defaultValue: () => '',
    defaultText: 'a running local server, else one embedded in the command',
  }),
  setting({
    key: 'apiKey',
    group: 'client',
    env: 'TTS_API_KEY',
    placeholder: 'KEY',
    description: 'API key for --server',
    defaultValue: () => '',
    defaultText: 'none',
    secret: true,
  }),
  setting({
    key: 'apiKeyFile',
    group: 'client',
    env: 'TTS_API_KEY_FILE',
    placeholder: 'FILE',
    description: 'file that holds the API key',
    defaultValue: () => '',
    defaultText: 'none',
  }),
  setting({
    key: 'voice',
    group: 'client',
    env: 'TTS_VOICE',
    placeholder: 'ID',
    description: 'voice to speak with',
    defaultValue: () => 'english_female_professional',
  }),
  setting({
    key: 'model',
    group: 'client',
    env: 'TTS_MODEL',
    placeholder: 'NAME',
    description: 'model to speak with',
    defaultValue: () => '',
    defaultText: 'the best that this machine speaks in real time',
  }),
  setting({
    key: 'port',
    group: 'server',
    env: 'TTS_PORT',
    placeholder: 'N',
    description: 'port to listen on, 0 for any free one',
    defaultValue: () => 8787,
    min: 0,
    max: 65_535,
  }),
  setting({
    key: 'host',
    group: 'server',
    env: 'TTS_HOST',
    placeholder: 'ADDR',
    description: 'address to listen on',
    defaultValue: () => '127.0.0.1',
  }),
  setting({
    key: 'dataDir',
    group: 'server',
    env: 'TTS_DATA_DIR',
    placeholder: 'DIR',
    description: 'folder that holds the accounts',
    defaultValue: (env) => path.join(baseDir(env, 'DATA'), 'tts'),
    defaultText: '$XDG_DATA_HOME/tts',
  }),
  setting({
    key: 'freeConcurrency',
    group: 'server',
    env: 'TTS_FREE_CONCURRENCY',
    placeholder: 'N',
    description: 'concurrent Free sessions per key',
    defaultValue: () => 2,
    min: 0,
    max: 1_000_000,
  }),
  setting({
    key: 'freeDaily',
    group: 'server',
    env: 'TTS_FREE_DAILY',
    placeholder: 'N',
    description: 'Free requests per key and UTC day',
    defaultValue: () => 200,
    min: 0,
    max: 1_000_000_000,
  }),
  setting({
    key: 'partnerConcurrency',
    group: 'server',
    env: 'TTS_PARTNER_CONCURRENCY',
    placeholder: 'N',
    description: 'concurrent sessions per Partner key',
    defaultValue: () => 8,
    min: 0,
    max: 1_000_000,
  }),
  setting({
    key: 'billDelivered',
    group: 'server',
    env: 'TTS_BILL_DELIVERED',
    description: 'debit what was delivered of requests their client breaks off, which are free otherwise',
    defaultValue: () => false,
  }),
  setting({
    key: 'queueLimit',
    group: 'server',
    env: 'TTS_QUEUE_LIMIT',
    placeholder: 'N',
    description: 'requests in progress or waiting, beyond which new ones are refused',
    defaultValue: () => 256,
    min: 1,
    max: 1_000_000,
  }),
  setting({
    key: 'maxConnections',
    group: 'server',
    env: 'TTS_MAX_CONNECTIONS',
    placeholder: 'N',
    description: 'most connections open at once',
    defaultValue: () => 4096,
    min: 1,
    max: 1_000_000,
  }),
  setting({
    key: 'maxConnectionsPerAddress',
    group: 'server',
    env: 'TTS_MAX_CONNECTIONS_PER_ADDRESS',
    placeholder: 'N',
    description: 'open connections per client address, 0 for no bound',
    defaultValue: () => 1024,
    min: 0,
    max: 1_000_000,
  }),
  setting({
    key: 'allowedHosts',
    group: 'server',
    env: 'TTS_ALLOWED_HOSTS',
    placeholder: 'HOSTS',
    description: 'host names to answer to, comma-separated, * for all',
    defaultValue: () => '',
    defaultText: 'on a loopback address those of this machine, elsewhere all',
  }),
  setting({
    key: 'tlsCert',
    group: 'server',
    env: 'TTS_TLS_CERT',
    placeholder: 'FILE',
    description: 'TLS certificate chain (PEM)',
    defaultValue: () => '',
    defaultText: 'none, plain HTTP',
  }),
  setting({
    key: 'tlsKey',
    group: 'server',
    env: 'TTS_TLS_KEY',
    placeholder: 'FILE',
    description: 'TLS private key (PEM)',
    defaultValue: () => '',
    defaultText: 'none',
  }),
  setting({
    key: 'corsOrigin',
    group: 'server',
    env: 'TTS_CORS_ORIGIN',
    placeholder: 'ORIGINS',
    description: 'browser origins that may call, comma-separated',
    defaultValue: () => '',
    defaultText: 'none',
  }),
  setting({
    key: 'metricsPort',
    group: 'server',
    env: 'TTS_METRICS_PORT',
    placeholder: 'N',
    description: 'serve /metrics on this port instead, 0 for the main one',
    defaultValue: () => 0,
    min: 0,
    max: 65_535,
  }),
  setting({
    key: 'metricsHost',
    group: 'server',
    env: 'TTS_METRICS_HOST',
    placeholder: 'ADDR',
    description: 'address of --metrics-port',
    defaultValue: () => '127.0.0.1',
  }),
  setting({
    key: 'logLevel',
    group: 'server',
    env: 'TTS_LOG_LEVEL',
    placeholder: 'LEVEL',
    description: 'how much to log',
    defaultValue: () => 'info',
    choices: LOG_LEVELS,
  }),
  setting({
    key: 'device',
    group: 'engine',
    env: 'TTS_DEVICE',
    placeholder: 'NAME',
    description: 'where the model runs',
    defaultValue: () => 'auto',
    choices: DEVICES,
  }),
  setting({
    key: 'workers',
    group: 'engine',
    env: 'TTS_WORKERS',
    placeholder: 'N',
    description: 'engine processes',
    defaultValue: () => 1,
    min: 1,
    max: 256,
  }),
  setting({
    key: 'threads',
    group: 'engine',
    env: 'TTS_THREADS',
    placeholder: 'N',
    description: 'threads per engine process, 0 for what suits the machine',
    defaultValue: () => 0,
    min: 0,
    max: 1024,
  }),
  setting({
    key: 'engine',
    group: 'engine',
    env: 'TTS_ENGINE',
    placeholder: 'NAME',
    description: 'kokoro, or sine for tests without a model',
    defaultValue: () => 'kokoro',
    choices: ['kokoro', 'sine'],
    hidden: true,
  }),
  setting({
    key: 'modelDir',
    group: 'files',
    env: 'TTS_MODEL_DIR',
    placeholder: 'DIR',
    description: 'folder for the downloaded models',
    defaultValue: (env) => path.join(baseDir(env, 'CACHE'), 'tts', 'models'),
    defaultText: '$XDG_CACHE_HOME/tts/models',
  }),
  setting({
    key: 'voicesDir',
    group: 'files',
    env: 'TTS_VOICES_DIR',
    placeholder: 'DIR',
    description: 'folder with your own voice files',
    defaultValue: () => '',
    defaultText: 'none',
  }),
  setting({
    key: 'lexicon',
    group: 'files',
    env: 'TTS_LEXICON',
    placeholder: 'FILE',
    description: 'file with your own pronunciations',
    defaultValue: () => '',
    defaultText: 'none',
  }),
  setting({
    key: 'offline',
    group: 'files',
    env: 'TTS_OFFLINE',
    description: 'never fetch a model over the network',
    defaultValue: () => false,
  }),
  setting({
    key: 'runtimeDir',
    group: 'files',
    env: 'TTS_RUNTIME_DIR',
    placeholder: 'DIR',
    description: 'folder where a running server leaves its address',
    defaultValue: (env) => runtimeDir(env),
    defaultText: '$XDG_RUNTIME_DIR/tts',
    hidden: true,
  }),
];

/** `freeConcurrency` → `--free-concurrency`. */
export const flagOf = (key: keyof Config): string => `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

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
  const fail = (allowed: string): never => {
    throw new TtsError(
      'config_invalid',
      `${where} must be ${allowed}${row.secret ? '' : `, not ${JSON.stringify(raw)}`}.`,
      { param: row.key },
    );
  };
  const example = row.defaultValue({});
  if (typeof example === 'number') {
    const value =
      typeof raw === 'number' ? raw : typeof raw === 'string' && /^\d+$/.test(raw.trim()) ? Number(raw) : Number.NaN;
    if (!Number.isSafeInteger(value) || value < (row.min ?? 0) || value > (row.max ?? Number.MAX_SAFE_INTEGER)) {
      return fail(`a whole number from ${row.min ?? 0} to ${row.max ?? Number.MAX_SAFE_INTEGER}`);
    }
    return value;
  }
  if (typeof example === 'boolean') {
    if (raw === true || raw === 'true' || raw === '1') return true;
    if (raw === false || raw === 'false' || raw === '0' || raw === '') return false;
    return fail('true or false');
  }
  if (typeof raw !== 'string') return fail('a string');
  if (row.choices && !row.choices.includes(raw)) return fail(`one of ${row.choices.join(', ')}`);
  return raw;
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
        `The config file ${file} has an unknown setting "${key}". Known: ${[...known].join(', ')}.`,
      );
    }
  }
  return data as Record<string, unknown>;
}

/** The config file: the one that is named, or the one of this home. */
function configFile(env: NodeJS.ProcessEnv): { path: string; named: boolean } {
  const named = env.TTS_CONFIG;
  return { path: named || path.join(baseDir(env, 'CONFIG'), 'tts', 'config.json'), named: Boolean(named) };
}

/** Puts a setting into the config file, or takes it out, and returns the file's path. The rest of the file stays. */
export function writeSetting(key: string, raw: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const row = SETTINGS.find((candidate) => candidate.key === key);
  if (!row) {
    const known = SETTINGS.filter((candidate) => !candidate.hidden).map((candidate) => candidate.key);
    throw new TtsError('usage', `There is no setting "${key}". There are: ${known.join(', ')}.`);
  }
  const { path: file } = configFile(env);
  const { [key]: _, ...others } = readConfigFile(file, false) ?? {};
  const settings = raw === undefined ? others : { ...others, [key]: parse(row, raw, key) };
  try {
    makeFolder(path.dirname(file));
    // Keys may be in it.
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
