/**
 * Prepares a graph in a process of its own. What the runtime and the rewriting of a graph take and
 * do not give back goes with that process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Preparation } from './prepare.js';

/** The compiled entry of that process (`imports` in package.json). */
const ENTRY = createRequire(import.meta.url).resolve('#dist/bundle/prepare-process.js');

/** False where the operating system gave no process. Throws where the preparation failed. */
export async function prepareApart(preparation: Preparation): Promise<boolean> {
  const child = forked(preparation);
  if (child?.pid === undefined) return false;
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Error(`the process that prepares a graph ended with ${code ?? signal}`);
  return true;
}

function forked(preparation: Preparation): ChildProcess | undefined {
  try {
    const child = fork(ENTRY, [JSON.stringify(preparation)], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    // The absent pid tells the same.
    child.on('error', () => undefined);
    return child;
  } catch {
    return undefined;
  }
}
