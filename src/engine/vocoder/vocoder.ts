/**
 * The vocoder's seam: Kokoro's runs a whole utterance at once, the light one runs it in windows.
 */
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { StepGrant } from '../engine.js';
import type { AcousticFeatures } from './features.js';

export type Feeds = Readonly<Record<string, Tensor>>;

/**
 * A graph that is ready to run, with as many threads as the grant allows; the samples are the same.
 */
export interface Graph {
  /** Whether it is told how much of a window is context (`graphs/narrowed.ts`). */
  readonly narrows?: boolean;
  run(feeds: Feeds, grant: StepGrant): Promise<Feeds>;
  release(): Promise<void>;
}

export const narrows = ({ inputNames }: InferenceSession): boolean => inputNames.includes('head');

export const graphOf = (session: InferenceSession): Graph => ({
  narrows: narrows(session),
  run: (feeds) => session.run(feeds),
  release: () => session.release(),
});

/** Samples of an utterance from the frame `from` on. The caller may change the buffer. */
export interface Window {
  readonly from: number;
  readonly samples: Float32Array;
}

/** An utterance on its way through a vocoder. */
export interface Utterance {
  /**
   * A search for the beginning of the voice ends at this frame, so that its result does not depend
   * on how long the first windows were.
   */
  readonly openingTo: number;
  /** Whether all windows have been run. */
  readonly ended: boolean;
  /** Runs the next window. How long it is may depend on the grant; the joined samples do not. */
  next(grant: StepGrant): Promise<Window>;
}

/** How an utterance is heard. */
export interface Hearing {
  /** How many times faster than it is made; 1 where left out. */
  readonly pace?: number;
  /** A listener waits for its first sound. */
  readonly awaited?: boolean;
}

export interface Vocoder {
  /** Only frames in [`from`, `to`) are wanted; the windows may cover more. */
  begin(features: AcousticFeatures, from: number, to: number, hearing?: Hearing): Utterance;
  release(): Promise<void>;
}
