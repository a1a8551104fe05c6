/** Starts a process for an engine. */
import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import type { ToWorker } from '../../worker/protocol.js';

/** The compiled entry of the engine process (`imports` in package.json). */
const WORKER_ENTRY = createRequire(import.meta.url).resolve('#dist/bundle/engine.js');

/**
 * Throws where there is no process. Node returns a child even then (at the limit of open files one
 * without pid, pipes or channel), and killing it would kill process group 0, which is our own.
 */
export function forkEngine(first: ToWorker): ChildProcess {
  const child = fork(WORKER_ENTRY, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: ['--max-old-space-size=512'],
  });
  // The exception below or the exit tells the same.
  child.on('error', () => undefined);
  if (child.pid === undefined) throw new Error('the operating system gave no process (too many open files?)');
  child.send(first, () => undefined);
  return child;
}
