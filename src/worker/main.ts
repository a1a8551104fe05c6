/** Entry of an engine's process: builds the engine it is told to, then answers jobs until its parent goes away. */
import { Worker } from 'node:worker_threads';
import type { Engine } from '../engine/engine.js';
import type { KokoroOptions } from '../engine/kokoro-options.js';
import type { Gpu } from '../protocol/device.js';
import { isErrorCode, TtsError } from '../protocol/errors.js';
import { traceEndpoint } from '../trace.js';
import type { EngineOptions, FromWorker, JobReply, ToWorker } from './protocol.js';
import { type EngineServer, serveEngine } from './serve-engine.js';

/**
 * From 1.29 on onnxruntime tells its makers what it runs and keeps a device id in the home folder, unless this is set before it is
 * loaded. A speech service of one's own tells nobody; whoever wants to may set it to 0.
 */
process.env.ORT_DISABLE_TELEMETRY ??= '1';

/**
 * The end of the channel tells an idle process that its parent died. One that is deep in a native run does not hear it,
 * so a thread of its own looks whether the parent is still the same.
 */
const WATCHDOG = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);
`;

/** An engine's process is ended without a warning: what it has not exported by then is lost. */
const EXPORT_EVERY_MS = 200;

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

/** A lost GPU is a dead worker: what was on it is spoken again elsewhere, or here when the process is back. */
function onLost(error: unknown): void {
  console.error(`The GPU failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

async function build(options: EngineOptions): Promise<Engine> {
  if (options.engine === 'sine') {
    const { createSineEngine } = await import('../engine/sine.js');
    const onRun = (texts: readonly string[]) => log('debug', 'the card runs', { texts });
    return createSineEngine(options.sine, { onLost, onRun, onTry });
  }
  const { createKokoroEngine } = await import('../engine/kokoro.js');
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
    const server = serveEngine(engine, reply);
    const { device, description, version, realTimeFactor, capacity } = engine;
    send({ type: 'ready', device, description, version, realTimeFactor, ...(capacity !== undefined && { capacity }) });
    return server;
  } catch (error) {
    fail(error);
    process.disconnect();
    return undefined;
  }
}

/** Where the environment says where traces go. What cannot be exported is told in the gateway's log. */
async function recordTraces(): Promise<void> {
  if (traceEndpoint(process.env) === undefined) return;
  const { startTracing } = await import('../tracing.js');
  const onTrouble = (why: string) => log('warn', `traces of an engine could not be exported: ${why}`);
  startTracing({ service: 'tts-engine', env: process.env, exportEveryMs: EXPORT_EVERY_MS, onTrouble });
}

if (process.send) {
  // The terminal's Ctrl-C and a service manager's SIGTERM reach the whole group; the parent decides when work ends.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  process.on('disconnect', () => process.exit(0));
  new Worker(WATCHDOG, {
    eval: true,
    workerData: process.ppid,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  }).unref();
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
