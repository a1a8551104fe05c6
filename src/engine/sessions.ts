/** The graphs of the models as sessions, loaded when first needed, shared where two models have one in common. */
import path from 'node:path';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { ensureModel, type ModelFiles } from '../models/packs.js';
import { TtsError } from '../protocol/errors.js';
import type { BaseModel } from '../protocol/job.js';
import type { ReadingToken } from '../text/types.js';
import { createFastGenerator } from './fast.js';
import type { FrontOutput, Generator } from './generator.js';
import { graphLoader } from './graph-loader.js';
import { type Provider, unavailable } from './provider.js';
import { createStyles, type SpokenStyle, STYLE_SIZE, type Styles } from './styles.js';
import { createWholeGenerator } from './whole-generator.js';

export interface LoadedModel {
  readonly styles: Styles;
  front(tokens: readonly ReadingToken[], style: SpokenStyle): Promise<FrontOutput>;
  readonly generator: Generator;
}

export interface Sessions {
  model(model: BaseModel): Promise<LoadedModel>;
  close(): Promise<void>;
}

export interface SessionsOptions {
  readonly modelDir: string;
  readonly offline: boolean;
  readonly provider: Provider;
  /** Which of Kokoro's generators is the faster one here. */
  readonly generator: 'float' | 'quantised';
}

export function createSessions({ modelDir, offline, provider, generator }: SessionsOptions): Sessions {
  const sessions = new Map<string, Promise<InferenceSession>>();
  const loadGraph = graphLoader(path.join(modelDir, 'optimised'), provider);
  const models = new Map<BaseModel, Promise<LoadedModel>>();

  function open(file: string): Promise<InferenceSession> {
    let session = sessions.get(file);
    if (!session) {
      session = loadGraph(file).catch((cause: unknown) => {
        sessions.delete(file);
        if (provider.device !== 'cpu') throw unavailable(provider.device, cause);
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
    const files = await ensureModel(model, { modelDir, offline, gpu: provider.wantsFloat });
    const front = await open(frontFile(files, provider));
    const back = await open(generatorFile(files, provider, generator));
    return {
      styles: createStyles(files.stylesDir),
      front: (tokens, style) => runFront(front, tokens, style),
      generator: files.fastGenerator ? createFastGenerator(back) : createWholeGenerator(back),
    };
  }

  return {
    model(model) {
      let loaded = models.get(model);
      if (!loaded) {
        loaded = load(model);
        models.set(model, loaded);
        // What could not be loaded is tried again by the next job: the model may have been pulled meanwhile.
        loaded.catch(() => models.delete(model));
      }
      return loaded;
    },
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

function generatorFile(files: ModelFiles, provider: Provider, choice: 'float' | 'quantised'): string {
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
