/** The server that `tts serve` runs on this machine, found through the file it leaves in the runtime folder. */
import path from 'node:path';
import { isAlive } from '../../alive.js';
import { type Config, SETTINGS, type Sources } from '../../config.js';
import type { RuntimeRecord } from '../../protocol/runtime.js';
import { readRuntimeFile } from './runtime-file.js';

/** A healthy server on the same machine answers at once; one that does not is no shortcut. */
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

/** Whether the server would speak as this command was told to. A file named for this run may have changed since it started. */
export function serves(record: RuntimeRecord, settings: Pick<Sources, 'config' | 'sources'>): boolean {
  return engineSettingsAsked(settings).every(
    (key) => settings.sources[key] !== 'flag' && record.engine[key] === absolute(key, settings.config),
  );
}

/** The record of a server that is really there; undefined where the file is missing, foreign, or of one that is gone. */
export async function findLocalServer(runtimeDir: string, signal: AbortSignal): Promise<RuntimeRecord | undefined> {
  const record = await readRuntimeFile(runtimeDir);
  if (!record || record.home !== homeOf(process.env)) return undefined;
  if (!isAlive(record.pid)) return undefined;
  const { createHttpClient } = await import('../../client/http.js');
  const client = createHttpClient({ ...record, apiKey: '' });
  try {
    const { status } = await client.probe('/healthz', AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]));
    return status === 200 ? record : undefined;
  } catch {
    // Whatever is wrong with it, the command can still bring a server of its own.
    signal.throwIfAborted();
    return undefined;
  } finally {
    client.close();
  }
}
