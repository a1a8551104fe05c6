/** `tts serve`: the speech server, from its lock on the data folder to its last answer. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createSecureContext } from 'node:tls';
import { Command } from 'commander';
import type { AccountStore } from '../../accounts/store.js';
import type { ServerAddress } from '../../client/address.js';
import { type Config, SETTINGS } from '../../config.js';
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';
import { BASE_MODELS } from '../../protocol/job.js';
import { addSettings, settingsOf } from '../context.js';
import { localAddress } from '../service/addresses.js';
import { refuseShownPassword } from '../service/nats.js';
import { downloadLog, GRACE_MS, serverLog, untilSignalled } from '../service/server-process.js';
import type { Service, ServiceOptions } from '../service/service.js';
import { exportTraces } from '../service/trace-export.js';
import { needsKey, type RunningWyoming, startWyoming, wyomingKey, wyomingPlace } from '../service/wyoming.js';
import { type ShownSettings, shownSettings } from '../shown-settings.js';

const EXAMPLES = `
Examples:
  $ tts serve                                  on this machine, port 8787
  $ tts keys create --tier partner --credits 100000
  $ tts admin reset                            a new secret for the dashboard
  $ tts serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
  $ tts serve --workers 4 --threads 4          four engine processes, always
  $ tts serve --nats nats://10.0.0.1:4222 --workers 0    speech by the workers there (tts worker)
  $ TTS_DATABASE=postgres://tts:PASSWORD@db.example.org/tts tts serve      one of several servers
  $ tts serve --wyoming 10200                  Home Assistant on this machine speaks as well
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
  const shown = SETTINGS.filter((row) => groups.includes(row.group) && !unused.includes(row.key));
  addSettings(
    serve,
    shown.map((row) => row.key),
  );
  return serve.addHelpText('after', EXAMPLES).action(async (_options: unknown, self: Command) => {
    const settings = settingsOf(self);
    const { config, sources } = settings;
    refuseShownPassword(config.nats, sources.nats);
    if (config.workers === 0 && config.nats === '') {
      throw new TtsError(
        'config_invalid',
        '--workers 0 leaves all speech to workers: name the NATS server they are on with --nats.',
      );
    }
    await run(config, shownSettings(settings, shown), checkedWyoming(config));
  });
}

/** Undefined where the settings name no Wyoming listener. Checked before anything starts. */
function checkedWyoming(config: Config) {
  if (config.wyoming === '') return undefined;
  const place = wyomingPlace(config.wyoming, config);
  const key = wyomingKey(config);
  if (!place.isLocal && key === undefined) throw needsKey('--wyoming-key-file');
  return { place, key };
}

type Tls = { readonly cert: string; readonly key: string } | undefined;

async function run(
  config: Config,
  shown: ShownSettings,
  wyomingAsked: ReturnType<typeof checkedWyoming>,
): Promise<void> {
  const signalled = untilSignalled();
  // A server that is told to stop while it starts has nothing to finish; its engines end with it.
  let leave: (() => void) | undefined = () => process.exit(0);
  void signalled.then(() => leave?.());
  const tls = readTls(config);
  // The reader of the greeting may leave.
  process.stdout.on('error', () => undefined);
  const log = await serverLog(config);
  // A database that is made for many servers needs no lock on a folder.
  const lock =
    config.database === ''
      ? (await import('../../accounts/server-lock.js')).acquireServerLock(config.dataDir)
      : undefined;
  leave = () => {
    lock?.release();
    process.exit(0);
  };
  let service: Service | undefined;
  let metricsServer: Server | undefined;
  let wyoming: RunningWyoming | undefined;
  let stopTraces: (() => Promise<void>) | undefined;
  try {
    stopTraces = await exportTraces(log);
    const store = await openStore(config, log);
    const localKey = (await import('../../accounts/api-key.js')).drawKey().key;
    const { createService } = await import('../service/service.js');
    service = await createService({ ...serviceOptions(config, log, tls), shownSettings: shown, store, localKey });
    const { port } = await service.listen(config.host, config.port);
    leave = undefined;
    metricsServer = await listenForMetrics(config, service);
    const listening = { host: config.host, port, secure: tls !== undefined };
    const address = localAddress(listening);
    lock?.announce(address);
    const own = { baseUrl: address, apiKey: localKey, ...certificateOf(tls) };
    await publish(config, own, log);
    if (wyomingAsked) wyoming = await openWyoming(config, wyomingAsked, own, log);
    const { greet } = await import('../service/greeting.js');
    await greet(config, listening, log, await newAdminSecret(config, store));
    if (wyoming) process.stdout.write(`speaks Wyoming at ${wyoming.url}\n`);
    const signal = await signalled;
    log.info({ signal }, 'stopping once what runs has ended');
    const { removeRuntimeFile } = await import('../service/runtime-file.js');
    removeRuntimeFile(config.runtimeDir);
  } finally {
    await Promise.all([wyoming?.stop(GRACE_MS), service?.stop(GRACE_MS)]);
    metricsServer?.close();
    metricsServer?.closeAllConnections();
    await stopTraces?.().catch((error: unknown) => log.warn({ err: error }, 'the last traces could not be exported'));
    lock?.release();
  }
  log.info('stopped');
  process.exit(0);
}

function serviceOptions(config: Config, log: Logger, tls: Tls): Omit<ServiceOptions, 'store' | 'localKey'> {
  const { maxConnections, maxConnectionsPerAddress, web } = config;
  return {
    config,
    log,
    settings: {
      tls,
      corsOrigins: listOf(config.corsOrigin),
      allowedHosts: listOf(config.allowedHosts),
      trustProxy: listOf(config.trustProxy),
      maxConnections,
      maxConnectionsPerAddress,
      maxHeldBytes: config.maxHeldMb * 1_000_000,
      maxHeldDiskBytes: config.maxHeldDiskMb * 1_000_000,
      // Beside the accounts; where those are elsewhere there may be no data folder.
      heldDir: config.database === '' ? config.dataDir : undefined,
      metrics: config.metricsPort === 0,
      web,
      jobs: true,
      style: config.style,
    },
    metrics: true,
    requestLog: true,
    jobs: true,
    nats: config.nats !== '',
    engine: { start: 'now', models: BASE_MODELS, stays: true, crowd: true, onProgress: downloadLog(log) },
  };
}

/** It speaks through the server's own door, where keys, limits and credits are looked at. */
async function openWyoming(
  config: Config,
  { place, key }: NonNullable<ReturnType<typeof checkedWyoming>>,
  own: ServerAddress,
  log: Logger,
): Promise<RunningWyoming> {
  const [{ checkModel, voiceIdOf }, { chooseModel }] = await Promise.all([
    import('../names.js'),
    import('../service/model-choice.js'),
  ]);
  const asked = checkModel(config.model);
  const voice = await voiceIdOf(config.voice, config.voicesDir);
  const model = async () => asked ?? chooseModel({ ...config, server: '' });
  return startWyoming({
    config: { ...config, voice },
    place,
    address: key === undefined ? own : { ...own, apiKey: key },
    model,
    log,
  });
}

/** Made as the last step of a start: one that failed would have shown it to nobody. */
async function newAdminSecret({ web }: Config, store: AccountStore): Promise<string | undefined> {
  if (web === 'off') return undefined;
  const { createAdminSecret } = await import('../../accounts/admin-secret.js');
  return createAdminSecret(store).begin();
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

function readTls({ tlsCert, tlsKey }: Config): Tls {
  if (tlsCert === '' && tlsKey === '') return undefined;
  if (tlsCert === '' || tlsKey === '') {
    throw new TtsError('config_invalid', 'TLS needs both --tls-cert and --tls-key.');
  }
  try {
    const files = { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
    // Checked here rather than at the first handshake.
    createSecureContext(files);
    return files;
  } catch (cause) {
    throw new TtsError('config_invalid', `The TLS files cannot be used: ${(cause as Error).message}.`, { cause });
  }
}

async function listenForMetrics(
  { metricsPort, metricsHost, allowedHosts }: Config,
  service: Service,
): Promise<Server | undefined> {
  if (metricsPort === 0) return undefined;
  const [{ buildMetricsServer }, { listen }] = await Promise.all([
    import('../../server/metrics/metrics-server.js'),
    import('../service/listening.js'),
  ]);
  return listen(buildMetricsServer(service.metrics, listOf(allowedHosts)), metricsHost, metricsPort, '--metrics-port');
}

/** The server's own certificate, without those that vouch for it. */
function certificateOf(tls: Tls): Pick<ServerAddress, 'certificate'> {
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
