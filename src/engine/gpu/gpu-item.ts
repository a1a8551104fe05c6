/** What the GPU is given. */
import type { VoiceGroup } from '../../models/model-files.js';
import type { Packed } from '../graphs/packed.js';

/** The light vocoder's graph of each group of voices. */
export const LIGHT = { english: 'light', others: 'light-others' } as const satisfies Record<VoiceGroup, string>;
export type LightVocoder = (typeof LIGHT)[VoiceGroup];

export const isLight = (graph: GpuItem['graph']): graph is LightVocoder =>
  graph === 'light' || graph === 'light-others';

/**
 * A window of the light vocoder for English voices or for others, an utterance of its acoustic
 * model, or an utterance for Kokoro's generator.
 */
export interface GpuItem {
  readonly graph: 'whole' | LightVocoder | 'frames';
  readonly feeds: Packed;
}
