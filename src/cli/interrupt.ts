/** SIGINT, SIGTERM and SIGHUP as one AbortSignal; the second signal ends the process. */

const EXIT_OF = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The reason of an abort by a signal. The command ends with `exitCode` and says nothing. */
export class Interrupted extends Error {
  override readonly name = 'AbortError';
  constructor(readonly exitCode: number) {
    super('interrupted');
  }
}

export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (name: keyof typeof EXIT_OF) => () => {
    if (controller.signal.aborted) process.exit(EXIT_OF[name]);
    controller.abort(new Interrupted(EXIT_OF[name]));
  };
  const handlers = (Object.keys(EXIT_OF) as Array<keyof typeof EXIT_OF>).map((name) => [name, stop(name)] as const);
  for (const [name, handler] of handlers) process.on(name, handler);
  try {
    return await work(controller.signal);
  } catch (error) {
    // Whatever an abort broke on its way out, the abort is the reason.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    for (const [name, handler] of handlers) process.off(name, handler);
  }
}

/** Waits for `promise`, but no longer than until the abort. */
export function orAbort(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
