/**
 * One process at a time works on a pack; the others wait and find it done. Correctness does not
 * depend on it, because files are renamed into place whole; it saves a second download.
 */
import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../alive.js';
import { makeFolder } from '../folder.js';

interface LockHolder {
  readonly pid: number;
  readonly host: string;
}

export interface LockOptions {
  /** Called while another process holds the lock. */
  readonly onWait?: (holder: LockHolder | undefined) => void;
  readonly pollMs?: number;
  /** A lock whose holder did not touch it for this long is void. */
  readonly staleMs?: number;
}

/** How often the holder touches the lock (ms). */
const HEARTBEAT_MS = 5_000;

const errno = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Runs `work` while holding the lock `file`. */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  options: LockOptions,
  signal?: AbortSignal,
): Promise<T> {
  const token = await acquire(file, options, signal);
  // A failed touch does not fail the work: at worst another process does it as well.
  const beat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), HEARTBEAT_MS);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if ((await read(file))?.token === token) await rm(file, { force: true });
  }
}

type Content = LockHolder & { readonly token: string };

async function read(file: string): Promise<Content | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Content;
  } catch (error) {
    // Removed, or its holder is still writing it.
    if (errno(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function acquire(file: string, options: LockOptions, signal: AbortSignal | undefined): Promise<string> {
  const { onWait, pollMs = 250, staleMs = 60_000 } = options;
  const token = randomUUID();
  makeFolder(path.dirname(file));
  for (;;) {
    signal?.throwIfAborted();
    if (await create(file, { pid: process.pid, host: hostname(), token })) return token;
    if (await isStale(file, staleMs)) await takeAway(file, staleMs);
    else {
      onWait?.(await read(file));
      await sleep(pollMs, undefined, signal ? { signal } : {});
    }
  }
}

async function create(file: string, content: Content): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(JSON.stringify(content));
    await handle.close();
    return true;
  } catch (error) {
    if (errno(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(file: string, staleMs: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  if (!found) return false;
  if (Date.now() - found.mtimeMs > staleMs) return true;
  const holder = await read(file);
  return holder !== undefined && holder.host === hostname() && !isAlive(holder.pid);
}

/**
 * Removes a dead holder's lock, under a guard that one process at a time holds. The lock is tested
 * again there: it may be a living successor's by now.
 */
async function takeAway(file: string, staleMs: number): Promise<void> {
  const guard = `${file}.takeover`;
  if (!(await create(guard, { pid: process.pid, host: hostname(), token: '' }))) {
    if (await isStale(guard, staleMs)) await rm(guard, { force: true });
    await sleep(20);
    return;
  }
  try {
    if (await isStale(file, staleMs)) await rm(file, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}
