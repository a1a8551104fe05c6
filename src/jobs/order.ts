/** What a job is to say and how, and what reading its source told. Kept as JSON in its row. */
import type { SpeechModel } from '../protocol/contract.js';
import type { Language } from '../protocol/job.js';
import type { JobFormat } from '../protocol/jobs/names.js';

/** What a client asks for. */
export interface JobOrder {
  readonly model: SpeechModel;
  /** The default voice of the book's language where it is left out. */
  readonly voice?: string | undefined;
  readonly speed: number;
  readonly format: JobFormat;
  readonly chapters?: string | undefined;
  readonly notes: 'skip' | 'end';
  readonly skipBroken: boolean;
  readonly webhook?: { readonly url: string; readonly secret?: string | undefined } | undefined;
}

/** What the book is, once it has been read. */
export interface BookFacts {
  readonly title: string;
  readonly author: string | null;
  readonly voice: string;
  /** What the voice reads in. */
  readonly language: Language;
  /** Code points of all sentences of the chapters that are made. */
  readonly characters: number;
  readonly chapters: readonly { readonly title: string; readonly characters: number }[];
  /** Some text of the book, to tell whether the voice can read it. */
  readonly sample: string;
}

/** What a job's row keeps. */
export interface KeptOrder
  extends Omit<JobOrder, 'webhook' | 'voice' | 'chapters'>,
    Omit<BookFacts, 'sample' | 'characters'> {
  /** The chapters that were asked for, as they were written. */
  readonly range?: string | undefined;
  /** The name of the source within the job's folder. */
  readonly source: string;
}

export interface JobProgress {
  readonly characters: number;
  readonly audioMs: number;
  /** Title of the chapter that is being made. */
  readonly chapter: string | null;
  /** Estimate of the time left; null until some of it was made. */
  readonly leftMs: number | null;
}

/** A finished file. */
export interface JobResult {
  /** Its name within the job's folder. */
  readonly file: string;
  readonly bytes: number;
}
