/** Entry of an engine's process: builds the engine, then answers jobs until its parent is gone. */
import { Worker } from 'node:worker_threads';
import type { Engine } from '../engine/engine.js';
import type { KokoroOptions } from '../engine/kokoro-options.js';
import type { Gpu } from '../protocol/device.js';
import { isErrorCode, TtsError } from '../protocol/errors.js';
import { traceEndpoint } from '../trace.js';
import type { EngineOptions, FromWorker, JobReply, ToWorker } from './protocol.js';
import { EngineServer } from './serve-engine.js';

/**
 * From 1.29 on onnxruntime reports to its makers what it runs and keeps a device id in the home
 * folder, unless this is set before it is loaded. Setting it to 0 allows that.
 */
process.env.ORT_DISABLE_TELEMETRY ??= '1';

/**
 * The end of the channel tells an idle process that its parent died. During a native run it is not
 * noticed, so a thread watches whether the parent is still the same.
 */
const WATCHDOG = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);
`;

/** Delay of that thread (ms) in the engine of a command, which has said a sentence before. */
const WATCHED_AFTER_MS = 1_000;

/** An engine's process is killed without a warning, and spans that were not exported are lost. */
const EXPORT_EVERY_MS = 200;

function watch(parent: number): void {
  new Worker(WATCHDOG, {
    eval: true,
    workerData: parent,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  }).unref();
}

const send = (message: FromWorker): void => {
  if (process.connected) process.send!(message);
};

const log = (level: 'info' | 'warn' | 'debug', message: string, fields: object = {}): void =>
  send({ type: 'log', level, message, fields });

function reply(message: JobReply): void {
  send(message);
  if (message.type !== 'end' && message.type !== 'error') return;
  send({ type: 'memory', rssBytes: process.memoryUsage.rss() });
}

const onTry = (device: Gpu): void => send({ type: 'tries', device });

/** A lost GPU ends the process: its jobs run again elsewhere, or here after the restart. */
function onLost(error: unknown): void {
  console.error(`The GPU failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

const loadSine = () => import('../engine/sine.js');
const loadKokoro = () => import('../engine/kokoro.js');

async function build(options: EngineOptions): Promise<Engine> {
  if (options.engine === 'sine') {
    const { createSineEngine } = await loadSine();
    const onRun = (texts: readonly string[]) => log('debug', 'the GPU runs', { texts });
    return createSineEngine(options.sine, { onLost, onRun, onTry });
  }
  const { createKokoroEngine } = await loadKokoro();
  // Before the first thread: each has a copy of the environment.
  const { vulkanEnvironment } = await import('../engine/gpu/vulkan.js');
  Object.assign(process.env, await vulkanEnvironment(options.kokoro.modelDir, process.env));
  return createKokoroEngine({ ...options.kokoro, log, onLost, onTry });
}

async function measure(options: KokoroOptions): Promise<void> {
  try {
    const { vulkanEnvironment } = await import('../engine/gpu/vulkan.js');
    Object.assign(process.env, await vulkanEnvironment(options.modelDir, process.env));
    const { measureVocoders } = await import('../engine/measure/measure.js');
    send({ type: 'measured', measurement: await measureVocoders(options) });
  } catch (error) {
    fail(error);
  }
  process.disconnect();
}

function fail(error: unknown): void {
  const code = error instanceof TtsError && isErrorCode(error.code) ? error.code : 'internal_error';
  send({ type: 'failed', code, message: error instanceof Error ? error.message : String(error) });
}

async function start(options: EngineOptions): Promise<EngineServer | undefined> {
  try {
    await recordTraces();
    const engine = await build(options);
    const server = new EngineServer(engine, reply);
    const { device, description, version, realTimeFactor, capacity } = engine;
    send({ type: 'ready', device, description, version, realTimeFactor, ...(capacity !== undefined && { capacity }) });
    return server;
  } catch (error) {
    fail(error);
    process.disconnect();
    return undefined;
  }
}

/** Only where the environment names an endpoint. Failed exports show in the gateway's log. */
async function recordTraces(): Promise<void> {
  if (traceEndpoint(process.env) === undefined) return;
  const { startTracing } = await import('../tracing.js');
  const onTrouble = (why: string) => log('warn', `traces of an engine could not be exported: ${why}`);
  startTracing({ service: 'tts-engine', env: process.env, exportEveryMs: EXPORT_EVERY_MS, onTrouble });
}

if (process.send) {
  // Ctrl-C and a service manager's SIGTERM reach the whole group; the parent ends the work.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  process.on('disconnect', () => process.exit(0));
  const [engine, ahead] = process.argv.slice(2);
  const parent = process.ppid;
  if (ahead === undefined) watch(parent);
  else setTimeout(() => watch(parent), WATCHED_AFTER_MS).unref();
  // Its first message may take a moment. What fails here is told when the engine is built.
  (engine === 'kokoro' ? loadKokoro() : loadSine()).catch(() => undefined);
  let server: Promise<EngineServer | undefined> | undefined;
  process.on('message', (message: ToWorker) => {
    if (message.type === 'start') server ??= start(message.options);
    else if (message.type === 'measure') void measure(message.options);
    else server?.then((running) => running?.receive(message));
  });
} else {
  console.error('This is the process of a speech engine. It is started by tts itself.');
  process.exit(2);
}
