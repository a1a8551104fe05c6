/** A real `tts serve` for a benchmark: its own process, folder and key. */
import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const BIN = path.resolve(import.meta.dirname, '../../bin/tts.js');
/** What its key begins with. */
export const BENCH_CREDITS = 1_000_000_000;

export interface BenchServer {
  readonly baseUrl: string;
  readonly key: string;
  readonly pid: number;
  /** One number of `/metrics`, summed over its labels; 0 where it is absent. */
  metric(name: string): Promise<number>;
  /** Several of one scrape: some begin anew with each. */
  metrics(names: readonly string[]): Promise<number[]>;
  /** Another command against the same folders; what it wrote to stdout. */
  run(...args: string[]): Promise<string>;
  /** The engine processes there are now. */
  engines(): Promise<number[]>;
  /** Resident memory of the server and its engines together, what they share counted once. */
  memoryMb(): Promise<number>;
  stop(): Promise<void>;
}

/** What it has in memory; pages that several processes share are divided among them. */
async function residentMb(pid: number): Promise<number> {
  // An engine may end between being listed and being read.
  const sums = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+)/m.exec(sums)?.[1] ?? 0) / 1000;
}

/** Seconds of processor time a process has had. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident memory of the server's engine processes together; 0 where there is no /proc to ask. */
export function engineRss(serverPid: number): number {
  let bytes = 0;
  try {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      let status: string;
      try {
        status = readFileSync(`/proc/${pid}/status`, 'utf8');
      } catch {
        // It ended between the listing and the look.
        continue;
      }
      if (!new RegExp(`^PPid:\\s+${serverPid}$`, 'm').test(status)) continue;
      bytes += 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    }
  } catch {
    return 0;
  }
  return bytes;
}

/**
 * Resolves once an engine is ready. `env` may set TTS_ENGINE=sine and TTS_SINE_OPTIONS; `bin` is
 * the command of another checkout.
 */
export async function startServer(
  env: Record<string, string>,
  flags: readonly string[] = [],
  bin = BIN,
): Promise<BenchServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-bench-'));
  const dataDir = path.join(folder, 'data');
  const all = { ...process.env, TTS_RUNTIME_DIR: path.join(folder, 'run'), ...env };
  const args = [bin, 'serve', '--port', '0', '--data-dir', dataDir, '--log-level', 'error'];
  const child = spawn(process.execPath, [...args, '--partner-concurrency', '1000', '--queue-limit', '1000', ...flags], {
    env: all,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  process.once('SIGTERM', () => process.exit(143));
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`tts serve ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
  const run = async (...args: string[]): Promise<string> => {
    const limits = { env: all, maxBuffer: 2 ** 30 };
    const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args, '--data-dir', dataDir], limits);
    return stdout;
  };
  const engines = async (): Promise<number[]> => {
    const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    return children.split(' ').filter(Boolean).map(Number);
  };
  const metrics = async (names: readonly string[]): Promise<number[]> => {
    const text = await (await fetch(`${baseUrl}/metrics`)).text();
    return names.map((name) => {
      const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    });
  };
  const created = await run('keys', 'create', '--tier', 'partner', '--credits', String(BENCH_CREDITS), '--json');
  const { key } = JSON.parse(created) as { key: string };
  while ((await fetch(`${baseUrl}/readyz`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    baseUrl,
    key,
    pid: child.pid!,
    metric: async (name) => (await metrics([name]))[0]!,
    metrics,
    run,
    engines,
    async memoryMb() {
      const sizes = await Promise.all([child.pid!, ...(await engines())].map(residentMb));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    async stop() {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
      await rm(folder, { recursive: true });
    },
  };
}
