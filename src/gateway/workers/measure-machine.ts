/** Measures this machine in a process of its own, whose memory is freed when it ends. */
import type { Logger } from '../../log.js';
import type { FromWorker, KokoroOptions, Measurement } from '../../worker/protocol.js';
import { SUPERVISION } from '../tuning.js';
import { forkEngine } from './fork-engine.js';

/** Undefined where it could not be measured: then speech works without. */
export async function measureMachine(
  kokoro: KokoroOptions,
  log: Logger,
  signal?: AbortSignal,
): Promise<Measurement | undefined> {
  let child: ReturnType<typeof forkEngine>;
  try {
    child = forkEngine({ type: 'measure', options: kokoro });
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'this machine could not be measured');
    return undefined;
  }
  const stop = (): void => {
    child.kill('SIGKILL');
  };
  const limit = setTimeout(stop, SUPERVISION.measureLimitMs);
  signal?.addEventListener('abort', stop, { once: true });
  child.stderr?.resume();
  let measured: Measurement | undefined;
  child.on('message', (message: FromWorker) => {
    if (message.type === 'measured') measured = message.measurement;
    if (message.type === 'failed') log.warn({ reason: message.message }, 'this machine could not be measured');
  });
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  clearTimeout(limit);
  signal?.removeEventListener('abort', stop);
  return measured;
}
