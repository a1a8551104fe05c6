/** `Prefer: whole-sentences` (RFC 7240): no sentence is cut to be heard sooner. */

export const WHOLE_SENTENCES = 'whole-sentences';

/** Whether the header has this preference among others. */
export const prefersWholeSentences = (prefer: string | string[] | undefined): boolean =>
  [prefer].flat().some((line) => line?.split(',').some((part) => part.trim().toLowerCase() === WHOLE_SENTENCES));
