/** `tts worker`: engine processes of this machine for the gateways on a NATS server. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { hostname } from 'node:os';
import { Command } from 'commander';
import { type Config, SETTINGS } from '../../config.js';
import type { Logger } from '../../log.js';
import { isGpu } from '../../protocol/device.js';
import { TtsError } from '../../protocol/errors.js';
import { BASE_MODELS, type BaseModel } from '../../protocol/job.js';
import type { Bus } from '../../worker/nats-bus.js';
import type { EngineFacts } from '../../worker/protocol.js';
import type { NatsServer, NatsServerOptions } from '../../worker/serve-nats.js';
import { addSettings, settingsOf } from '../context.js';
import { baseModel } from '../names.js';
import { engineOptions, ON_GPU, processesOf } from '../service/engine-options.js';
import { fetchModels } from '../service/fetch-models.js';
import { busOptions, readingOf, refuseShownPassword } from '../service/nats.js';
import { downloadLog, GRACE_MS, serverLog, untilSignalled } from '../service/server-process.js';

/** Steps of a gateway in an engine on the CPU: one that runs, and the next one waiting. */
const CAPACITY = 2;

const EXAMPLES = `
Examples:
  $ tts worker --nats nats://10.0.0.1:4222                   an engine for every gateway on that server
  $ tts worker --nats tls://nats.example.org --nats-creds worker.creds --workers 4
  $ TTS_NATS=nats://user:password@10.0.0.1 tts worker        a password stays out of the process list
  $ tts worker --nats nats://10.0.0.1,nats://10.0.0.2,nats://10.0.0.3        a cluster: one may be lost
  $ tts serve --nats nats://10.0.0.1:4222 --workers 0        a gateway that leaves all speech to workers

Needs no database and knows no keys: it is sent sentences and answers with sound. Voices are sent along with the work.
Stops on Ctrl-C or SIGTERM once what runs has ended (30 s at most); a second signal stops at once.`;

export function command(): Command {
  const worker = new Command('worker').description('Runs engine processes for gateways on other machines, over NATS.');
  const groups = ['nats', 'engine', 'files', 'worker'];
  const unused = ['voicesDir'];
  addSettings(worker, [
    ...SETTINGS.filter((row) => groups.includes(row.group) && !unused.includes(row.key)).map((row) => row.key),
    'logLevel',
  ]);
  return worker
    .option('--models <NAMES>', `models to offer, comma-separated (default: ${BASE_MODELS.join(',')})`)
    .addHelpText('after', EXAMPLES)
    .action(async ({ models }: { models?: string }, self: Command) => {
      const { config, sources } = settingsOf(self);
      refuseShownPassword(config.nats, sources.nats);
      await run(config, modelsOf(models));
    });
}

function modelsOf(names: string | undefined): readonly BaseModel[] {
  if (names === undefined) return BASE_MODELS;
  const wanted = names.split(',').map((name) => baseModel(name.trim()));
  return BASE_MODELS.filter((model) => wanted.includes(model));
}

function check({ nats, workerName, workers }: Config): void {
  if (nats === '') {
    throw new TtsError('config_invalid', 'A worker needs a NATS server: tts worker --nats nats://host:4222');
  }
  if (!/^[\w-]{0,64}$/.test(workerName)) {
    throw new TtsError('config_invalid', '--worker-name must be letters, digits, "-" and "_", 64 of them at most.');
  }
  if (workers === 0) throw new TtsError('config_invalid', 'A worker needs an engine: --workers 1 or more.');
}

async function run(config: Config, models: readonly BaseModel[]): Promise<void> {
  check(config);
  const signalled = untilSignalled();
  const stopping = new AbortController();
  const { signal } = stopping;
  void signalled.then(() => stopping.abort());
  const log = await serverLog(config);
  /** Why the broker lets nobody send us work, where it does not. */
  let denied: TtsError | undefined;
  const onDenied = (error: TtsError): void => {
    denied ??= error;
    stopping.abort();
  };
  try {
    if (config.engine !== 'sine')
      await fetchModels({ config, log, models, stays: true, onProgress: downloadLog(log) }, signal);
    const { openBus } = await import('../../worker/nats-bus.js');
    const bus = await openBus(busOptions(config, 'tts worker', log), signal);
    const { name, most, engines } = await startEngines({ config, models, bus, log, onDenied }, signal);
    const probes = await listenForProbes(config, () => {
      if (signal.aborted) return 'it stops';
      if (!bus.connected) return 'there is no connection to NATS';
      return engines.some(({ server }) => server.ready) ? undefined : 'no engine is ready yet';
    });
    log.info({ name, engines: most, models }, 'a worker for the gateways on NATS');
    if (!signal.aborted) await once(signal, 'abort');
    if (denied === undefined) {
      log.info({ signal: await signalled }, 'stopping once what runs has ended');
      await Promise.all(engines.map(({ server }) => server.drain(GRACE_MS)));
    }
    probes?.close();
    for (const { server } of engines) server.close();
    await bus.close();
    await Promise.all(engines.map(({ stop }) => stop()));
    if (denied !== undefined) throw denied;
  } catch (error) {
    if (error === denied || !signal.aborted) throw error;
  }
  log.info('stopped');
  process.exit(0);
}

interface EnginesOptions {
  readonly config: Config;
  readonly models: readonly BaseModel[];
  readonly bus: Bus;
  readonly log: Logger;
  readonly onDenied: (error: TtsError) => void;
}

interface ServedEngine {
  readonly server: NatsServer;
  readonly stop: () => Promise<void>;
}

/** The list of engines grows until all processes were started. */
async function startEngines(options: EnginesOptions, signal: AbortSignal) {
  const { config, models, bus, log, onDenied } = options;
  const [{ NatsServer }, { EngineProcess }, { workerId }, { textVersion, styles }, { most }] = await Promise.all([
    import('../../worker/serve-nats.js'),
    import('../../gateway/workers/engine-process.js'),
    import('../../worker/nats-wire.js'),
    readingOf(config),
    processesOf(config, true),
  ]);
  const offer = { models, textVersion, capacity: CAPACITY, ...(styles !== undefined && { styles }) };
  // New at every start: work that was sent to an earlier process of this name is not ours.
  const instance = `${hostname().replaceAll(/[^\w-]/g, '-')}-${randomBytes(3).toString('hex')}`;
  const name = workerId(config.workerName, instance);
  const engine = engineOptions({ ...config, workers: most }, 'machine', models, { seeksGpu: true });
  const engines: ServedEngine[] = [];
  const add = (onReady?: (facts: EngineFacts) => void): void => {
    const id = `${name}-${engines.length + 1}`;
    const own = log.child({ worker: id });
    let stop = async (): Promise<void> => undefined;
    const open: NatsServerOptions['open'] = (listener) => {
      const process = new EngineProcess({ options: engine, log: own }, listener);
      stop = () => process.close();
      return process;
    };
    const server = new NatsServer({ bus, id, offer, log: own, open, onDenied, ...(onReady && { onReady }) });
    engines.push({ server, stop: () => stop() });
  };
  // The first process compares a GPU with the CPU; the others follow its verdict.
  add(({ device }) => {
    if (signal.aborted) return;
    const count = config.workers === 'auto' && isGpu(device) ? ON_GPU.most : most;
    while (engines.length < count) add();
  });
  return { name, most, engines };
}

/** Undefined where the settings name no port. */
async function listenForProbes(
  { probePort, probeHost }: Config,
  notReady: () => string | undefined,
): Promise<Server | undefined> {
  if (probePort === 0) return undefined;
  const [{ createProbes }, { listen }] = await Promise.all([
    import('../../worker/probes.js'),
    import('../service/listening.js'),
  ]);
  return listen(createProbes({ notReady }), probeHost, probePort, '--probe-port');
}
