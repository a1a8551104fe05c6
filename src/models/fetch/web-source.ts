/** Downloads a pack's files one by one over https, and resumes those that broke off. */
import path from 'node:path';
import fetch from 'npm-registry-fetch';
import type { WebSource } from '../manifest.js';
import { hashFile, type Landing, land, sizeOf, type Wanted } from './incoming-file.js';
import type { TransferOptions } from './npm-source.js';
import { createWatchdog } from './watchdog.js';

/** Files downloaded at once; the styles are many and small. */
const PARALLEL = 4;

export async function fetchFromWeb(
  source: WebSource,
  wanted: readonly Wanted[],
  landing: Landing,
  options: TransferOptions,
): Promise<void> {
  const watchdog = createWatchdog(options.stallMs, options.signal);
  const failed = new AbortController();
  const signal = AbortSignal.any([watchdog.signal, failed.signal]);
  const onBytes = (bytes: number) => {
    watchdog.feed();
    options.onBytes(bytes);
  };
  const queue = wanted.values();
  const lane = async () => {
    for (const file of queue) await fetchFile(source, file, landing, { ...options, onBytes, signal });
  };
  try {
    const lanes = Array.from({ length: PARALLEL }, () => lane());
    await Promise.all(lanes).catch(async (error) => {
      failed.abort(error);
      await Promise.allSettled(lanes);
      throw error;
    });
  } catch (error) {
    watchdog.signal.throwIfAborted();
    throw error;
  } finally {
    watchdog.stop();
  }
}

async function fetchFile(source: WebSource, wanted: Wanted, landing: Landing, options: TransferOptions): Promise<void> {
  const file = path.join(landing.dir, wanted.path);
  const have = Math.max(await sizeOf(file), 0);
  if (have === wanted.bytes && (await hashFile(file)).sha256 === wanted.sha256) {
    options.onBytes(have);
    return;
  }
  const resume = have > 0 && have < wanted.bytes;
  const response = await fetch(new URL(wanted.from, source.base).href, {
    ...options.npm,
    ...(resume ? { headers: { range: `bytes=${have}-` } } : {}),
    signal: options.signal,
  } as fetch.Options);
  // A server that does not know ranges answers 200 with the whole file.
  const append = resume && response.status === 206;
  let arrived = append ? have : 0;
  options.onBytes(arrived);
  const counted = async function* () {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      arrived += chunk.length;
      options.onBytes(chunk.length);
      yield chunk;
    }
  };
  try {
    await land(wanted, counted(), landing, { append, ...(options.signal ? { signal: options.signal } : {}) });
  } catch (error) {
    options.onBytes(-arrived);
    throw error;
  }
}
