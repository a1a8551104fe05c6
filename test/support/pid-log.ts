/** A silent log that remembers which process the engine last said to be ready in. */
import { type Logger, silentLogger } from '../../src/log.js';

export function pidLog(): { log: Logger; pid: () => number } {
  let pid: number | undefined;
  const log = silentLogger();
  const child = {
    ...Object.fromEntries(['warn', 'error', 'debug', 'trace'].map((level) => [level, () => undefined])),
    info: (fields: { pid?: number }) => {
      pid = fields.pid ?? pid;
    },
  };
  log.child = () => child as never;
  return {
    log,
    pid: () => {
      if (pid === undefined) throw new Error('No engine was ready yet.');
      return pid;
    },
  };
}
