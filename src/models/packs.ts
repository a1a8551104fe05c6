/** Model packs on disk: what is there, what is missing, and how it comes to be there. */
import type { BaseModel } from '../protocol/job.js';

/**
 * Absolute paths of everything a model consists of. The boundary tensors have the same names in all graphs:
 * `input_ids` [1,n] int64, `style` [1,256], `speed` [1] → front → `x` [1,512,t], `f0` [1,1,t], `s` [1,128] and
 * `durations` [1,n] (frames of 600 samples a token, pads included) → generator → `waveform`, 300 samples for each t.
 */
export interface ModelFiles {
  readonly model: BaseModel;
  /** Front, 8-bit weights: `input_ids`, `style`, `speed` → `x`, `f0`, `s`, `durations`. The CPU's choice. */
  readonly frontQuantised: string;
  /** The same in float32, for GPUs; made for base-tts only. */
  readonly frontFloat: string | undefined;
  /** Kokoro's generator: `x`, `f0`, `s` → `waveform`. Which of the two is faster depends on the CPU. base-tts only. */
  readonly generatorFloat: string | undefined;
  readonly generatorQuantised: string | undefined;
  /** The undivided model: `input_ids`, `style`, `speed` → `waveform`, `durations`. base-tts only. */
  readonly wholeQuantised: string | undefined;
  /** The light generator; base-tts-fast only, and undefined as long as it speaks with base-tts's weights. */
  readonly fastGenerator: string | undefined;
  /** One `<style>.bin` a style: float32, 510 rows of 256, row = tokens without pads. */
  readonly stylesDir: string;
  readonly tokenizer: string;
}

export type PullStage = 'wait' | 'download' | 'verify' | 'prepare';

export interface PullProgress {
  readonly stage: PullStage;
  /** Of the download, in bytes; of the preparation, in graphs. 0 of 0 while waiting. */
  readonly done: number;
  readonly total: number;
  /** For people: where from, whom we wait for, which graph. */
  readonly detail: string;
}

export interface EnsureOptions {
  readonly modelDir: string;
  readonly offline?: boolean;
  readonly onProgress?: (progress: PullProgress) => void;
  readonly signal?: AbortSignal;
}

/** The files of a model, ready to be loaded; what is missing is fetched and made first. */
export async function ensureModel(_model: BaseModel, _options: EnsureOptions): Promise<ModelFiles> {
  throw new Error('being written');
}
