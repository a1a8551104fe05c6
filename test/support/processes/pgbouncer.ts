/** A PgBouncer of a test's own in front of a PostgreSQL. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../testkit/nats.js';

/** Debian puts it where the path of users does not lead. */
const PATH = ['/usr/sbin', '/usr/local/sbin', process.env.PATH].join(path.delimiter);

/** Debian: pgbouncer. */
export const hasPgBouncer = (): boolean => {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore', env: { PATH } });
    return true;
  } catch {
    return false;
  }
};

export interface PgBouncer {
  /** The same database by way of this. */
  through(url: string): string;
  close(): Promise<void>;
}

/**
 * `server`: any address of the PostgreSQL behind it. `settings`: further lines of its
 * configuration.
 */
export async function startPgBouncer(server: string, settings: Record<string, string | number>): Promise<PgBouncer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tts-pgbouncer-'));
  const port = await freePort();
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: path.join(folder, 'users'),
    ...settings,
  });
  const behind = `* = host=127.0.0.1 port=${new URL(server).port}`;
  const config = lines.map(([name, value]) => `${name} = ${value}`).join('\n');
  writeFileSync(path.join(folder, 'users'), '"tts" ""\n');
  writeFileSync(path.join(folder, 'pgbouncer.ini'), `[databases]\n${behind}\n\n[pgbouncer]\n${config}\n`);
  // It refuses to run as root.
  chmodSync(folder, 0o755);
  const asAnybody =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  const [program, ...args] = [...asAnybody, 'pgbouncer', path.join(folder, 'pgbouncer.ini')];
  const child: ChildProcess = spawn(program!, args, { stdio: 'ignore', env: { PATH } });
  const through = (url: string): string => {
    const address = new URL(url);
    address.port = String(port);
    return address.href;
  };
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: through(server), connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      break;
    } catch (error) {
      if (tries === 300) throw error;
      await sleep(100);
    }
  }
  return {
    through,
    async close() {
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
