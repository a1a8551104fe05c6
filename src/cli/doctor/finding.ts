/** What a check of `tts doctor` is and finds. */
import type { Config } from '../../config.js';

export interface Finding {
  readonly what: string;
  readonly state: 'fine' | 'note' | 'broken';
  readonly found: string;
  /** What to do about it, where something is to be done. */
  readonly advice?: string;
}

export type Examine = (config: Config, signal: AbortSignal) => Promise<Finding | undefined>;
