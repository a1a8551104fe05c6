/** `tts serve` as its users run it: a process of its own, with its folders in a temporary place. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const BIN = path.resolve(import.meta.dirname, '../../../bin/tts.js');

export interface Home {
  readonly dir: string;
  readonly dataDir: string;
  readonly runtimeDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs another command against the same folders. */
  run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  remove(): void;
}

export function makeHome(more: NodeJS.ProcessEnv = {}): Home {
  const dir = mkdtempSync(path.join(tmpdir(), 'tts-test-'));
  const dataDir = path.join(dir, 'data');
  const runtimeDir = path.join(dir, 'run');
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: dir, TTS_ENGINE: 'sine', TTS_RUNTIME_DIR: runtimeDir };
  Object.assign(env, { TTS_DATA_DIR: dataDir, NO_COLOR: '1' }, more);
  return {
    dir,
    dataDir,
    runtimeDir,
    env,
    async run(...args) {
      try {
        const { stdout, stderr } = await promisify(execFile)(process.execPath, [BIN, ...args], { env });
        return { code: 0, stdout, stderr };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        return { code, stdout, stderr };
      }
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** The admin secret that a first start left there. */
export const adminSecretOf = ({ dataDir }: Home): string =>
  readFileSync(path.join(dataDir, 'admin-secret'), 'utf8').trim();

export interface ServeProcess {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly output: { stdout: string; stderr: string };
  /** Resolves with the exit code or signal. */
  readonly exited: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** Resolves once it listens; rejects with what it wrote when it ends before. */
export async function startServe(
  home: Home,
  args: readonly string[] = [],
  nodeArgs: readonly string[] = [],
): Promise<ServeProcess> {
  const child = spawn(process.execPath, [...nodeArgs, BIN, 'serve', '--port', '0', ...args], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal!));
  });
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output.stdout += chunk.toString();
      const address = /listening on (\S+)/.exec(output.stdout)?.[1];
      if (address !== undefined && output.stdout.endsWith('\n')) resolve(address);
    });
    void exited.then((code) => reject(new Error(`tts serve ended with ${code}: ${output.stderr}`)));
  });
  return {
    child,
    baseUrl,
    output,
    exited,
    kill(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
