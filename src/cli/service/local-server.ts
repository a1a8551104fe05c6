/** The servers of this user on this machine, found by their files in the runtime folder. */
import path from 'node:path';
import { isAlive } from '../../alive.js';
import { type Config, SETTINGS, type Sources } from '../../config.js';
import type { RuntimeRecord } from '../../protocol/runtime.js';
import { readRuntimeFiles } from './runtime-file.js';

/** A healthy server on the same machine answers at once. */
const ANSWER_MS = 1_000;

/** What a running server decided when it started, and a request cannot change. */
const ENGINE_SETTINGS = ['lexicon', 'voicesDir', 'device', 'threads'] as const;
type EngineSetting = (typeof ENGINE_SETTINGS)[number];

/** What the record says of a server with this configuration. */
export const recordOf = (config: Config): Pick<RuntimeRecord, 'home' | 'engine'> => ({
  home: homeOf(process.env),
  engine: Object.fromEntries(ENGINE_SETTINGS.map((key) => [key, absolute(key, config)])),
});

/** The folders this environment chooses by itself stand for the home they are in. */
function homeOf(env: NodeJS.ProcessEnv): string {
  const folder = (key: keyof Config) => SETTINGS.find((row) => row.key === key)!.defaultValue(env);
  return `${folder('dataDir')}${path.delimiter}${folder('modelDir')}`;
}

function absolute(key: EngineSetting, config: Config): string | number {
  const value = config[key];
  const isPath = key === 'lexicon' || key === 'voicesDir';
  return isPath && value !== '' ? path.resolve(String(value)) : value;
}

/** The settings that would be lost on a server that others run. */
export const engineSettingsAsked = ({ sources }: Pick<Sources, 'sources'>): EngineSetting[] =>
  ENGINE_SETTINGS.filter((key) => sources[key] !== 'default');

/** Whether the server has the command's settings. A file named by a flag may have changed since. */
function serves(record: RuntimeRecord, settings: Pick<Sources, 'config' | 'sources'>): boolean {
  return engineSettingsAsked(settings).every(
    (key) => settings.sources[key] !== 'flag' && record.engine[key] === absolute(key, settings.config),
  );
}

/** The servers that are there and answer, those started first coming first. */
export async function findLocalServers(runtimeDir: string, signal: AbortSignal): Promise<RuntimeRecord[]> {
  const records = await readRuntimeFiles(runtimeDir);
  const ours = records.filter(({ home, pid }) => home === homeOf(process.env) && isAlive(pid));
  const answers = await Promise.all(ours.map((record) => isHealthy(record, signal)));
  return ours.filter((_, i) => answers[i]);
}

async function isHealthy(record: RuntimeRecord, signal: AbortSignal): Promise<boolean> {
  const { createHttpClient } = await import('../../client/http.js');
  const client = createHttpClient({ ...record, apiKey: '' });
  try {
    const { status } = await client.probe('/healthz', AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]));
    return status === 200;
  } catch {
    // Whatever is wrong with it, the command can still bring a server of its own.
    signal.throwIfAborted();
    return false;
  } finally {
    client.close();
  }
}

export interface LocalChoice {
  readonly server: RuntimeRecord;
  /** Others that would have done as well, and nothing in the settings says which. */
  readonly others: readonly RuntimeRecord[];
}

/** The server on the port of the settings, else the one that was started first. */
export async function chooseLocalServer(settings: Sources, signal: AbortSignal): Promise<LocalChoice | undefined> {
  const fitting = (await findLocalServers(settings.config.runtimeDir, signal)).filter((one) => serves(one, settings));
  const usual = fitting.find(({ baseUrl }) => new URL(baseUrl).port === String(settings.config.port));
  const server = usual ?? fitting[0];
  return server && { server, others: usual ? [] : fitting.slice(1) };
}
