/**
 * The graphs of the models as sessions of the runtime on the CPU. They are opened when first
 * needed; models that have a graph in common share its session.
 */
import path from 'node:path';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { KokoroFiles } from '../../models/model-files.js';
import { ensureModel } from '../../models/packs.js';
import { TtsError } from '../../protocol/errors.js';
import type { BaseModel } from '../../protocol/job.js';
import type { ReadingToken } from '../../text/types.js';
import { AsyncMemo } from '../async-memo.js';
import type { StepGrant } from '../engine.js';
import { maySpin } from '../measure/machine.js';
import { createStyles, type SpokenStyle, STYLE_SIZE, type Styles } from '../styles.js';
import { createFastVocoder } from '../vocoder/fast-vocoder.js';
import type { AcousticFeatures, Intone } from '../vocoder/features.js';
import { bends, type Feeds, type Graph, graphOf, narrows, type Vocoder } from '../vocoder/vocoder.js';
import { createWholeVocoder } from '../vocoder/whole-vocoder.js';
import { longWindows, timelyWindows } from '../vocoder/windows.js';
import { graphLoader } from './graph-loader.js';
import { cpuProvider, type Provider, withoutArena } from './provider.js';

export interface LoadedModel {
  readonly styles: Styles;
  /** `intone` is given the features of the melody that the model has by itself. */
  acousticModel(
    tokens: readonly ReadingToken[],
    style: SpokenStyle,
    grant: StepGrant,
    intone?: Intone,
  ): Promise<AcousticFeatures>;
  readonly vocoder: Vocoder;
}

export interface Sessions {
  model(model: BaseModel): Promise<LoadedModel>;
  isLoaded(model: BaseModel): boolean;
  /** Opens the single-threaded sessions of loaded models; only multi-threaded ones come first. */
  openSingleThreaded(): Promise<void>;
  close(): Promise<void>;
}

export interface SessionsOptions {
  readonly modelDir: string;
  readonly offline: boolean;
  readonly provider: Provider;
  /** Threads of a second session of each graph, for steps on an idle machine; 0 for none. */
  readonly threadsWhenIdle?: number;
  /** Which form of Kokoro's generator is the faster one here. */
  readonly vocoder: 'float' | 'quantised';
  /** Nobody hears the speech while it is made. */
  readonly unheard?: boolean;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { modelDir, offline, provider, threadsWhenIdle = 0, vocoder, unheard = false } = options;
  const keptDir = path.join(modelDir, 'optimised');
  const isMultiThreaded = threadsWhenIdle > provider.threads;
  const idleProvider = isMultiThreaded ? cpuProvider(threadsWhenIdle, maySpin(threadsWhenIdle)) : undefined;
  /** By file. */
  const single = new AsyncMemo<string, InferenceSession>();
  const multi = new AsyncMemo<string, InferenceSession>();
  const models = new AsyncMemo<BaseModel, LoadedModel>();
  const loadSingle = graphLoader(keptDir, provider);

  const openSingle = (file: string): Promise<InferenceSession> =>
    single.get(file, () => loadSingle(file).catch((cause: unknown) => Promise.reject(loadFailed(file, cause))));

  /** The multi-threaded session comes first: the first stream of a server has the machine alone. */
  async function graph(file: string, idle: Provider | undefined): Promise<Graph> {
    if (idle === undefined) return graphOf(await openSingle(file));
    const session = await multi.get(file, graphLoader(keptDir, idle));
    return {
      narrows: narrows(session),
      bends: bends(session),
      run: async (feeds, grant) => (grant.multiThreaded ? session : await openSingle(file)).run(feeds),
      release: () => session.release(),
    };
  }

  async function load(model: BaseModel): Promise<LoadedModel> {
    const files = await ensureModel(model, { modelDir, offline });
    const styles = createStyles(files.stylesDir);
    const isLight = files.model === 'base-tts-fast';
    // Kokoro's own generator uses so much memory that allocating it in each run would be felt.
    const idle = idleProvider && isLight ? withoutArena(idleProvider) : idleProvider;
    const front = await graph(files.acousticModel, idle);
    const back = await graph(isLight ? files.vocoder : generatorOf(files, vocoder), idle);
    return {
      styles,
      acousticModel: (tokens, style, grant, intone) => runAcousticModel(front, tokens, style, grant, intone),
      vocoder: isLight ? createFastVocoder(back, unheard ? longWindows : timelyWindows()) : createWholeVocoder(back),
    };
  }

  return {
    model: (model) => models.get(model, load),
    isLoaded: (model) => models.isReady(model),
    async openSingleThreaded() {
      for (const file of multi.keys()) await openSingle(file);
    },
    async close() {
      const open = [...(await single.settled()), ...(await multi.settled())];
      await Promise.all(open.map((session) => session.release()));
    },
  };
}

const loadFailed = (file: string, cause: unknown): TtsError =>
  new TtsError(
    'model_corrupt',
    `The model file ${file} could not be loaded: ${(cause as Error).message}. Run: tts models verify`,
    { cause },
  );

const generatorOf = (files: KokoroFiles, choice: SessionsOptions['vocoder']): string =>
  choice === 'quantised' ? files.generatorQuantised : files.generatorFloat;

/**
 * Features of the melody that `intone` makes of the model's own. Where it changes anything, the
 * model runs once more, so that the features are those of the new melody.
 */
export async function runAcousticModel(
  graph: Graph,
  tokens: readonly ReadingToken[],
  { style, speed }: SpokenStyle,
  grant: StepGrant,
  intone: Intone = (own) => own,
): Promise<AcousticFeatures> {
  const ids = new BigInt64Array(tokens.length + 2);
  for (const [i, { id }] of tokens.entries()) ids[i + 1] = BigInt(id);
  const feeds = {
    input_ids: new Tensor('int64', ids, [1, ids.length]),
    style: new Tensor('float32', style, [1, STYLE_SIZE]),
    speed: new Tensor('float32', Float32Array.of(speed), [1]),
  };
  const own = featuresOf(await graph.run({ ...feeds, ...(graph.bends && UNBENT) }, grant));
  const told = intone(own);
  if (told === own || !graph.bends) return told;
  const bent = {
    pitch_more: difference(told.f0, own.f0),
    energy_more: told.energy && own.energy ? difference(told.energy, own.energy) : UNBENT.energy_more,
  };
  return { ...featuresOf(await graph.run({ ...feeds, ...bent }, grant)), f0: told.f0 };
}

const unbent = (): Tensor => new Tensor('float32', new Float32Array(2), [1, 1, 2]);
const UNBENT = { pitch_more: unbent(), energy_more: unbent() };

/** A curve of two values a step, less another. */
function difference(one: Tensor, other: Tensor): Tensor {
  const less = other.data as Float32Array;
  const data = (one.data as Float32Array).map((value, at) => value - less[at]!);
  return new Tensor('float32', data, [1, data.length / 2, 2]);
}

function featuresOf({ x, rows, mean, variance, f0, s, durations, energy }: Feeds): AcousticFeatures {
  const common = { f0: f0!, s: s!, durations: durations!.data as Float32Array, ...(energy && { energy }) };
  if (rows === undefined) return { ...common, x: x!, frames: x!.dims[2]! };
  const byFrame = { x: rows.data as Float32Array, mean: mean!, variance: variance! };
  return { ...common, x: rows, frames: rows.dims[1]!, rows: byFrame };
}
