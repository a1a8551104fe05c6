/** The graphs of the models as sessions, loaded when first needed, shared where two models have one in common. */
import path from 'node:path';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { ensureModel, type ModelFiles } from '../models/packs.js';
import { isGpu } from '../protocol/device.js';
import { TtsError } from '../protocol/errors.js';
import type { BaseModel } from '../protocol/job.js';
import type { ReadingToken } from '../text/types.js';
import { createFastVocoder } from './fast-vocoder.js';
import { graphLoader } from './graph-loader.js';
import { cpuProvider, type Provider, unavailable } from './provider.js';
import { createStyles, type SpokenStyle, STYLE_SIZE, type Styles } from './styles.js';
import type { FrontOutput, Vocoder } from './vocoder.js';
import { createWholeVocoder } from './whole-vocoder.js';

export interface LoadedModel {
  readonly styles: Styles;
  front(tokens: readonly ReadingToken[], style: SpokenStyle): Promise<FrontOutput>;
  readonly vocoder: Vocoder;
}

export interface Sessions {
  model(model: BaseModel): Promise<LoadedModel>;
  isLoaded(model: BaseModel): boolean;
  close(): Promise<void>;
}

export interface SessionsOptions {
  readonly modelDir: string;
  readonly offline: boolean;
  readonly provider: Provider;
  /** Where the device was not asked for by name: goes on with the CPU if it fails, and says so. */
  readonly onFallback?: (cause: unknown) => void;
  /** Which of Kokoro's vocoders is the faster one here. */
  readonly vocoder: 'float' | 'quantised';
}

export function createSessions({ modelDir, offline, provider, vocoder, onFallback }: SessionsOptions): Sessions {
  const sessions = new Map<string, Promise<InferenceSession>>();
  const cpu = cpuProvider(provider.threads);
  const keptDir = path.join(modelDir, 'optimised');
  const loadOn = { device: graphLoader(keptDir, provider), cpu: graphLoader(keptDir, cpu) };
  const models = new Map<BaseModel, Promise<LoadedModel>>();
  const loadedModels = new Set<BaseModel>();

  function open(file: string, on: Provider): Promise<InferenceSession> {
    let session = sessions.get(file);
    if (!session) {
      session = (on === cpu ? loadOn.cpu : loadOn.device)(file).catch((cause: unknown) => {
        if (isGpu(on.device) && onFallback) {
          onFallback(cause);
          return loadOn.cpu(file);
        }
        sessions.delete(file);
        if (isGpu(on.device)) throw unavailable(on.device, cause);
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

  async function load(model: BaseModel): Promise<LoadedModel> {
    // The light model is made of integer operators, which no GPU runs, and needs none.
    const on = model === 'base-tts-fast' ? cpu : provider;
    const files = await ensureModel(model, { modelDir, offline, gpu: on.wantsFloat });
    const front = await open(frontFile(files, on), on);
    const back = await open(vocoderFile(files, on, vocoder), on);
    return {
      styles: createStyles(files.stylesDir),
      front: (tokens, style) => runFront(front, tokens, style),
      vocoder: files.fastGenerator ? createFastVocoder(back) : createWholeVocoder(back),
    };
  }

  return {
    model(model) {
      let loaded = models.get(model);
      if (!loaded) {
        loaded = load(model);
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
    async close() {
      const open = await Promise.allSettled(sessions.values());
      await Promise.all(open.map((session) => session.status === 'fulfilled' && session.value.release()));
    },
  };
}

function present(file: string | undefined, files: ModelFiles): string {
  if (file) return file;
  throw new TtsError('model_missing', `The model ${files.model} lacks a graph. Run: tts models pull ${files.model}`);
}

const frontFile = (files: ModelFiles, provider: Provider): string =>
  provider.wantsFloat ? present(files.frontFloat, files) : files.frontQuantised;

function vocoderFile(files: ModelFiles, provider: Provider, choice: 'float' | 'quantised'): string {
  if (files.fastGenerator) return files.fastGenerator;
  const quantised = choice === 'quantised' && !provider.wantsFloat;
  return present(quantised ? files.generatorQuantised : files.generatorFloat, files);
}

export async function runFront(
  session: InferenceSession,
  tokens: readonly ReadingToken[],
  { style, speed }: SpokenStyle,
): Promise<FrontOutput> {
  const ids = new BigInt64Array(tokens.length + 2);
  for (const [i, { id }] of tokens.entries()) ids[i + 1] = BigInt(id);
  const { x, f0, s, durations } = await session.run({
    input_ids: new Tensor('int64', ids, [1, ids.length]),
    style: new Tensor('float32', style, [1, STYLE_SIZE]),
    speed: new Tensor('float32', Float32Array.of(speed), [1]),
  });
  return { x: x!, f0: f0!, s: s!, frames: x!.dims[2]!, durations: durations!.data as Float32Array };
}
