/** Something said: its text, its audio, and when each word is heard; now, or kept from before. */
import type { ReadonlySignal } from '@preact/signals';
import type { Recording } from '../../audio/recording.js';
import type { Alignment } from '../../client/types.js';
import type { WordClock } from '../text/words.js';

export interface TimedAlignment {
  readonly alignment: Alignment;
  /** Samples before the message that carried it. */
  readonly offset: number;
}

export interface Said {
  readonly voice: string;
  readonly model: string;
  /** The whole text, of which the part behind `clock.from` is spoken. */
  readonly text: ReadonlySignal<string>;
  readonly recording: Recording;
  readonly clock: WordClock;
  readonly alignments: readonly TimedAlignment[];
  readonly error: ReadonlySignal<Error | undefined>;
  /** All audio came: nothing failed and nobody ended it before. */
  readonly isWhole: ReadonlySignal<boolean>;
  /** Click to first sample, in milliseconds. */
  readonly firstMs: ReadonlySignal<number | undefined>;
  /** Seconds from the text being sent to its audio, for a second of audio. */
  readonly realTimeFactor: ReadonlySignal<number | undefined>;
  /** Ends the request, if there is one; audio that came stays. */
  cancel(): void;
}
