/**
 * How a request of the request log ended. `refused`: turned away before any speech was made for it.
 */
export const REQUEST_OUTCOMES = ['completed', 'failed', 'cancelled', 'refused'] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];
