/** Has this machine measured in a process of its own, which takes the memory it needed with it when it ends. */
import { fork } from 'node:child_process';
import type { Logger } from '../log.js';
import type { FromWorker, KokoroOptions, Measurement, ToWorker } from '../worker/protocol.js';
import { WORKER_ENTRY } from './process-worker.js';

const LIMIT_MS = 120_000;

/** Undefined where it could not be measured, which is no reason not to speak. */
export function measureMachine(
  kokoro: KokoroOptions,
  log: Logger,
  signal?: AbortSignal,
): Promise<Measurement | undefined> {
  return new Promise((resolve) => {
    const child = fork(WORKER_ENTRY, [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const stop = (): void => {
      child.kill('SIGKILL');
    };
    const limit = setTimeout(stop, LIMIT_MS);
    let measured: Measurement | undefined;
    child.on('message', (message: FromWorker) => {
      if (message.type === 'measured') measured = message.measurement;
      if (message.type === 'failed') log.warn({ reason: message.message }, 'this machine could not be measured');
    });
    const done = (): void => {
      clearTimeout(limit);
      signal?.removeEventListener('abort', stop);
      resolve(measured);
    };
    child.once('error', done);
    child.once('exit', done);
    signal?.addEventListener('abort', stop, { once: true });
    child.send({ type: 'measure', options: kokoro } satisfies ToWorker);
  });
}
