/** The table of settings: type, default, bounds, and descriptions for help and errors. */
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_STYLE, DELIVERY_STYLES } from './protocol/delivery/delivery.js';
import { DEVICES } from './protocol/device.js';
import { allowedFreeLimit, type FreeLimit, freeLimitOf, parseFreeLimit } from './protocol/free-limit.js';
import { BASE_MODELS } from './protocol/job.js';

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** A row of the table besides its value. */
interface Words {
  readonly group: 'client' | 'server' | 'engine' | 'files' | 'nats' | 'worker';
  readonly description: string;
  /** Placeholder of the value in help; none for a switch. */
  readonly placeholder?: string;
  /** The default in help, where its value would name this machine or say nothing. */
  readonly defaultText?: string;
  /** The environment variable, where it is not made from the setting's name. */
  readonly env?: string;
  readonly secret?: boolean;
  /** Can be set in file and environment; shown by `tts config`, but not in help. */
  readonly hidden?: boolean;
}

interface Row<V> extends Words {
  readonly defaultValue: (env: NodeJS.ProcessEnv) => V;
  /** Parses a flag, a variable or the file's value; undefined where it is invalid. */
  readonly read: (raw: unknown) => V | undefined;
  /** The allowed values, to end the sentence "PORT must be …". */
  readonly allowed: string;
  readonly choices?: readonly string[];
}

const text = (value: string | ((env: NodeJS.ProcessEnv) => string), words: Words): Row<string> => ({
  ...words,
  defaultValue: typeof value === 'string' ? () => value : value,
  read: (raw) => (typeof raw === 'string' ? raw : undefined),
  allowed: 'a string',
});

const whole = (value: number, [min, max]: readonly [number, number], words: Words): Row<number> => ({
  placeholder: 'N',
  ...words,
  defaultValue: () => value,
  read(raw) {
    const number = typeof raw === 'string' && /^\d+$/.test(raw.trim()) ? Number(raw) : raw;
    return Number.isSafeInteger(number) && (number as number) >= min && (number as number) <= max
      ? (number as number)
      : undefined;
  },
  allowed: `a whole number from ${min} to ${max}`,
});

/** `auto` is what suits the machine, and 0 too where it has no other meaning. */
const wholeOrAuto = (range: readonly [number, number], words: Words, zeroIsAuto = false): Row<number | 'auto'> => {
  const row = whole(0, range, words);
  return {
    ...row,
    defaultValue: () => 'auto',
    read: (raw) => (raw === 'auto' || (zeroIsAuto && row.read(raw) === 0) ? 'auto' : row.read(raw)),
    allowed: `auto or ${row.allowed}`,
  };
};

/** One number for each `:free` model, or by model; models that are not named have the default. */
const freeLimit = (value: number, max: number, words: Words): Row<FreeLimit> => ({
  placeholder: 'N|MODEL=N,…',
  ...words,
  defaultValue: () => value,
  read(raw) {
    const limit = parseFreeLimit(raw, max);
    if (limit === undefined || typeof limit === 'number') return limit;
    const all = BASE_MODELS.map((model) => [model, freeLimitOf(limit, model) ?? value]);
    return Object.fromEntries(all) as FreeLimit;
  },
  allowed: allowedFreeLimit(max),
});

const oneOf = <const T extends readonly string[]>(choices: T, value: T[number], words: Words): Row<T[number]> => ({
  ...words,
  defaultValue: () => value,
  read: (raw) => choices.find((choice) => choice === raw),
  allowed: `one of ${choices.join(', ')}`,
  choices,
});

const toggle = (words: Words): Row<boolean> => ({
  ...words,
  defaultValue: () => false,
  read(raw) {
    if (raw === true || raw === 'true' || raw === '1') return true;
    return raw === false || raw === 'false' || raw === '0' || raw === '' ? false : undefined;
  },
  allowed: 'true or false',
});

/** An XDG base folder, or its macOS and Windows counterpart. */
export function baseDir(env: NodeJS.ProcessEnv, kind: 'CONFIG' | 'DATA' | 'CACHE'): string {
  const xdg = env[`XDG_${kind}_HOME`];
  if (xdg && path.isAbsolute(xdg)) return xdg;
  const home = env.HOME || env.USERPROFILE || homedir();
  if (process.platform === 'win32') return env.LOCALAPPDATA || path.join(home, 'AppData', 'Local');
  if (process.platform === 'darwin') {
    return kind === 'CACHE' ? path.join(home, 'Library', 'Caches') : path.join(home, 'Library', 'Application Support');
  }
  return path.join(home, { CONFIG: '.config', DATA: '.local/share', CACHE: '.cache' }[kind]);
}

/** Where `tts voices mix` keeps the voices of this user, whichever server or command reads them. */
export const userVoicesDir = (env: NodeJS.ProcessEnv): string => path.join(baseDir(env, 'DATA'), 'tts', 'voices');

function runtimeDir(env: NodeJS.ProcessEnv): string {
  const xdg = env.XDG_RUNTIME_DIR;
  if (xdg && path.isAbsolute(xdg)) return path.join(xdg, 'tts');
  const user = process.getuid ? String(process.getuid()) : env.USERNAME || 'user';
  return path.join(tmpdir(), `tts-${user}`);
}

const TABLE = {
  server: text('', {
    group: 'client',
    env: 'TTS_BASE_URL',
    placeholder: 'URL',
    description: 'server to speak through',
    defaultText: 'a running local server, else one embedded in the command',
  }),
  apiKey: text('', {
    group: 'client',
    placeholder: 'KEY',
    description: 'API key for --server',
    defaultText: 'none',
    secret: true,
  }),
  apiKeyFile: text('', {
    group: 'client',
    placeholder: 'FILE',
    description: 'file that holds the API key',
    defaultText: 'none',
  }),
  voice: text('english_female_professional', {
    group: 'client',
    placeholder: 'ID',
    description: 'voice to speak with',
  }),
  model: text('', {
    group: 'client',
    placeholder: 'NAME',
    description: 'model to speak with',
    defaultText: 'the best that this machine speaks in real time',
  }),
  style: oneOf(DELIVERY_STYLES, DEFAULT_STYLE, {
    group: 'server',
    placeholder: 'NAME',
    description: 'how a text is delivered: pace, rests and melody; plain is the voice alone',
    defaultText: 'narration for books, else assistant',
  }),
  bookDir: text((env) => path.join(baseDir(env, 'CACHE'), 'tts', 'books'), {
    group: 'client',
    placeholder: 'DIR',
    description: 'folder that keeps the sentences of unfinished books',
    defaultText: '$XDG_CACHE_HOME/tts/books',
  }),
  bookMb: whole(8_000, [200, 10_000_000], {
    group: 'client',
    description: 'megabytes that all of them may take; an hour of speech takes about 100',
  }),
  port: whole(8787, [0, 65_535], { group: 'server', description: 'port to listen on, 0 for any free one' }),
  host: text('127.0.0.1', { group: 'server', placeholder: 'ADDR', description: 'address to listen on' }),
  dataDir: text((env) => path.join(baseDir(env, 'DATA'), 'tts'), {
    group: 'server',
    placeholder: 'DIR',
    description: 'folder that holds the accounts',
    defaultText: '$XDG_DATA_HOME/tts',
  }),
  database: text('', {
    group: 'server',
    placeholder: 'URL',
    description: 'PostgreSQL that holds the accounts instead, for several servers: postgres://USER@HOST/NAME',
    defaultText: 'none, SQLite in the data folder',
    secret: true,
  }),
  freeConcurrency: freeLimit(2, 1_000_000, {
    group: 'server',
    description: 'concurrent Free sessions per key and :free model, or by model: base-tts=1,base-tts-fast=4',
  }),
  freeDaily: freeLimit(200, 1_000_000_000, {
    group: 'server',
    description: 'Free requests per key, :free model and UTC day, or by model: base-tts=100,base-tts-fast=400',
  }),
  partnerConcurrency: whole(8, [0, 1_000_000], {
    group: 'server',
    description: 'concurrent sessions per Partner key',
  }),
  billDelivered: toggle({
    group: 'server',
    description: 'debit the delivered part of requests that their client breaks off; without it they are free',
  }),
  requestLogDays: whole(7, [0, 3_650], {
    group: 'server',
    description: 'days that the request log keeps: what became of each request, never its text; 0 keeps no log',
  }),
  requestLogRows: whole(100_000, [0, 100_000_000], {
    group: 'server',
    description: 'requests that the request log keeps, about 500 bytes each; 0 keeps no log',
  }),
  queueLimit: whole(256, [1, 1_000_000], {
    group: 'server',
    description: 'requests in progress or waiting, beyond which new ones are refused',
  }),
  maxConnections: whole(4096, [1, 1_000_000], { group: 'server', description: 'most connections open at once' }),
  maxConnectionsPerAddress: whole(1024, [0, 1_000_000], {
    group: 'server',
    description: 'open connections per client address, 0 for no bound',
  }),
  maxHeldMb: whole(44, [1, 1_000_000], {
    group: 'server',
    description: 'megabytes of memory for answers that are not streamed, made and unread; a quarter of it for one key',
  }),
  maxHeldDiskMb: whole(400, [0, 1_000_000], {
    group: 'server',
    description: 'megabytes of temporary files for what memory does not hold of them; beyond both 503',
  }),
  allowedHosts: text('', {
    group: 'server',
    placeholder: 'HOSTS',
    description: 'host names to answer to, comma-separated, * for all',
    defaultText: 'on a loopback address those of this machine, elsewhere all',
  }),
  trustProxy: text('', {
    group: 'server',
    placeholder: 'NETWORKS',
    description: 'proxies whose X-Forwarded-For says the address of the client, comma-separated: 10.0.0.0/8,192.0.2.7',
    defaultText: 'none, the address of the connection',
  }),
  tlsCert: text('', {
    group: 'server',
    placeholder: 'FILE',
    description: 'TLS certificate chain (PEM)',
    defaultText: 'none, plain HTTP',
  }),
  tlsKey: text('', {
    group: 'server',
    placeholder: 'FILE',
    description: 'TLS private key (PEM)',
    defaultText: 'none',
  }),
  corsOrigin: text('', {
    group: 'server',
    placeholder: 'ORIGINS',
    description: 'browser origins that may call, comma-separated, such as app://obsidian.md; null for local files',
    defaultText: 'none',
  }),
  web: oneOf(['auto', 'key', 'off'], 'auto', {
    group: 'server',
    placeholder: 'MODE',
    description:
      'playground and dashboard: auto needs no key for the playground on a loopback address, key always does, off serves neither',
  }),
  wyoming: text('', {
    group: 'server',
    placeholder: '[HOST:]PORT',
    description: 'speak Wyoming as well, for Home Assistant and its satellites; the usual port is 10200',
    defaultText: 'none',
  }),
  wyomingAllow: text('', {
    group: 'server',
    placeholder: 'NETWORKS',
    description: 'clients beyond this machine that may speak Wyoming, comma-separated: 192.168.1.0/24',
    defaultText: 'none',
  }),
  wyomingKeyFile: text('', {
    group: 'server',
    placeholder: 'FILE',
    description: 'file with the API key that the use of --wyoming is booked to; needed beyond this machine',
    defaultText: 'none, the key local',
  }),
  wyomingZeroconf: text('', {
    group: 'server',
    placeholder: 'NAME',
    description: 'announce --wyoming in the local network under this name',
    defaultText: 'none',
  }),
  jobs: oneOf(['partner', 'free', 'off'], 'partner', {
    group: 'server',
    placeholder: 'WHO',
    description: 'jobs (/jobs/v1): for Partner keys, for Free keys and models too, or off',
  }),
  jobsDir: text('', {
    group: 'server',
    placeholder: 'DIR',
    description:
      'folder for the files of jobs; servers of one database share it, so that any of them goes on with a job',
    defaultText: 'jobs in the data folder; with --database none, and no jobs',
  }),
  jobsAtOnce: whole(2, [0, 64], {
    group: 'server',
    description: 'jobs made at the same time; 0 leaves them to other servers of the database',
  }),
  jobsPerKey: whole(20, [1, 100_000], { group: 'server', description: 'jobs per key that wait or are made' }),
  jobsDiskMb: whole(4_000, [1, 100_000_000], {
    group: 'server',
    description: 'megabytes that the jobs of a key may take, results included',
  }),
  jobsBodyMb: whole(64, [1, 10_000], {
    group: 'server',
    description: 'megabytes of the largest file that a job takes',
  }),
  jobsKeepHours: whole(72, [1, 87_600], {
    group: 'server',
    description: 'hours that ended jobs and their results are kept',
  }),
  jobsPrivateWebhooks: toggle({
    group: 'server',
    description: 'let webhooks of jobs go to loopback, private and link-local addresses',
  }),
  metricsPort: whole(0, [0, 65_535], {
    group: 'server',
    description: 'serve /metrics on this port instead, 0 for the main one',
  }),
  metricsHost: text('127.0.0.1', { group: 'server', placeholder: 'ADDR', description: 'address of --metrics-port' }),
  logLevel: oneOf(LOG_LEVELS, 'info', { group: 'server', placeholder: 'LEVEL', description: 'how much to log' }),
  device: oneOf(DEVICES, 'auto', { group: 'engine', placeholder: 'NAME', description: 'where the model runs' }),
  workers: wholeOrAuto([0, 256], {
    group: 'engine',
    description:
      'engine processes; auto: one, and while work waits as many as the machine carries; 0: none, with --nats',
  }),
  threads: wholeOrAuto(
    [0, 1024],
    {
      group: 'engine',
      description: 'threads per engine process; auto: all cores when idle, one each under load',
    },
    true,
  ),
  workerIdleSeconds: whole(60, [1, 86_400], {
    group: 'engine',
    description: 'after how long without work an engine process beyond the first ends',
    hidden: true,
  }),
  policy: oneOf(['deadline', 'fifo'], 'deadline', {
    group: 'engine',
    placeholder: 'NAME',
    description: 'which step is next; fifo is for comparisons',
    hidden: true,
  }),
  engine: oneOf(['kokoro', 'sine'], 'kokoro', {
    group: 'engine',
    placeholder: 'NAME',
    description: 'kokoro, or sine for tests without a model',
    hidden: true,
  }),
  modelDir: text((env) => path.join(baseDir(env, 'CACHE'), 'tts', 'models'), {
    group: 'files',
    placeholder: 'DIR',
    description: 'folder for the downloaded models',
    defaultText: '$XDG_CACHE_HOME/tts/models',
  }),
  voicesDir: text('', {
    group: 'files',
    placeholder: 'DIR',
    description: 'folder with your own voice files',
    defaultText: 'none',
  }),
  lexicon: text('', {
    group: 'files',
    placeholder: 'FILE',
    description: 'file with your own pronunciations',
    defaultText: 'none',
  }),
  offline: toggle({ group: 'files', description: 'never fetch a model over the network' }),
  nats: text('', {
    group: 'nats',
    placeholder: 'URLS',
    description:
      'NATS server that gateways and workers meet on, or several of a cluster, separated by commas; tls://… for TLS; a password in it belongs into TTS_NATS',
    defaultText: 'none, engines on this machine alone',
    secret: true,
  }),
  probePort: whole(0, [0, 65_535], {
    group: 'worker',
    description: 'answer /healthz and /readyz of a worker on this port, 0 for none',
  }),
  probeHost: text('127.0.0.1', { group: 'worker', placeholder: 'ADDR', description: 'address of --probe-port' }),
  natsPrefix: text('tts', {
    group: 'nats',
    placeholder: 'NAME',
    description: 'prefix of all NATS subjects; servers with the same prefix share workers',
  }),
  workerName: text('', {
    group: 'nats',
    placeholder: 'NAME',
    description: 'name of a worker in NATS subjects, for permissions: it is sent work on PREFIX.worker.NAME.*',
    defaultText: 'none',
  }),
  natsCreds: text('', {
    group: 'nats',
    placeholder: 'FILE',
    description: 'NATS credentials file (.creds)',
    defaultText: 'none',
  }),
  natsCa: text('', {
    group: 'nats',
    placeholder: 'FILE',
    description: 'certificate authority of the NATS server (PEM)',
    defaultText: "the system's",
  }),
  natsCert: text('', {
    group: 'nats',
    placeholder: 'FILE',
    description: 'certificate to show the NATS server (PEM)',
    defaultText: 'none',
  }),
  natsKey: text('', {
    group: 'nats',
    placeholder: 'FILE',
    description: 'private key of --nats-cert (PEM)',
    defaultText: 'none',
  }),
  runtimeDir: text(runtimeDir, {
    group: 'files',
    placeholder: 'DIR',
    description: 'folder where a running server leaves its address',
    defaultText: '$XDG_RUNTIME_DIR/tts',
    hidden: true,
  }),
};

export type Config = { readonly [K in keyof typeof TABLE]: ReturnType<(typeof TABLE)[K]['defaultValue']> };

export interface Setting extends Row<Config[keyof Config]> {
  readonly key: keyof Config;
  readonly env: string;
}

/** `freeConcurrency` → `TTS_FREE_CONCURRENCY`. */
const variableOf = (key: string): string => `TTS_${key.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`;
/** `freeConcurrency` → `--free-concurrency`. */
export const flagOf = (key: keyof Config): string => `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

export const SETTINGS: readonly Setting[] = Object.entries<Row<Config[keyof Config]>>(TABLE).map(([key, row]) => ({
  ...row,
  key: key as keyof Config,
  env: row.env ?? variableOf(key),
}));
