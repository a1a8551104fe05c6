/** How long the first piece of a text may be: longer sounds better, shorter is heard sooner. */
import type { BaseModel } from '../protocol/job.js';
import { FIRST_PIECE, MS_PER_CHAR } from './tuning.js';

/** Characters of a first piece that is made in time; settled once, so a text is cut one way. */
export type FirstPieces = (model: BaseModel) => Promise<number>;

/**
 * `workFactor` is seconds of work before the first audio for a second of the piece's speech. The
 * result is 0, which means the first clause, where it is unknown or too slow for a single step.
 */
export function firstPieceChars(workFactor: number | undefined): number {
  if (workFactor === undefined || workFactor <= 0) return 0;
  const { unheardMs, stepChars } = FIRST_PIECE;
  return Math.floor(unheardMs / (workFactor * MS_PER_CHAR.firstPiece) / stepChars) * stepChars;
}
