/** How long the first piece of a text may be on this machine: a longer one sounds better, a shorter one is heard sooner. */
import type { BaseModel } from '../protocol/job.js';

/** Characters of a first piece that is there in time. Settled by the first that asks, so that one text is cut one way. */
export type FirstPieces = (model: BaseModel) => Promise<number>;

/** What the first sound may wait for the length of its piece: nobody hears it. */
const UNHEARD_MS = 50;
const SPOKEN_MS_PER_CHAR = 65;
/** Coarse, so that machines of a kind cut alike. */
const STEP_CHARS = 40;

/**
 * From seconds of work before the first sound, for a second of the piece's speech. 0 where it is not known, or where not even a
 * step is there in time: then it is the first clause.
 */
export function firstPieceChars(workFactor: number | undefined): number {
  if (workFactor === undefined || workFactor <= 0) return 0;
  return Math.floor(UNHEARD_MS / (workFactor * SPOKEN_MS_PER_CHAR) / STEP_CHARS) * STEP_CHARS;
}
