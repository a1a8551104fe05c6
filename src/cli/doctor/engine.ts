/** What `tts doctor` says of the engine: it lets a server of its own say a sentence. */
import { availableParallelism, loadavg } from 'node:os';
import type { Config } from '../../config.js';
import { SAMPLE_RATE } from '../../protocol/audio.js';
import type { SpeechModel } from '../../protocol/contract.js';
import { type Connection, closeSoon, embed } from '../connection.js';
import { checkModel } from '../names.js';
import type { Examine, Finding } from './finding.js';

const what = 'Engine';
const SENTENCE = 'This is a short sentence, spoken to see how fast this machine is.';
/** Share of the cores that others use, above which a machine is busy. */
const BUSY = 0.6;
/** Times the remembered work, above which the machine is slower than it was. */
const SLOWER = 1.5;

/** Speed as it was seen now and as it is remembered, in seconds of work a second of speech. */
export interface Pace {
  readonly model: SpeechModel;
  readonly readyMs: number;
  readonly firstMs: number;
  readonly samples: number;
  readonly seen: number;
  readonly remembered: number | undefined;
  /** Processes that want a core, and the cores there are. */
  readonly load: number;
  readonly cores: number;
}

export const engine: Examine = async (config, signal) => {
  if (!(await hasModel(config))) {
    return { what, state: 'note', found: 'not tried without a model', advice: 'tts models pull, then again.' };
  }
  const { chooseModel } = await import('../service/model-choice.js');
  const model = checkModel(config.model) ?? (await chooseModel({ ...config, server: '' }));
  // Before the engine itself is what keeps the machine busy.
  const load = loadavg()[0]!;
  const connection = await embed({ ...config, server: '', model, logLevel: 'silent' }, {}, signal);
  try {
    const startMs = performance.now();
    await connection.ready();
    const readyMs = performance.now() - startMs;
    const heard = await listen(connection, model, signal);
    const remembered = await rememberedFactor(config, model);
    return await paceFinding({ model, readyMs, ...heard, remembered, load, cores: availableParallelism() });
  } finally {
    await closeSoon(connection, signal);
  }
};

async function hasModel({ engine, modelDir }: Config): Promise<boolean> {
  if (engine === 'sine') return true;
  const { listModels } = await import('../../models/inventory.js');
  return (await listModels({ modelDir })).some(({ state }) => state === 'ready' || state === 'unprepared');
}

async function listen(connection: Connection, model: SpeechModel, signal: AbortSignal) {
  const { createHttpClient } = await import('../../client/http.js');
  const client = createHttpClient(connection);
  const startMs = performance.now();
  let firstMs = 0;
  let samples = 0;
  try {
    const response = await client.speech({ model, input: SENTENCE }, signal);
    for await (const pcm of response.audio) {
      firstMs ||= performance.now() - startMs;
      samples += pcm.length;
    }
  } finally {
    client.close();
  }
  return { firstMs, samples, seen: (performance.now() - startMs) / 1000 / (samples / SAMPLE_RATE) };
}

/** Only `base-tts` is measured on a first run. */
async function rememberedFactor(config: Config, model: SpeechModel): Promise<number | undefined> {
  if (config.engine === 'sine' || !/^base-tts(:free)?$/.test(model)) return undefined;
  const { readMeasurement } = await import('../../engine/measure/remembered.js');
  return (await readMeasurement(config.modelDir, config))?.realTimeFactor;
}

/** What was seen in words, next to what is remembered, and why they differ. */
export async function paceFinding(pace: Pace): Promise<Finding> {
  const { speedText } = await import('../../client/ui/format.js');
  const { model, readyMs, firstMs, samples, seen, remembered, load, cores } = pace;
  const memory = remembered === undefined ? '' : `; remembered from the measurement: ${speedText(remembered)}`;
  const found =
    `${model} speaks: ready in ${(readyMs / 1000).toFixed(1)} s, first sound after ${Math.round(firstMs)} ms, ` +
    `seen now: ${speedText(seen)}${memory}`;
  if (samples === 0) return { what, state: 'broken', found };
  const isSlower = seen > SLOWER * (remembered ?? seen);
  const isBusy = load > BUSY * cores;
  if (seen < 1 && !isSlower) return { what, state: 'fine', found };
  const busy = `The machine is busy: ${load.toFixed(1)} processes want its ${cores} core${cores === 1 ? '' : 's'}.`;
  const lighter =
    seen < 1 || !model.startsWith('base-tts') || model.includes('fast') ? '' : ' -m base-tts-fast is lighter.';
  if (isBusy) return { what, state: 'note', found, advice: `${busy} Try again when it is quiet.${lighter}` };
  if (seen < 1) return { what, state: 'fine', found };
  const slow = isSlower ? 'Slower than it was, and than it is heard.' : 'Slower than it is heard.';
  return { what, state: 'note', found, advice: `${slow}${lighter || ' Is the machine busy?'}` };
}
