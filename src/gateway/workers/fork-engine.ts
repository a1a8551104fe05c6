/** Starts a process for an engine. */
import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { ToWorker } from '../../worker/protocol.js';

/** The compiled entry of the engine process (`imports` in package.json). */
const WORKER_ENTRY = createRequire(import.meta.url).resolve('#dist/bundle/engine.js');

type EngineName = 'kokoro' | 'sine';

/** The process loads the engine that is named while it waits for its first message. */
const forked = (engine: EngineName, ahead = false): ChildProcess =>
  fork(WORKER_ENTRY, ahead ? [engine, 'ahead'] : [engine], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: ['--max-old-space-size=512', ...(ahead ? ROOMY : [])],
  });

/** Room for all that a start allocates (MB): collecting it takes 7 % of what the start takes. */
const ROOMY = ['--min-semi-space-size=16'];

/** What of a child keeps this process alive: itself, its channel and its pipe. */
const handlesOf = (child: ChildProcess) =>
  [child, child.channel, child.stderr as Socket | null].filter((each) => each !== null && each !== undefined);

/** A process that was started ahead and got no message yet. */
let spare: ChildProcess | undefined;

const killSpare = (): void => {
  spare?.kill('SIGKILL');
};

/**
 * Starts a process for Kokoro, which the next `forkEngine` gives its first message to. Until then
 * it keeps nobody alive, and it ends with this process.
 */
export function forkAhead(): void {
  const child = forked('kokoro', true);
  child.on('error', () => undefined);
  if (child.pid === undefined) return;
  for (const each of handlesOf(child)) each.unref();
  spare = child;
  process.once('exit', killSpare);
}

function takeSpare(): ChildProcess | undefined {
  const child = spare;
  if (child === undefined) return undefined;
  spare = undefined;
  process.off('exit', killSpare);
  if (!child.connected || child.exitCode !== null || child.signalCode !== null) return undefined;
  for (const each of handlesOf(child)) each.ref();
  return child;
}

/**
 * Throws where there is no process. Node returns a child even then (at the limit of open files one
 * without pid, pipes or channel), and killing it would kill process group 0, which is our own.
 */
export function forkEngine(first: ToWorker): ChildProcess {
  const engine = first.type === 'start' ? first.options.engine : 'kokoro';
  const child = (engine === 'kokoro' ? takeSpare() : undefined) ?? forked(engine);
  // The exception below or the exit tells the same.
  child.on('error', () => undefined);
  if (child.pid === undefined) throw new Error('the operating system gave no process (too many open files?)');
  child.send(first, () => undefined);
  return child;
}
