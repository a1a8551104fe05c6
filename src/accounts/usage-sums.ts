/** The ledger in sums, as the store gives them. */

/** What some requests came to. */
export interface UsageFigures {
  readonly requests: number;
  /** Requests that did not complete. */
  readonly unfinished: number;
  readonly characters: number;
  readonly deliveredCharacters: number;
  readonly credits: number;
  readonly audioMs: number;
}

/** What one key did with one model on one UTC day. */
export interface UsageSum extends UsageFigures {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly keyId: string;
  readonly model: string;
}

/** Lengths of time that usage is summed by, in UTC. */
export type UsageStep = 'minute' | 'hour' | 'day';

export interface UsageSeriesFilter {
  readonly keyId?: string | undefined;
  /** Inclusive, an ISO time; of `day`, a day. */
  readonly since: string;
  readonly step: UsageStep;
}

/** The same usage twice: over time, and by key. */
export interface UsageSeries {
  /** In order. `time` is the start of a step: 2026-03-01, 2026-03-01T10 or 2026-03-01T10:30. */
  readonly times: readonly (UsageFigures & { readonly time: string; readonly model: string })[];
  readonly keys: readonly (UsageFigures & { readonly keyId: string; readonly model: string })[];
}
