/**
 * The graphs of the models as sessions of the runtime on the CPU. They are opened when first
 * needed; models that have a graph in common share its session.
 */
import path from 'node:path';
import type { InferenceSession } from 'onnxruntime-node';
import type { KokoroFiles, LightFiles, VoiceGroup } from '../../models/model-files.js';
import type { AcousticPart } from '../../models/onnx/acoustic-parts.js';
import { ensureModel } from '../../models/packs.js';
import { TtsError } from '../../protocol/errors.js';
import type { BaseModel } from '../../protocol/job.js';
import type { ReadingToken } from '../../text/types.js';
import { AsyncMemo } from '../async-memo.js';
import type { StepGrant } from '../engine.js';
import { maySpin } from '../measure/machine.js';
import { createStyles, type SpokenStyle, type Styles } from '../styles.js';
import { createFastVocoder } from '../vocoder/fast-vocoder.js';
import type { Intone, Melody, SpokenFeatures } from '../vocoder/features.js';
import { createOpenedVocoder } from '../vocoder/opened-vocoder.js';
import { type Graph, graphOf, narrows, type Vocoder } from '../vocoder/vocoder.js';
import { createWholeVocoder } from '../vocoder/whole-vocoder.js';
import { longWindows, timelyWindows } from '../vocoder/windows.js';
import { acousticGraphs, graphName, runAcousticModel, runMelody } from './acoustic-model.js';
import { graphLoader } from './graph-loader.js';
import { cpuProvider, type Provider, withoutArena } from './provider.js';

export interface LoadedModel {
  readonly styles: Styles;
  /** `intone` is given the melody that the model has by itself. */
  acousticModel(
    tokens: readonly ReadingToken[],
    style: SpokenStyle,
    grant: StepGrant,
    intone?: Intone,
  ): Promise<SpokenFeatures>;
  /** The melody alone, which is about half of the acoustic model's work. */
  melody(tokens: readonly ReadingToken[], style: SpokenStyle, grant: StepGrant): Promise<Melody>;
  readonly vocoder: Vocoder;
}

export interface Sessions {
  /** The model with the weights of these voices; of the English ones where none are named. */
  model(model: BaseModel, group?: VoiceGroup): Promise<LoadedModel>;
  isLoaded(model: BaseModel, group: VoiceGroup): boolean;
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
  /** Seconds of work for a second of base-tts speech with all threads, if that was measured. */
  readonly realTimeFactor?: number | undefined;
  /** Nobody hears the speech while it is made. */
  readonly unheard?: boolean;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { modelDir, offline, provider, threadsWhenIdle = 0, vocoder, realTimeFactor, unheard = false } = options;
  const keptDir = path.join(modelDir, 'optimised');
  const isMultiThreaded = threadsWhenIdle > provider.threads;
  const idleProvider = isMultiThreaded ? cpuProvider(threadsWhenIdle, maySpin(threadsWhenIdle)) : undefined;
  /** By `graphName`. */
  const single = new AsyncMemo<string, InferenceSession>();
  const multi = new AsyncMemo<string, InferenceSession>();
  /** Open the single-threaded session beside each multi-threaded one. */
  const beside = new Map<string, () => Promise<InferenceSession>>();
  /** By `keyOf`. */
  const models = new AsyncMemo<string, LoadedModel>();
  const loadSingle = graphLoader(keptDir, provider);

  const openSingle = (file: string, part?: AcousticPart): Promise<InferenceSession> =>
    single.get(graphName(file, part), () =>
      loadSingle(file, part).catch((cause: unknown) => Promise.reject(loadFailed(file, cause))),
    );

  /** The multi-threaded session comes first: the first stream of a server has the machine alone. */
  async function graph(file: string, idle: Provider | undefined, part?: AcousticPart): Promise<Graph> {
    const open = () => openSingle(file, part);
    if (idle === undefined) return graphOf(await open());
    const name = graphName(file, part);
    const session = await multi.get(name, () => graphLoader(keptDir, idle)(file, part));
    beside.set(name, open);
    return {
      narrows: narrows(session),
      run: async (feeds, grant) => (grant.multiThreaded ? session : await open()).run(feeds),
      release: () => session.release(),
    };
  }

  // Light networks allocate in each run. Kokoro's generator uses so much that this would be felt.
  const lightIdle = idleProvider && withoutArena(idleProvider);

  async function load(model: BaseModel, group: VoiceGroup): Promise<LoadedModel> {
    const files = await ensureModel(model, { modelDir, offline });
    const styles = createStyles(files.stylesDir);
    const idle = files.model === 'base-tts-fast' ? lightIdle : idleProvider;
    const melody = await graph(files.acousticModel, idle, 'melody');
    const front = acousticGraphs(melody, await graph(files.acousticModel, idle, 'features'));
    return {
      styles,
      acousticModel: (tokens, style, grant, intone) => runAcousticModel(front, tokens, style, grant, intone),
      melody: (tokens, style, grant) => runMelody(melody, tokens, style, grant),
      vocoder: files.model === 'base-tts-fast' ? await lightVocoder(files, group) : await wholeVocoder(files, group),
    };
  }

  const lightVocoder = async ({ vocoder: files }: LightFiles, group: VoiceGroup): Promise<Vocoder> =>
    createFastVocoder(await graph(files[group], lightIdle), unheard ? longWindows : timelyWindows());

  async function wholeVocoder(files: KokoroFiles, group: VoiceGroup): Promise<Vocoder> {
    const whole = createWholeVocoder(await graph(generatorOf(files, vocoder), idleProvider));
    // Where nobody hears a beginning sooner, there is none to be made.
    if (unheard) return whole;
    const light = await lightVocoder(await ensureModel('base-tts-fast', { modelDir, offline }), group);
    return createOpenedVocoder(light, whole, realTimeFactor);
  }

  return {
    model: (model, group = 'english') => models.get(keyOf(model, group), () => load(model, group)),
    isLoaded: (model, group) => models.isReady(keyOf(model, group)),
    async openSingleThreaded() {
      for (const open of beside.values()) await open();
    },
    async close() {
      const open = [...(await single.settled()), ...(await multi.settled())];
      await Promise.all(open.map((session) => session.release()));
    },
  };
}

/** One for all voices that share a model's weights. */
export const keyOf = (model: BaseModel, group: VoiceGroup): string => `${model} ${group}`;

const loadFailed = (file: string, cause: unknown): TtsError =>
  new TtsError(
    'model_corrupt',
    `The model file ${file} could not be loaded: ${(cause as Error).message}. Run: tts models verify`,
    { cause },
  );

const generatorOf = (files: KokoroFiles, choice: SessionsOptions['vocoder']): string =>
  choice === 'quantised' ? files.generatorQuantised : files.generatorFloat;
