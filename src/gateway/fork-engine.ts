/** Starts a process for an engine, and knows a start that failed. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ToWorker } from '../worker/protocol.js';

/**
 * The child runs compiled code. Under a test runner that loads this file from `src/`, that is the `dist/` next to it, which
 * the test suite's global setup builds first.
 */
const WORKER_ENTRY = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../dist/worker/main.js', import.meta.url)
    : new URL('../worker/main.js', import.meta.url),
);

/**
 * Throws where there is no process. Node hands out a child even then (at the limit of open files one without a pid, pipes
 * or channel), and to kill such a child is to kill process group 0, which is our own.
 */
export function forkEngine(first: ToWorker): ChildProcess {
  const child = fork(WORKER_ENTRY, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: ['--max-old-space-size=512'],
  });
  // Says the same as the exception, or comes with an exit.
  child.on('error', () => undefined);
  if (child.pid === undefined) throw new Error('the operating system gave no process (too many open files?)');
  child.send(first, () => undefined);
  return child;
}
