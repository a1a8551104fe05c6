/**
 * The files of each model, as absolute paths.
 *
 * A model is two graphs. The acoustic model turns phonemes and a style into features; Kokoro's is
 * called its front. The vocoder turns features into samples; Kokoro's is called its generator. The
 * tensors between them have the same names in all graphs: `input_ids` [1,n] int64, `style` [1,256],
 * `speed` [1] → acoustic model → `x` [1,512,t], `f0` [1,1,t], `s` [1,128] and `durations` [1,n]
 * (steps of 600 samples for each token, pads included) → vocoder → `waveform` [1, 300·t]. An
 * acoustic model is opened in two parts (`onnx/acoustic-parts.ts`).
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { TtsError } from '../protocol/errors.js';
import type { StyleShare } from '../protocol/job.js';
import type { FileRecord, GraphName, ModelManifest, OwnFile } from './manifest.js';
import { graphFile } from './pack-record.js';

/** The published graph, the one file of a pack that graphs are made from. */
export const PUBLISHED = 'kokoro-quantized.onnx';

interface CommonFiles {
  /** With 8-bit weights. */
  readonly acousticModel: string;
  /**
   * The undivided graph as published: `input_ids`, `style`, `speed` → `waveform`. For comparisons.
   */
  readonly published: string;
  /** One `<style>.bin` for each style: float32, 510 rows of 256, row = tokens without pads. */
  readonly stylesDir: string;
  readonly tokenizer: string;
}

/** Kokoro whole. */
export interface KokoroFiles extends CommonFiles {
  readonly model: 'base-tts';
  /** Its generator in two forms; which of them is faster depends on the CPU. */
  readonly generatorFloat: string;
  readonly generatorQuantised: string;
  /** Present where they were asked for. */
  readonly gpu?: KokoroGpuFiles;
}

/** Kokoro's generator in two parts. */
interface KokoroGpuFiles {
  /** The harmonic source, which runs on the CPU: `f0` → `source` [1,22,60·t+1]. */
  readonly source: string;
  /** The rest, for the GPU: `x`, `s`, `source` → `waveform`, in float32 and float16. */
  readonly generatorFloat: string;
  readonly generatorHalf: string;
}

/** The light vocoder has one set of weights for English voices and one for all other voices. */
export type VoiceGroup = 'english' | 'others';

/** Names of Kokoro's English styles, as `af_heart`. */
const ENGLISH_STYLE = /^[ab][fm]_/;

export function groupOf(mix: readonly StyleShare[]): VoiceGroup {
  const english = mix.reduce((sum, { style, weight }) => sum + (ENGLISH_STYLE.test(style) ? weight : -weight), 0);
  return english >= 0 ? 'english' : 'others';
}

/** A file for each group of voices. */
type ByGroup = Readonly<Record<VoiceGroup, string>>;

/** A light acoustic model and a light vocoder, which come with the package. */
export interface LightFiles extends CommonFiles {
  readonly model: 'base-tts-fast';
  readonly vocoder: ByGroup;
  /** Present where they were asked for. */
  readonly gpu?: LightGpuFiles;
}

interface LightGpuFiles {
  /**
   * The vocoder for many windows in one run, with float products and with those of tensor cores.
   */
  readonly vocoder: ByGroup;
  readonly vocoderBlocks: ByGroup;
  /** The acoustic model behind its melody, for many utterances in one run. */
  readonly frames: string;
}

export type ModelFiles = KokoroFiles | LightFiles;

/** The files of a model whose graphs for a GPU were asked for. */
export type GpuModelFiles =
  | (KokoroFiles & Required<Pick<KokoroFiles, 'gpu'>>)
  | (LightFiles & Required<Pick<LightFiles, 'gpu'>>);

export interface FilesOfModel {
  readonly 'base-tts': KokoroFiles;
  readonly 'base-tts-fast': LightFiles;
}

interface Folders {
  /** The pack's folder. */
  readonly dir: string;
  /** The folder of the manifests, beside which the package's own weights lie. */
  readonly manifestDir: string;
}

export function modelFiles(manifest: ModelManifest, { dir, manifestDir }: Folders, gpu: boolean): ModelFiles {
  const graph = (name: GraphName): string => path.join(dir, graphFile(name));
  const common = {
    published: path.join(dir, PUBLISHED),
    stylesDir: path.join(dir, 'styles'),
    tokenizer: path.join(dir, 'tokenizer.json'),
  };
  if (manifest.name === 'base-tts') {
    return {
      ...common,
      model: manifest.name,
      acousticModel: graph('front-quantised'),
      generatorFloat: graph('generator-float'),
      generatorQuantised: graph('generator-quantised'),
      ...(gpu && {
        gpu: {
          source: graph('source'),
          generatorFloat: graph('generator-gpu'),
          generatorHalf: graph('generator-gpu-half'),
        },
      }),
    };
  }
  return {
    ...common,
    model: manifest.name,
    acousticModel: ownFile(manifest, 'front', manifestDir),
    vocoder: {
      english: ownFile(manifest, 'generator', manifestDir),
      others: ownFile(manifest, 'generatorOthers', manifestDir),
    },
    ...(gpu && {
      gpu: {
        vocoder: { english: graph('light-gpu'), others: graph('light-gpu-others') },
        vocoderBlocks: { english: graph('light-blocks'), others: graph('light-blocks-others') },
        frames: graph('light-frames'),
      },
    }),
  };
}

/** A graph that comes with the package. */
function ownFile(manifest: ModelManifest, name: OwnFile, manifestDir: string): string {
  const record: FileRecord | undefined = manifest[name];
  if (record === undefined) {
    throw new TtsError(
      'model_corrupt',
      `The manifest of ${manifest.name} names no ${name}. Install the package again.`,
    );
  }
  const file = path.resolve(manifestDir, record.path);
  if (existsSync(file)) return file;
  throw new TtsError('model_missing', `The package lacks ${file}. Install it again.`);
}
