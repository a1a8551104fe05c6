/** `Prefer: whole-sentences` (RFC 7240): streamed to be written down, not heard, so no sentence is cut to be heard sooner. */

export const WHOLE_SENTENCES = 'whole-sentences';

/** Whether the header asks for it, among whatever else it asks for. */
export const prefersWholeSentences = (prefer: string | string[] | undefined): boolean =>
  [prefer].flat().some((line) => line?.split(',').some((part) => part.trim().toLowerCase() === WHOLE_SENTENCES));
