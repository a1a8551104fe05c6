/** What turns the front's output into samples: a seam with the whole-utterance vocoder and the one that runs in windows. */
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Grant } from './engine.js';

export type Feeds = Readonly<Record<string, Tensor>>;

/** A graph ready to run: with few threads, or with all that help where the grant is wide. The samples are the same. */
export interface Graph {
  run(feeds: Feeds, grant: Grant): Promise<Feeds>;
  release(): Promise<void>;
}

export const graphOf = (session: InferenceSession): Graph => ({
  run: (feeds) => session.run(feeds),
  release: () => session.release(),
});

/** One utterance after the front: `frames` frames of 300 samples. */
export interface FrontOutput {
  readonly x: Tensor;
  readonly f0: Tensor;
  readonly s: Tensor;
  readonly frames: number;
  /** One a token and one for each pad, in steps of 600 samples. */
  readonly durations: Float32Array;
}

export interface FrameRange {
  readonly from: number;
  readonly to: number;
}

/** An utterance on its way through a vocoder. */
export interface Utterance {
  /** What is to be run, in order; it depends on the frames wanted alone. */
  readonly windows: readonly FrameRange[];
  /** The samples of one window, in a buffer that may be changed. */
  run(window: FrameRange, grant: Grant): Promise<Float32Array>;
}

export interface Vocoder {
  /** Only frames in [`from`, `to`) are wanted; the windows may cover more. */
  begin(front: FrontOutput, from: number, to: number): Utterance;
  release(): Promise<void>;
}
