/** The seam where samples leave the program: a sound device, a file, a pipe, or nowhere. */

export interface AudioSink {
  /** Takes the samples in order; resolves when it wants more. */
  write(pcm: Int16Array, signal: AbortSignal): Promise<void>;
  /** Resolves when everything written was heard, or lies complete where it belongs. */
  finish(signal: AbortSignal): Promise<void>;
  /** Stops at once and leaves nothing behind that looks whole. May be called at any time, also twice. */
  discard(): Promise<void>;
  /** Samples that were heard; where nothing is heard, samples that were taken. */
  readonly heardSamples: number;
}
