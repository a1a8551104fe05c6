/** What a process and the thread that makes one book say to each other. */
import type { SentencePlace } from '../protocol/delivery/delivery.js';
import type { ErrorCode } from '../protocol/errors.js';
import type { Language } from '../protocol/job.js';
import type { SpokenSentence } from './job-speaker.js';
import type { BookFacts, JobProgress } from './order.js';

interface Reading {
  readonly file: string;
  readonly notes: 'skip' | 'end';
  readonly skipBroken: boolean;
  readonly chapters?: string | undefined;
}

interface Speaker {
  readonly voice: string;
  readonly language: Language;
}

export type BookTask =
  /** Reads a book: `voices` by the language of the book, else `voice`. */
  | (Reading & {
      readonly type: 'read';
      readonly voice: Speaker;
      readonly voices: Readonly<Record<string, Speaker>>;
    })
  /** Makes it, going on where an earlier run broke. */
  | (Reading & {
      readonly type: 'make';
      readonly speaker: Speaker;
      readonly speed: number;
      /** Names a sentence with its text: everything that its sound depends on. */
      readonly sound: readonly unknown[];
      /** Sentences that are spoken at the same time. */
      readonly inFlight: number;
      /** Folder for the sentences that are made. */
      readonly keepIn: string;
      readonly output: string;
    });

/** The thread's. */
export type ThreadMessage =
  | { readonly type: 'read'; readonly facts: BookFacts }
  | {
      readonly type: 'speak';
      readonly number: number;
      readonly text: string;
      readonly ssml: boolean;
      readonly place?: SentencePlace | undefined;
    }
  | { readonly type: 'progress'; readonly progress: Omit<JobProgress, 'leftMs'> & { readonly newCharacters: number } }
  | { readonly type: 'made'; readonly characters: number; readonly audioMs: number }
  | { readonly type: 'failed'; readonly code: ErrorCode | undefined; readonly message: string };

/** The process's answer to `speak`. A failure ends the whole book, and needs no answer. */
export interface SpokenMessage extends SpokenSentence {
  readonly number: number;
}
