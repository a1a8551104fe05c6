/** The server that `tts serve` runs on this machine, found through the file it leaves in the runtime folder. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseRuntimeRecord, RUNTIME_FILE, type RuntimeRecord } from '../protocol/runtime.js';

/** A healthy server on the same machine answers at once; one that does not is no shortcut. */
const ANSWER_MS = 1_000;

/** The record of a server that is really there; undefined where the file is missing, foreign, or of one that is gone. */
export async function findLocalServer(runtimeDir: string, signal: AbortSignal): Promise<RuntimeRecord | undefined> {
  const file = path.join(runtimeDir, RUNTIME_FILE);
  const record = await readRecord(file);
  if (!record || !isAlive(record.pid)) return undefined;
  const { createHttpClient } = await import('../client/http.js');
  const client = createHttpClient({ baseUrl: record.baseUrl, apiKey: '' });
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

async function readRecord(file: string): Promise<RuntimeRecord | undefined> {
  try {
    // Text would be sent to whatever address it names: only our own file is believed.
    const { uid } = await stat(file);
    if (process.getuid && uid !== process.getuid()) return undefined;
    return parseRuntimeRecord(await readFile(file, 'utf8'));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
