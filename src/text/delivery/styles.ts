/**
 * The styles, as one table. What they aim at, in words a minute: readers of radio news are advised
 * 160 to 180, and the BBC's keep to it (Rodero 2012, "A comparative analysis of speech rate and
 * perception in radio bulletins"); narrators of audiobooks read 150 to 160. The voices have about
 * 206 of their own.
 */
import type { DeliveryStyle } from '../../protocol/delivery/delivery.js';

interface StyleRow {
  /** Times the pace of the voice. */
  readonly rate: number;
  /** Times the rests of `rests.ts`. */
  readonly rests: number;
  /**
   * Standard deviation of a rest's logarithm around what its place asks for: durations of pauses
   * are spread evenly on a logarithmic scale (Campione & Véronis 2002, "A large-scale multilingual
   * study of silent pause duration"; Demol et al. 2007, in six languages and at three paces).
   */
  readonly spread: number;
  /** Times the movement of the pitch. */
  readonly range: number;
  /** Times the changes of pitch and pace by a sentence's place in its paragraph (`context.ts`). */
  readonly depth: number;
}

/** `plain` has no row: the voice as it is, with rests of one length. */
export const STYLES: Readonly<Record<Exclude<DeliveryStyle, 'plain'>, StyleRow>> = {
  narration: { rate: 0.92, rests: 1.15, spread: 0.26, range: 1.05, depth: 1 },
  assistant: { rate: 1, rests: 0.9, spread: 0.2, range: 1, depth: 0.7 },
  news: { rate: 0.96, rests: 0.8, spread: 0.15, range: 1.12, depth: 0.8 },
};
