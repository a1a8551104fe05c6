/**
 * A distributed service on one machine whose parts can be killed, frozen and cut off: gateways,
 * workers, broker, database.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort, startNats } from '../../testkit/nats.js';
import { startPostgres } from '../../testkit/postgres.js';
import { startProxy } from '../../testkit/proxy.js';
import { startMachine } from '../support/machines.js';
import { Disturbances, type Fault } from './faults.js';

/** What a service manager waits before it starts something again. */
const RESTART_MS = 1_000;
/**
 * A gateway's lease is 15 s; the others return what it had reserved within a beat of 3 s, where
 * they reach the database.
 */
const BEYOND_LEASE_MS = [17_000, 32_000] as const;
/**
 * After a gateway is back its waiting ends are written, and its clients told; ends are retried
 * every 10 s at most.
 */
const RECOVERY_MS = 12_000;
const DAY_MS = 86_400_000;

/** Length of a character in the sine engine that speaks here. */
export const MS_PER_CHAR = 55;

export interface Gateway {
  readonly name: string;
  readonly baseUrl: string;
  readonly up: boolean;
  /** When its process was killed. */
  readonly kills: Disturbances;
  /** When it was frozen, or cut off from the database or the broker. */
  readonly faults: Disturbances;
}

export interface ServiceOptions {
  readonly gateways: number;
  readonly workers: number;
  readonly billDelivered: boolean;
}

export interface Service {
  /** The address of the accounts' database. */
  readonly database: string;
  /** The clock of the last of them is a day ahead. */
  readonly gateways: readonly Gateway[];
  /** When nobody could reach the database for longer than a lease. */
  readonly outages: Disturbances;
  readonly faults: readonly Fault[];
  stop(): Promise<void>;
}

async function ready(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(2_000) })).status === 200;
  } catch {
    return false;
  }
}

const metricsOf = async ({ baseUrl }: Gateway) => (await fetch(`${baseUrl}/metrics`)).text();

const LEFT = ['tts_active_sessions', 'tts_queue_depth', 'tts_running_segments', 'tts_places_taken'];
/** Sessions, segments and places that nobody gave back. */
export async function leftBehind(gateway: Gateway): Promise<number> {
  const text = await metricsOf(gateway);
  const numbers = LEFT.flatMap((name) => [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))]);
  return numbers.reduce((sum, [, value]) => sum + Number(value), 0);
}

/**
 * Reservations whose row was gone, by what became of them, since the gateways were last started.
 */
export async function lostReservations(gateways: readonly Gateway[]): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const gateway of gateways) {
    const found = (await metricsOf(gateway)).matchAll(/^tts_lost_reservations_total\{result="(\w+)"\} (\d+)/gm);
    for (const [, result, value] of found) sums[result!] = (sums[result!] ?? 0) + Number(value);
  }
  return sums;
}

type Restartable = { kill(): Promise<void>; restart(): Promise<void>; freeze(): void; thaw(): void };

/** A part that is killed and frozen for a moment, shorter than any lease. */
const momentary = (kind: string, part: string, weight: number, mostMs: number, on: Restartable): Fault[] => [
  { name: `${kind} killed`, part, weight, ms: [RESTART_MS / 2, mostMs], begin: on.kill, end: on.restart },
  { name: `${kind} frozen`, part, weight, ms: [300, mostMs], begin: on.freeze, end: on.thaw },
];

function machinePart(name: string, args: readonly string[], env: Record<string, string>) {
  let machine = startMachine(name, args, env);
  return {
    kill: () => machine.kill(),
    async restart() {
      machine = startMachine(name, args, env);
    },
    freeze: () => machine.signal('SIGSTOP'),
    thaw: () => machine.signal('SIGCONT'),
    stop: () => machine.stop(),
    get running() {
      return machine.running;
    },
  };
}

/** What every part of the service shares. */
interface Site {
  readonly options: ServiceOptions;
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly natsPort: number;
  readonly database: string;
  readonly faults: Fault[];
  readonly closing: (() => Promise<unknown>)[];
}

/** A fault after which the gateway lives on. */
function survived(
  gateway: Gateway,
  [name, weight, ms]: readonly [string, number, Fault['ms']],
  begin: () => void,
  end: () => void,
): Fault {
  let over: (() => void) | undefined;
  return {
    name: `gateway ${name}`,
    part: gateway.name,
    weight,
    ms,
    begin() {
      over = gateway.faults.begin(RECOVERY_MS);
      begin();
    },
    end() {
      end();
      over?.();
    },
  };
}

function killed(gateway: Gateway & { up: boolean }, machine: ReturnType<typeof machinePart>): Fault {
  return {
    name: 'gateway killed',
    part: gateway.name,
    weight: 1,
    ms: [RESTART_MS / 2, 2_500],
    async begin() {
      gateway.up = false;
      gateway.kills.begin()();
      await machine.kill();
    },
    async end() {
      // As a service manager does: a gateway that finds no database ends.
      while (!(await ready(gateway.baseUrl))) {
        if (!machine.running) await machine.restart();
        await sleep(RESTART_MS);
      }
      gateway.up = true;
    },
  };
}

async function startGateway(site: Site, i: number): Promise<Gateway> {
  const { options, folder, database } = site;
  const name = `gateway ${i}`;
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const toDatabase = await startProxy({ port: Number(new URL(database).port) });
  const toBroker = await startProxy({ port: site.natsPort });
  const ahead = i === options.gateways - 1 && i > 0;
  const clock = pathToFileURL(path.join(import.meta.dirname, 'clock-ahead.js'));
  const flags = options.billDelivered ? ['--bill-delivered'] : [];
  const machine = machinePart(name, ['serve', '--port', String(port), '--workers', '0', ...flags], {
    ...site.env,
    TTS_NATS: `nats://127.0.0.1:${toBroker.port}`,
    TTS_DATABASE: database.replace(/:\d+\//, `:${toDatabase.port}/`),
    TTS_RUNTIME_DIR: path.join(folder, `run-${i}`),
    TTS_DATA_DIR: path.join(folder, `data-${i}`),
    ...(ahead && { NODE_OPTIONS: `--import=${clock}`, BENCH_CLOCK_AHEAD_MS: String(DAY_MS) }),
  });
  const gateway = { name, baseUrl, up: false, kills: new Disturbances(), faults: new Disturbances() };
  while (!(await ready(baseUrl))) await sleep(100);
  gateway.up = true;
  site.faults.push(
    survived(gateway, ['cut off from the database', 2, BEYOND_LEASE_MS], toDatabase.cut, toDatabase.heal),
    survived(gateway, ['frozen beyond its lease', 2, BEYOND_LEASE_MS], machine.freeze, machine.thaw),
    survived(gateway, ['thrown out of the database', 1, [0, 0]], toDatabase.reset, () => undefined),
    survived(gateway, ['frozen', 1, [300, 2_500]], machine.freeze, machine.thaw),
    survived(gateway, ['cut off from the broker', 1, [2_000, 20_000]], toBroker.cut, toBroker.heal),
    killed(gateway, machine),
  );
  site.closing.push(
    machine.stop,
    () => toDatabase.close(),
    () => toBroker.close(),
  );
  return gateway;
}

function startWorker({ env, faults, closing }: Site, i: number): void {
  const machine = machinePart(`worker ${i}`, ['worker', '--workers', '1'], env);
  faults.push(...momentary('worker', `worker ${i}`, 1, 6_000, machine));
  closing.push(machine.stop);
}

type Nats = Awaited<ReturnType<typeof startNats>>;
type Postgres = Awaited<ReturnType<typeof startPostgres>>;

/** Faults of the broker and the database, which all gateways share. */
function sharedFaults(nats: Nats, postgres: Postgres, outages: Disturbances): Fault[] {
  const broker = {
    kill: nats.kill,
    restart: nats.start,
    freeze: () => nats.signal('SIGSTOP'),
    thaw: () => nats.signal('SIGCONT'),
  };
  const store = { kill: postgres.stop, restart: postgres.start, freeze: postgres.freeze, thaw: postgres.thaw };
  let outageOver: (() => void) | undefined;
  return [
    ...momentary('broker', 'broker', 1, 3_000, broker),
    ...momentary('database', 'database', 1, 3_000, store),
    {
      name: 'database frozen beyond all leases',
      part: 'database',
      weight: 1,
      ms: BEYOND_LEASE_MS,
      begin() {
        outageOver = outages.begin(RECOVERY_MS);
        postgres.freeze();
      },
      end() {
        postgres.thaw();
        outageOver?.();
      },
    },
  ];
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-chaos-'));
  const [nats, postgres] = await Promise.all([startNats(), startPostgres()]);
  const database = await postgres.create();
  const env = {
    TTS_NATS: nats.url,
    TTS_DATABASE: database,
    TTS_ENGINE: 'sine',
    TTS_SINE_OPTIONS: JSON.stringify({ msPerChar: MS_PER_CHAR, pace: 40 }),
    TTS_LOG_LEVEL: 'fatal',
    TTS_PARTNER_CONCURRENCY: '1000',
    TTS_QUEUE_LIMIT: '1000',
  };
  const site: Site = { options, folder, env, natsPort: nats.port, database, faults: [], closing: [] };
  const outages = new Disturbances();
  for (let i = 0; i < options.workers; i++) startWorker(site, i);
  const gateways: Gateway[] = [];
  for (let i = 0; i < options.gateways; i++) gateways.push(await startGateway(site, i));
  return {
    database,
    gateways,
    outages,
    faults: [...site.faults, ...sharedFaults(nats, postgres, outages)],
    async stop() {
      await Promise.all(site.closing.map((close) => close()));
      await Promise.all([nats.close(), postgres.close()]);
      await rm(folder, { recursive: true });
    },
  };
}
