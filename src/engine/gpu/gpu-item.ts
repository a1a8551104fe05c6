/** What the GPU is given. */
import type { Packed } from '../graphs/graph-threads.js';

/**
 * A window of the light vocoder, an utterance of its acoustic model, or an utterance for Kokoro's
 * generator.
 */
export interface GpuItem {
  readonly graph: 'whole' | 'light' | 'frames';
  readonly feeds: Packed;
}
