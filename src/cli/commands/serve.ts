/** `tts serve`: the speech server, from its lock on the data folder to its last answered request. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createSecureContext } from 'node:tls';
import { Command } from 'commander';
import type { ServerLock } from '../../accounts/server-lock.js';
import type { AccountStore } from '../../accounts/store.js';
import type { ServerAddress } from '../../client/address.js';
import { type Config, SETTINGS } from '../../config.js';
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';
import { BASE_MODELS } from '../../protocol/job.js';
import type { Preparation } from '../../protocol/preparation.js';
import { addSettings, settingsOf } from '../context.js';
import { type Listening, localAddress, outerAddresses } from '../service/addresses.js';
import { refuseShownPassword } from '../service/nats.js';
import type { Service } from '../service/service.js';
import { exportTraces } from '../service/trace-export.js';

const GRACE_MS = 30_000;

const EXAMPLES = `
Examples:
  $ tts serve                                  on this machine, port 8787
  $ tts keys create --tier partner --credits 100000
  $ tts admin reset                            a new secret for the dashboard
  $ tts serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
  $ tts serve --workers 4 --threads 4          four engine processes, always
  $ tts serve --nats nats://10.0.0.1:4222 --workers 0    speech by the workers there (tts worker)
  $ TTS_DATABASE=postgres://tts:PASSWORD@db.example.org/tts tts serve      one of several servers
  $ TTS_PORT=9000 TTS_LOG_LEVEL=warn tts serve

The first start draws the dashboard's admin secret: a terminal shows it once, any other output (a service's log) says in
which file of the data folder it is. Behind a database that has one nothing is drawn.
Stops on Ctrl-C or SIGTERM once what runs has ended (30 s at most); a second signal stops at once.
Every option can also be set in the config file; "tts config" shows where each value came from.`;

export function command(): Command {
  const serve = new Command('serve').description(
    'Runs the speech server: HTTP, WebSocket, accounts, engine processes.',
  );
  const groups = ['server', 'engine', 'files', 'nats'];
  const unused = ['workerName'];
  addSettings(
    serve,
    SETTINGS.filter((row) => groups.includes(row.group) && !unused.includes(row.key)).map((row) => row.key),
  );
  return serve.addHelpText('after', EXAMPLES).action(async (_options: unknown, self: Command) => {
    const { config, sources } = settingsOf(self);
    refuseShownPassword(config.nats, sources.nats);
    await run(config);
  });
}

async function run(config: Config): Promise<void> {
  if (config.workers === 0 && config.nats === '') {
    throw new TtsError(
      'config_invalid',
      '--workers 0 leaves all speech to workers: name the NATS server they are on with --nats.',
    );
  }
  const signalled = untilSignalled();
  // Told to stop while it starts, it has nothing to finish; its engines end with it.
  let leave: (() => void) | undefined = () => process.exit(0);
  void signalled.then(() => leave?.());
  const [{ createLogger }, { drawKey }, { createAdminSecret }, { createService }] = await Promise.all([
    import('../../log.js'),
    import('../../accounts/api-key.js'),
    import('../../accounts/admin-secret.js'),
    import('../service/service.js'),
  ]);
  const tls = readTls(config);
  // Whoever read the greeting may leave.
  process.stdout.on('error', () => undefined);
  const pretty = process.stderr.isTTY === true;
  const log = await createLogger({ level: config.logLevel, pretty, color: pretty && !process.env.NO_COLOR });
  const lock = await lockOf(config);
  leave = () => {
    lock?.release();
    process.exit(0);
  };
  let service: Service | undefined;
  let metricsServer: Server | undefined;
  let stopTraces: (() => Promise<void>) | undefined;
  try {
    stopTraces = await exportTraces(log);
    const store = await openStore(config, log);
    const { key: localKey } = drawKey();
    service = await createService({
      config,
      log,
      store,
      localKey,
      settings: {
        tls,
        corsOrigins: listOf(config.corsOrigin),
        allowedHosts: listOf(config.allowedHosts),
        trustProxy: listOf(config.trustProxy),
        maxConnections: config.maxConnections,
        maxConnectionsPerAddress: config.maxConnectionsPerAddress,
        maxHeldBytes: config.maxHeldMb * 1_000_000,
        maxHeldDiskBytes: config.maxHeldDiskMb * 1_000_000,
        // Beside the accounts; where those are elsewhere there may be no data folder.
        heldDir: config.database === '' ? config.dataDir : undefined,
        metrics: config.metricsPort === 0,
        web: config.web,
      },
      metrics: true,
      requestLog: true,
      nats: config.nats !== '',
      engine: { start: 'now', models: BASE_MODELS, stays: true, crowd: true, onProgress: downloadLog(log) },
    });
    const { port } = await service.listen(config.host, config.port);
    leave = undefined;
    metricsServer = await listenForMetrics(config, service);
    const listening = { host: config.host, port, secure: tls !== undefined };
    const address = localAddress(listening);
    lock?.announce(address);
    await publish(config, { baseUrl: address, apiKey: localKey, ...certificateOf(tls) }, log);
    // Drawn last: a start that failed before would have shown it to nobody.
    const newSecret = config.web === 'off' ? undefined : await createAdminSecret(store).begin();
    await greet(config, listening, log, newSecret);
    const signal = await signalled;
    log.info({ signal }, 'stopping once what runs has ended');
    const { removeRuntimeFile } = await import('../service/runtime-file.js');
    removeRuntimeFile(config.runtimeDir);
  } finally {
    await service?.stop(GRACE_MS);
    metricsServer?.close();
    metricsServer?.closeAllConnections();
    await stopTraces?.().catch((error: unknown) => log.warn({ err: error }, 'the last traces could not be exported'));
    lock?.release();
  }
  log.info('stopped');
  process.exit(0);
}

/** A database that is made for many servers needs no lock on a folder. */
async function lockOf({ database, dataDir }: Config): Promise<ServerLock | undefined> {
  if (database !== '') return undefined;
  const { acquireServerLock } = await import('../../accounts/server-lock.js');
  return acquireServerLock(dataDir);
}

async function openStore({ database, dataDir }: Config, log: Logger): Promise<AccountStore> {
  if (database !== '') {
    const { openPostgresStore } = await import('../../accounts/postgres/store.js');
    return openPostgresStore(database);
  }
  const [{ accountsFile }, { openSqliteStore }] = await Promise.all([
    import('../../accounts/data-folder.js'),
    import('../../accounts/sqlite/store.js'),
  ]);
  return openSqliteStore(accountsFile(dataDir), {
    quickCheck: true,
    onRescue: (copy) => log.error({ copy }, 'the accounts database was taken away while in use; its content was saved'),
  });
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

function readTls({ tlsCert, tlsKey }: Config): { cert: string; key: string } | undefined {
  if (tlsCert === '' && tlsKey === '') return undefined;
  if (tlsCert === '' || tlsKey === '') {
    throw new TtsError('config_invalid', 'TLS needs both --tls-cert and --tls-key.');
  }
  try {
    const files = { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
    // Here rather than at the first handshake: a key that does not belong to the certificate, a file that is none.
    createSecureContext(files);
    return files;
  } catch (cause) {
    throw new TtsError('config_invalid', `The TLS files cannot be used: ${(cause as Error).message}.`, { cause });
  }
}

/** A line a second at most. */
export function downloadLog(log: Logger) {
  let lastMs = 0;
  return (progress: Preparation) => {
    if (Date.now() - lastMs < 1_000) return;
    lastMs = Date.now();
    log.info(progress, 'getting the model ready');
  };
}

async function listenForMetrics(
  { metricsPort, metricsHost, allowedHosts }: Config,
  service: Service,
): Promise<Server | undefined> {
  if (metricsPort === 0) return undefined;
  const [{ buildMetricsServer }, { listenError }] = await Promise.all([
    import('../../server/metrics/metrics-server.js'),
    import('../service/service.js'),
  ]);
  const server = buildMetricsServer(service.metrics, listOf(allowedHosts));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(listenError(cause, metricsHost, metricsPort)));
    server.listen(metricsPort, metricsHost, resolve);
  });
  return server;
}

/** The server's own certificate, without those that vouch for it. */
function certificateOf(tls: { cert: string } | undefined): Pick<ServerAddress, 'certificate'> {
  const certificate = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/s.exec(tls?.cert ?? '')?.[0];
  return certificate === undefined ? {} : { certificate };
}

/** A server that cannot be found by other commands still serves. */
async function publish(config: Config, address: ServerAddress, log: Logger): Promise<void> {
  const [{ writeRuntimeFile }, { recordOf }] = await Promise.all([
    import('../service/runtime-file.js'),
    import('../service/local-server.js'),
  ]);
  try {
    writeRuntimeFile(config.runtimeDir, { ...address, pid: process.pid, ...recordOf(config) });
  } catch (error) {
    log.warn({ err: error }, 'other commands on this machine will not find this server');
  }
}

async function greet(config: Config, listening: Listening, log: Logger, newSecret: string | undefined): Promise<void> {
  const address = localAddress(listening);
  const outer = outerAddresses(listening);
  // On a terminal the lines below say it.
  if (!process.stderr.isTTY) log.info({ address, outer, dataDir: config.dataDir }, 'listening');
  if (outer.length > 0 && !listening.secure) {
    const advice = 'give it --tls-cert and --tls-key, or a proxy that has them';
    log.warn({ advice }, 'listening beyond this machine without TLS: keys and text travel readable');
  }
  const isDefault = config.dataDir === SETTINGS.find((row) => row.key === 'dataDir')!.defaultValue(process.env);
  const folder = isDefault ? '' : ` --data-dir ${config.dataDir}`;
  const { processesOf } = await import('../service/engine-room.js');
  const { least, most } = await processesOf(config, true);
  process.stdout.write(
    `tts is listening on ${address} (${address}/docs says what it can do)\n` +
      `${least} engine process${least === 1 ? '' : 'es'}${most > least ? `, up to ${most} while work waits` : ''}\n` +
      (outer.length > 0 ? `reached from elsewhere at ${outer.join(' and ')}\n` : '') +
      (config.web === 'off' ? '' : `try it in a browser: ${address}/, and run it at ${address}/dashboard\n`) +
      (newSecret === undefined ? '' : await handOver(newSecret, config, log, `tts admin reset${folder}`)) +
      `make a key with: tts keys create --tier partner --credits 100000${folder}\n`,
  );
}

/** What the greeting says of a new admin secret. Only a terminal shows the secret: any other output may be kept in a log. */
async function handOver(secret: string, { dataDir }: Config, log: Logger, reset: string): Promise<string> {
  const another = `(another one: ${reset})\n`;
  if (process.stdout.isTTY) return `the dashboard's admin secret, shown this once: ${secret}\n${another}`;
  const { adminSecretFile, writeAdminSecret } = await import('../../accounts/data-folder.js');
  const file = adminSecretFile(dataDir);
  try {
    writeAdminSecret(dataDir, secret);
    log.info({ file }, "the dashboard's admin secret is in a file that only this user can read");
    return `the dashboard's admin secret is in ${file}: keep it elsewhere and delete the file\n${another}`;
  } catch (error) {
    log.warn({ err: error, file }, `the dashboard's admin secret could not be written; make one with: ${reset}`);
    return `the dashboard's admin secret could not be written to ${file}. Make one with: ${reset}\n`;
  }
}

/** Resolves with the first signal; the second one ends the process on the spot. */
export function untilSignalled(): Promise<NodeJS.Signals> {
  const codes = { SIGINT: 130, SIGTERM: 143 } as const;
  return new Promise((resolve) => {
    let signalled = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (signalled) process.exit(codes[signal]);
        signalled = true;
        resolve(signal);
      });
    }
  });
}
