/**
 * Processes of a distributed service for a benchmark: each its own group, so that it is killed and
 * frozen with its engines.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');

export interface Machine {
  readonly name: string;
  readonly pid: number;
  readonly running: boolean;
  readonly stdout: NodeJS.ReadableStream;
  signal(signal: NodeJS.Signals): void;
  /** Gone from one moment to the next, with all that it started. */
  kill(): Promise<void>;
  /** As it is asked to. */
  stop(): Promise<void>;
}

const machines = new Set<Machine>();
process.once('exit', () => {
  for (const machine of machines) machine.signal('SIGKILL');
});
process.once('SIGTERM', () => process.exit(143));

/** One `tts` command that stays. */
export function startMachine(name: string, args: readonly string[], env: Record<string, string>): Machine {
  const child: ChildProcess = spawn(process.execPath, [BIN, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const running = () => child.exitCode === null && child.signalCode === null;
  const machine: Machine = {
    name,
    pid: child.pid!,
    get running() {
      return running();
    },
    stdout: child.stdout!,
    signal(signal) {
      try {
        process.kill(-child.pid!, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    },
    async kill() {
      machine.signal('SIGKILL');
      if (running()) await once(child, 'exit');
    },
    async stop() {
      machine.signal('SIGCONT');
      child.kill('SIGTERM');
      if (running()) await once(child, 'exit');
    },
  };
  machines.add(machine);
  child.once('exit', () => machines.delete(machine));
  return machine;
}
