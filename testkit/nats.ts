/**
 * A NATS server of a test's own, on a free port of this machine; it can be stopped, frozen and
 * started again there.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '../src/log.js';
import { type Bus, type BusOptions, openBus } from '../src/worker/nats-bus.js';

/** Debian puts it where the path of users does not lead. */
const PATH = ['/usr/sbin', '/usr/local/sbin', process.env.PATH].join(path.delimiter);

/** Debian: nats-server. */
export const hasNats = (): boolean => {
  try {
    execFileSync('nats-server', ['--version'], { stdio: 'ignore', env: { PATH } });
    return true;
  } catch {
    return false;
  }
};

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Of its process; it has another once it was started again. */
  readonly pid: number;
  /** Gone from one moment to the next. */
  kill(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  bus(more?: Partial<BusOptions>): Promise<Bus>;
  close(): Promise<void>;
}

const started = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

export async function startNats(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<NatsServer> {
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  const buses: Bus[] = [];
  let child: ChildProcess | undefined;
  const kill = async () => {
    const gone = child;
    child = undefined;
    if (gone === undefined || gone.exitCode !== null || gone.signalCode !== null) return;
    gone.kill('SIGKILL');
    await once(gone, 'exit');
  };
  const start = async () => {
    const own = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), ...args], {
      stdio: 'ignore',
      env: { ...env, PATH },
    });
    child = own;
    started.add(own);
    own.once('exit', () => started.delete(own));
    await untilListening(port);
  };
  await start();
  return {
    url,
    port,
    get pid() {
      return child!.pid!;
    },
    kill,
    start,
    signal: (signal) => void child?.kill(signal),
    async bus(more = {}) {
      const options = { servers: url, prefix: 'test', name: 'test', log: silentLogger(), ...more };
      const bus = await openBus(options, new AbortController().signal);
      buses.push(bus);
      return bus;
    },
    async close() {
      await Promise.all(buses.map((bus) => bus.close()));
      await kill();
    },
  };
}

/** Servers that know each other; each may be killed and started again by itself. */
export async function startNatsCluster(size: number): Promise<NatsServer[]> {
  const ports = await Promise.all(Array.from({ length: size }, () => freePort()));
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`);
  return Promise.all(
    routes.map((own, n) =>
      startNats(['--name', `server-${n}`, '--cluster_name', 'test', '--cluster', own, '--routes', routes.join(',')]),
    ),
  );
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(port: number): Promise<void> {
  for (let i = 0; i < 400; i++) {
    const socket = createConnection(port, '127.0.0.1');
    const answered = await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (answered) return;
    await sleep(25);
  }
  throw new Error('nats-server did not come up');
}
