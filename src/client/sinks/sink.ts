/** Where samples leave the program: a sound device, a file or a pipe. */

export interface AudioSink {
  /** Takes samples in order. Resolves when it can take more. */
  write(pcm: Int16Array, signal: AbortSignal): Promise<void>;
  /** Resolves when everything was heard, or is complete in its place. */
  finish(signal: AbortSignal): Promise<void>;
  /** Stops at once and leaves no incomplete file. May be called at any time, also twice. */
  discard(): Promise<void>;
  /** Samples that were heard or, where nothing is played, taken. */
  readonly heardSamples: number;
}
