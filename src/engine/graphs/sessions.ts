/** The graphs of the models as sessions, loaded when first needed, shared where two models have one in common. */
import path from 'node:path';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { ensureModel, type ModelFiles } from '../../models/packs.js';
import { TtsError } from '../../protocol/errors.js';
import type { BaseModel } from '../../protocol/job.js';
import type { ReadingToken } from '../../text/types.js';
import type { StepGrant } from '../engine.js';
import { maySpin } from '../measure/machine.js';
import { createStyles, type SpokenStyle, STYLE_SIZE, type Styles } from '../styles.js';
import { createFastVocoder } from '../vocoder/fast-vocoder.js';
import { type FrontOutput, type Graph, graphOf, type Vocoder } from '../vocoder/vocoder.js';
import { createWholeVocoder } from '../vocoder/whole-vocoder.js';
import { timelyWindows } from '../vocoder/windows.js';
import { graphLoader } from './graph-loader.js';
import { cpuProvider, type Provider, thrifty } from './provider.js';

export interface LoadedModel {
  readonly styles: Styles;
  front(tokens: readonly ReadingToken[], style: SpokenStyle, grant: StepGrant): Promise<FrontOutput>;
  readonly vocoder: Vocoder;
}

export interface Sessions {
  model(model: BaseModel): Promise<LoadedModel>;
  isLoaded(model: BaseModel): boolean;
  /** Loads what turns with few threads need of the models that are loaded, where only the wide sessions were loaded so far. */
  narrow(): Promise<void>;
  close(): Promise<void>;
}

export interface SessionsOptions {
  readonly modelDir: string;
  readonly offline: boolean;
  readonly provider: Provider;
  /** Threads of a second session of each graph on the CPU, for turns that have the machine to themselves; 0 for none. */
  readonly wideThreads?: number;
  /** Which of Kokoro's vocoders is the faster one here. */
  readonly vocoder: 'float' | 'quantised';
}

export function createSessions(options: SessionsOptions): Sessions {
  const { modelDir, offline, provider, wideThreads = 0, vocoder } = options;
  const sessions = new Map<string, Promise<InferenceSession>>();
  const wide = wideThreads > provider.threads ? cpuProvider(wideThreads, maySpin(wideThreads)) : undefined;
  const keptDir = path.join(modelDir, 'optimised');
  const load = graphLoader(keptDir, provider);
  /** By file: the few graphs that have a wide session. */
  const widened = new Map<string, Promise<InferenceSession>>();
  const models = new Map<BaseModel, Promise<LoadedModel>>();
  const loadedModels = new Set<BaseModel>();

  function open(file: string): Promise<InferenceSession> {
    let session = sessions.get(file);
    if (!session) {
      session = load(file).catch((cause: unknown) => {
        sessions.delete(file);
        throw new TtsError(
          'model_corrupt',
          `The model file ${file} could not be loaded: ${(cause as Error).message}. Run: tts models verify`,
          { cause },
        );
      });
      sessions.set(file, session);
    }
    return session;
  }

  /** Where there is a wide session it comes first: the first listener of a server is alone. */
  async function graph(file: string, wide: Provider | undefined): Promise<Graph> {
    if (wide === undefined) return graphOf(await open(file));
    let wider = widened.get(file);
    if (!wider) {
      wider = graphLoader(keptDir, wide)(file);
      widened.set(file, wider);
      wider.catch(() => widened.delete(file));
    }
    const session = await wider;
    return {
      run: async (feeds, grant) => (grant.multiThreaded ? session : await open(file)).run(feeds),
      release: () => session.release(),
    };
  }

  async function loadModel(model: BaseModel): Promise<LoadedModel> {
    const files = await ensureModel(model, { modelDir, offline });
    // Beside the narrow sessions, which keep theirs. Kokoro's own vocoder has so much of it that fetching it each time would be felt.
    const light = files.fastGenerator !== undefined;
    const wider = wide && light ? thrifty(wide) : wide;
    const front = await graph(files.front, wider);
    const back = await graph(vocoderFile(files, vocoder), wider);
    return {
      styles: createStyles(files.stylesDir),
      front: (tokens, style, grant) => runFront(front, tokens, style, grant),
      vocoder: light ? createFastVocoder(back, timelyWindows()) : createWholeVocoder(back),
    };
  }

  return {
    model(model) {
      let loaded = models.get(model);
      if (!loaded) {
        loaded = loadModel(model);
        models.set(model, loaded);
        // What could not be loaded is tried again by the next job: the model may have been pulled meanwhile.
        loaded.then(
          () => loadedModels.add(model),
          () => models.delete(model),
        );
      }
      return loaded;
    },
    isLoaded: (model) => loadedModels.has(model),
    async narrow() {
      for (const file of widened.keys()) await open(file);
    },
    async close() {
      const open = await Promise.allSettled([...sessions.values(), ...widened.values()]);
      await Promise.all(open.map((session) => session.status === 'fulfilled' && session.value.release()));
    },
  };
}

function present(file: string | undefined, files: ModelFiles): string {
  if (file) return file;
  throw new TtsError('model_missing', `The model ${files.model} lacks a graph. Run: tts models pull ${files.model}`);
}

const vocoderFile = (files: ModelFiles, choice: 'float' | 'quantised'): string =>
  files.fastGenerator ?? present(choice === 'quantised' ? files.generatorQuantised : files.generatorFloat, files);

export async function runFront(
  graph: Graph,
  tokens: readonly ReadingToken[],
  { style, speed }: SpokenStyle,
  grant: StepGrant,
): Promise<FrontOutput> {
  const ids = new BigInt64Array(tokens.length + 2);
  for (const [i, { id }] of tokens.entries()) ids[i + 1] = BigInt(id);
  const feeds = {
    input_ids: new Tensor('int64', ids, [1, ids.length]),
    style: new Tensor('float32', style, [1, STYLE_SIZE]),
    speed: new Tensor('float32', Float32Array.of(speed), [1]),
  };
  const { x, f0, s, durations } = await graph.run(feeds, grant);
  return { x: x!, f0: f0!, s: s!, frames: x!.dims[2]!, durations: durations!.data as Float32Array };
}
