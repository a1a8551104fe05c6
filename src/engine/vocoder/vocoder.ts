/** What turns the front's output into samples: a seam with the whole-utterance vocoder and the one that runs in windows. */
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { StepGrant } from '../engine.js';

export type Feeds = Readonly<Record<string, Tensor>>;

/** A graph ready to run: with few threads, or with all that help where the grant is multi-threaded. The samples are the same. */
export interface Graph {
  run(feeds: Feeds, grant: StepGrant): Promise<Feeds>;
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

/** Samples of an utterance from the frame `from` on, in a buffer that may be changed. */
export interface Window {
  readonly from: number;
  readonly samples: Float32Array;
}

/** An utterance on its way through a vocoder. */
export interface Utterance {
  /** The first window reaches at least to this frame: whatever is looked for in it is looked for before, however long it is. */
  readonly openingTo: number;
  /** All of it has been run. */
  readonly ended: boolean;
  /** Runs the next window, which may be the longer the later it is due. The samples of all of them are the same. */
  next(grant: StepGrant): Promise<Window>;
}

export interface Vocoder {
  /** Only frames in [`from`, `to`) are wanted; the windows may cover more. */
  begin(front: FrontOutput, from: number, to: number): Utterance;
  release(): Promise<void>;
}
