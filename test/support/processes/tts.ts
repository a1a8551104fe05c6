/**
 * The command as people and scripts run it: the built program behind real pipes or a real
 * pseudo-terminal.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as pty from '@lydell/node-pty';

const TTS = path.resolve(import.meta.dirname, '../../../bin/tts.js');

export interface Home {
  readonly dir: string;
  /**
   * An environment in which nothing of this machine's own settings, servers or sound devices is
   * found.
   */
  readonly env: Record<string, string>;
  file(name: string): string;
  /** Lets commands find a server as if `tts serve` had left its record. */
  publish(server: { baseUrl: string; apiKey: string; pid?: number }): void;
  remove(): void;
}

export function makeHome(): Home {
  const dir = mkdtempSync(path.join(tmpdir(), 'tts-e2e-'));
  const runtimeDir = path.join(dir, 'run');
  mkdirSync(runtimeDir, { mode: 0o700 });
  return {
    dir,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: dir,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      TTS_ENGINE: 'sine',
      TTS_RUNTIME_DIR: runtimeDir,
      TTS_DATA_DIR: path.join(dir, 'data'),
      // The sound server of whoever runs the tests stays out of it.
      XDG_RUNTIME_DIR: runtimeDir,
    },
    file: (name) => path.join(dir, name),
    publish({ baseUrl, apiKey, pid = process.pid }) {
      // Of this home: the folders its environment chooses.
      const record = {
        baseUrl,
        apiKey,
        pid,
        home: [path.join(dir, '.local/share/tts'), path.join(dir, '.cache/tts/models')].join(path.delimiter),
        engine: { lexicon: '', voicesDir: '', device: 'auto', threads: 0 },
      };
      writeFileSync(path.join(runtimeDir, 'server.json'), JSON.stringify(record), { mode: 0o600 });
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env: Record<string, string>;
  readonly cwd?: string;
  /** Text, or pieces with pauses in milliseconds between them. */
  readonly stdin?: string | Buffer | ReadonlyArray<string | Buffer | number>;
  /** Called once with the running process. */
  readonly during?: (child: ReturnType<typeof spawn>) => Promise<void> | void;
}

/** Runs to the end behind pipes. */
export async function tts(args: readonly string[], { env, cwd, stdin, during }: RunOptions): Promise<Ran> {
  const child = spawn(process.execPath, [TTS, ...args], { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (part: Buffer) => stdout.push(part));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that fails early leaves before it has read its input.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('close', (code, signal) => resolve([code, signal]));
  });
  await during?.(child);
  for (const piece of stdin === undefined ? [] : Array.isArray(stdin) ? stdin : [stdin]) {
    if (typeof piece === 'number') await sleep(piece);
    else child.stdin.write(piece as string | Buffer);
  }
  child.stdin.end();
  const [code, signal] = await ended;
  return { code, signal, stdout: Buffer.concat(stdout), stderr };
}

export interface Terminal {
  /** Everything the terminal was sent. */
  output(): string;
  /** The same without colours and cursor movements. */
  text(): string;
  type(keys: string): void;
  until(pattern: RegExp, what?: string): Promise<void>;
  ended(): Promise<number>;
  kill(): void;
}

/** Runs in a pseudo-terminal: stdin, stdout and stderr are one, as for a person. */
export function ttsInTerminal(args: readonly string[], env: Record<string, string>, columns = 80): Terminal {
  return inTerminal(process.execPath, [TTS, ...args], env, columns);
}

/**
 * A shell line in a pseudo-terminal, for pipes that end at a person's screen. `$TTS` is the
 * command.
 */
export function shellInTerminal(line: string, env: Record<string, string>, columns = 80): Terminal {
  return inTerminal('/bin/sh', ['-c', line], { ...env, TTS: `${process.execPath} ${TTS}` }, columns);
}

function inTerminal(file: string, args: string[], env: Record<string, string>, columns: number): Terminal {
  const terminal = pty.spawn(file, args, { env, cols: columns, rows: 24, name: 'xterm-256color' });
  let output = '';
  terminal.onData((text) => {
    output += text;
  });
  let code: number | undefined;
  terminal.onExit(({ exitCode }) => {
    code = exitCode;
  });
  const text = () =>
    // biome-ignore lint/complexity/useRegexLiterals: the escape character is clearer by name
    output.replace(new RegExp('\\u001b\\[[0-9;?]*[A-Za-z]', 'g'), '').replaceAll('\r', '');
  const poll = async (done: () => boolean, what: string) => {
    for (let i = 0; i < 6_000; i++) {
      if (done()) return;
      await sleep(15);
    }
    throw new Error(`${what} did not come about within 90 s. The terminal shows:\n${text()}`);
  };
  return {
    output: () => output,
    text,
    type: (keys) => terminal.write(keys),
    until: (pattern, what = String(pattern)) => poll(() => pattern.test(text()), what),
    async ended() {
      await poll(() => code !== undefined, 'the end');
      return code!;
    },
    kill: () => terminal.kill('SIGKILL'),
  };
}
