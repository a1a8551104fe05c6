/** The single checks of `tts doctor`. Each finds out one thing for itself and never throws. */

import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { isAbort, TtsError } from '../../protocol/errors.js';
import { findLocalServers } from '../service/local-server.js';
import { engine } from './engine.js';
import type { Examine } from './finding.js';

const MIN_NODE = [20, 19] as const;

const node: Examine = async () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  const found = `${process.versions.node}, ${process.platform} ${process.arch}`;
  return enough
    ? { what: 'Node', state: 'fine', found }
    : { what: 'Node', state: 'broken', found, advice: `Install Node ${MIN_NODE.join('.')} or newer.` };
};

const models: Examine = async ({ modelDir, offline, engine }) => {
  if (engine === 'sine') return { what: 'Model', state: 'note', found: 'none is needed: the test engine is chosen' };
  const { listModels } = await import('../../models/inventory.js');
  const entries = await listModels({ modelDir });
  const found = entries.map(({ name, state }) => `${name} ${state}`).join(', ');
  if (entries.some(({ state }) => state === 'damaged')) {
    return { what: 'Model', state: 'broken', found, advice: 'Fetch what is damaged again: tts models pull' };
  }
  if (entries.every(({ state }) => state === 'missing')) {
    const advice = offline
      ? 'Allow the network once: TTS_OFFLINE=false tts models pull'
      : 'tts models pull fetches it now; the first tts speak would as well.';
    return { what: 'Model', state: offline ? 'broken' : 'note', found, advice };
  }
  return { what: 'Model', state: 'fine', found: `${found} (${modelDir})` };
};

/** The model that is spoken with by default, and why: from what is remembered, not measured now. */
const choice: Examine = async (config) => {
  const what = 'Chosen';
  if (config.model)
    return { what, state: 'fine', found: `${config.model}, as set with -m, TTS_MODEL or the config file` };
  if (config.engine === 'sine') return undefined;
  const [{ LIVE_FACTOR }, { readMeasurement, measurementFile }, { chooseModel }, { speedText }] = await Promise.all([
    import('../../engine/measure/carries-live.js'),
    import('../../engine/measure/remembered.js'),
    import('../service/model-choice.js'),
    import('../../client/ui/format.js'),
  ]);
  const model = await chooseModel({ ...config, server: '' });
  const measured = await readMeasurement(config.modelDir, config);
  if (measured === undefined) {
    const found = `${model}, which every machine carries: how fast base-tts is was not measured here yet`;
    return { what, state: 'note', found, advice: 'tts models pull measures it, and so does the first tts serve.' };
  }
  const pace = `remembered of base-tts on this machine: ${speedText(measured.realTimeFactor)}`;
  const rule = `${speedText(LIVE_FACTOR)} is enough to speak it live`;
  return { what, state: 'fine', found: `${model}: ${pace}, and ${rule} (${measurementFile(config.modelDir)})` };
};

const processes: Examine = async (config) => {
  const { processesOf } = await import('../service/engine-options.js');
  const { least, most } = await processesOf(config, true);
  const found = most > least ? `${least} for a single listener, up to ${most} while work waits` : String(most);
  return { what: 'Processes', state: 'fine', found: `of engines under tts serve: ${found}` };
};

const sound: Examine = async (_config, signal) => {
  const [{ findPlayer }, { soundAdvice, triedText, whyNoSound }] = await Promise.all([
    import('../../client/sinks/players.js'),
    import('../../client/sinks/sound-advice.js'),
  ]);
  const search = await findPlayer({}, signal);
  const { player, tried } = search;
  if (player === undefined) {
    return { what: 'Sound', state: 'broken', found: whyNoSound(search), advice: soundAdvice(search, process.platform) };
  }
  player.child.kill('SIGKILL');
  const others = tried.length === 0 ? '' : ` (${triedText(tried)})`;
  return { what: 'Sound', state: 'fine', found: `plays through ${player.name}${others}` };
};

const localServer: Examine = async ({ runtimeDir }, signal) => {
  const servers = await findLocalServers(runtimeDir, signal);
  const found = servers.map(({ baseUrl, pid }) => `${baseUrl} (process ${pid})`).join(', ');
  return { what: 'Local server', state: 'fine', found: found || 'none runs; commands bring their own' };
};

const port: Examine = async ({ host, port: number, runtimeDir }, signal) => {
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(number, host, () => server.close(() => resolve(undefined)));
  });
  if (!failure) return { what: 'Port', state: 'fine', found: `${host}:${number} is free` };
  if (failure.code === 'EADDRINUSE') {
    const servers = await findLocalServers(runtimeDir, signal);
    if (servers.some(({ baseUrl }) => new URL(baseUrl).port === String(number))) {
      return { what: 'Port', state: 'fine', found: `${host}:${number} is used by tts serve` };
    }
    return {
      what: 'Port',
      state: 'note',
      found: `${host}:${number} is taken by another program`,
      advice: `tts serve --port ${number + 1}`,
    };
  }
  return {
    what: 'Port',
    state: 'broken',
    found: `${host}:${number}: ${failure.message}`,
    advice: 'Choose another with --host and --port.',
  };
};

const dataFolder: Examine = async ({ dataDir }) => {
  let existing = dataDir;
  while (!(await stat(existing).catch(() => undefined)) && path.dirname(existing) !== existing)
    existing = path.dirname(existing);
  const writable = await access(existing, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!writable) {
    return {
      what: 'Data folder',
      state: 'broken',
      found: `${dataDir} cannot be written`,
      advice: 'Choose another with --data-dir or TTS_DATA_DIR.',
    };
  }
  const { bavail, bsize } = await statfs(existing);
  const free = (bavail * bsize) / 1e9;
  const found = `${dataDir}${existing === dataDir ? '' : ' (made when needed)'}, ${free.toFixed(1)} GB free`;
  return free < 1
    ? {
        what: 'Data folder',
        state: 'note',
        found,
        advice: 'A model needs up to 1 GB: make room, or move it with --model-dir.',
      }
    : { what: 'Data folder', state: 'fine', found };
};

const remote: Examine = async ({ server, apiKey, model }, signal) => {
  if (server === '') return undefined;
  const { createHttpClient } = await import('../../client/http.js');
  const client = createHttpClient({ baseUrl: server, apiKey });
  try {
    const start = performance.now();
    const ready = await client.probe('/readyz', signal);
    const ms = Math.round(performance.now() - start);
    const catalog = await client.voices(model || 'base-tts', signal);
    const found = `${server} answers in ${ms} ms, ${catalog.data.length} voices, ${ready.status === 200 ? 'ready to speak' : 'not ready to speak yet'}`;
    return ready.status === 200
      ? { what: 'Server', state: 'fine', found }
      : { what: 'Server', state: 'note', found, advice: 'Its workers are starting or failing: look at its log.' };
  } finally {
    client.close();
  }
};

const ADVICE: Record<string, string> = {
  Engine: 'tts models verify shows whether the model is whole; TTS_DEBUG=1 shows more.',
  Server: 'Check --server and --api-key.',
  Model: 'tts models pull',
};

/** A check that fails is a finding too. */
const guarded =
  (what: string, examine: Examine): Examine =>
  async (config, signal) => {
    try {
      return await examine(config, signal);
    } catch (error) {
      if (isAbort(error)) throw error;
      const found = error instanceof TtsError ? error.message : `failed: ${(error as Error).message}`;
      // A device that cannot be used says itself what it needs.
      const advice = error instanceof TtsError && error.code === 'device_unavailable' ? undefined : ADVICE[what];
      return { what, state: 'broken', found, ...(advice ? { advice } : {}) };
    }
  };

export const CHECKS: readonly Examine[] = [
  guarded('Node', node),
  guarded('Model', models),
  guarded('Chosen', choice),
  guarded('Engine', engine),
  guarded('GPU', async (config, signal) => (await import('./gpu.js')).gpu(config, signal)),
  guarded('Processes', processes),
  guarded('Sound', sound),
  guarded('Local server', localServer),
  guarded('Port', port),
  guarded('Data folder', dataFolder),
  guarded('Server', remote),
];
