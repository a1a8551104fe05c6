/** A silent log that keeps the pid of the engine that was ready last, and the runs of its GPU. */
import { type Logger, silentLogger } from '../../../src/log.js';

export function pidLog(): { log: Logger; pid: () => number; runs: (readonly string[])[] } {
  let pid: number | undefined;
  const runs: (readonly string[])[] = [];
  const log = silentLogger();
  const child = {
    ...Object.fromEntries(['warn', 'error', 'trace'].map((level) => [level, () => undefined])),
    info: (fields: { pid?: number }) => {
      pid = fields.pid ?? pid;
    },
    debug: (fields: { texts?: readonly string[] }) => {
      if (fields.texts !== undefined) runs.push(fields.texts);
    },
  };
  log.child = () => child as never;
  return {
    log,
    runs,
    pid: () => {
      if (pid === undefined) throw new Error('No engine was ready yet.');
      return pid;
    },
  };
}
