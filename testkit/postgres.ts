/** A PostgreSQL of its own in a temporary folder, that can be stopped, started and frozen. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const DEBIAN = '/usr/lib/postgresql';
const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
const BIN = versions.map((version) => path.join(DEBIAN, version, 'bin')).find((bin) => existsSync(`${bin}/postgres`));

/** Debian: postgresql. */
export const hasPostgres = (): boolean => BIN !== undefined;

export interface Postgres {
  /** Of the process whose children serve the connections. */
  readonly pid: number;
  /** A new database: empty, or a copy of one that nobody is connected to. */
  create(copied?: string): Promise<string>;
  /** As an outage: everybody is thrown out at once. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Connections stay open and nothing is answered, until `thaw`. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

export interface PostgresOptions {
  /** Writes to the disk as it does for its users; else nobody waits for it. */
  readonly durable?: boolean;
  /** Files of its certificate and key, for TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** It refuses to run as root, and takes what it is given as another user. */
function asAnybody(command: string, args: readonly string[]): [string, string[]] {
  if (process.getuid?.() !== 0) return [command, [...args]];
  return ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', command, ...args]];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Itself and all that it started. */
function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

/** A new folder with an empty cluster in it, owned by the user that runs PostgreSQL. */
function initialise(tls: PostgresOptions['tls']): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tts-postgres-'));
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const owner = process.getuid?.() === 0 ? ([id('-u'), id('-g')] as const) : undefined;
  if (owner) chownSync(folder, ...owner);
  const data = path.join(folder, 'data');
  for (const [name, file] of Object.entries(tls ?? {})) {
    const own = path.join(folder, `${name}.pem`);
    copyFileSync(file, own);
    chmodSync(own, 0o600);
    if (owner) chownSync(own, ...owner);
  }
  const kept = process.env.TTS_TEST_FOLDER && path.join(process.env.TTS_TEST_FOLDER, 'postgres-cluster');
  if (kept && existsSync(kept)) {
    copyCluster(kept, data);
    return folder;
  }
  const init = ['-D', data, '-U', 'tts', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C.UTF-8'];
  const [command, args] = asAnybody(`${BIN}/initdb`, init);
  execFileSync(command, args, { stdio: 'pipe', cwd: folder });
  if (kept) keepCluster(data, kept);
  return folder;
}

/** With owners and rights. */
const copyCluster = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to]);

/**
 * Making a cluster takes seconds of a core, a copy a tenth of one. It appears whole under its name;
 * where another suite was faster, its copy stays.
 */
function keepCluster(data: string, kept: string): void {
  const copy = `${kept}-${process.pid}`;
  copyCluster(data, copy);
  try {
    renameSync(copy, kept);
  } catch {
    rmSync(copy, { recursive: true, force: true });
  }
}

export async function startPostgres({ tls, durable = false }: PostgresOptions = {}): Promise<Postgres> {
  const folder = initialise(tls);
  const data = path.join(folder, 'data');
  const port = await freePort();
  let server: ChildProcess | undefined;
  let exited: Promise<unknown> | undefined;
  let databases = 0;
  const url = (database: string) => `postgres://tts@127.0.0.1:${port}/${database}`;

  async function asked(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: url('postgres'), connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  async function start(): Promise<void> {
    const settings = [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', `port=${port}`, '-c', `unix_socket_directories=${folder}`],
      // A pooler in front keeps connections to the database of every test.
      ...['-c', 'max_connections=300'],
      // Nobody cuts the power of a test.
      ...(durable ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off']),
      ...(tls
        ? ['-c', 'ssl=on', '-c', `ssl_cert_file=${folder}/cert.pem`, '-c', `ssl_key_file=${folder}/key.pem`]
        : []),
    ];
    const [program, rest] = asAnybody(`${BIN}/postgres`, ['-D', data, ...settings]);
    server = spawn(program, rest, { stdio: 'ignore', cwd: folder });
    const { pid } = server;
    exited = new Promise((resolve) => server!.once('exit', resolve));
    for (let tries = 0; tries < 300; tries++) {
      try {
        await asked('SELECT 1');
        return;
      } catch {
        await sleep(100);
      }
    }
    throw new Error(`PostgreSQL (process ${pid}) did not come up`);
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    server?.kill(signal);
    await exited;
    server = undefined;
  }

  const each = (signal: NodeJS.Signals) => {
    for (const pid of family(server!.pid!)) {
      try {
        process.kill(pid, signal);
      } catch {
        // A connection that ended in between.
      }
    }
  };

  await start();
  return {
    get pid() {
      return server!.pid!;
    },
    async create(copied) {
      const name = `test${++databases}`;
      await asked(`CREATE DATABASE ${name}${copied === undefined ? '' : ` TEMPLATE ${copied.split('/').at(-1)}`}`);
      return url(name);
    },
    // Its "immediate" way: no goodbye, no checkpoint, recovery at the next start.
    stop: () => stop('SIGQUIT'),
    start,
    freeze: () => each('SIGSTOP'),
    thaw: () => each('SIGCONT'),
    async close() {
      if (server) {
        each('SIGCONT');
        await stop('SIGQUIT');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
