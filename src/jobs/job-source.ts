/** The source of a job: its name, and what the files of the job are going to take. */
import path from 'node:path';
import { bytesPerSecond } from '../audio/format.js';
import type { JobOrder } from './order.js';

/** A source that lies in its job's folder. */
export interface JobSource {
  readonly id: string;
  /** Its name within the folder. */
  readonly name: string;
  readonly bytes: number;
}

/** Characters that are read in a second, on average. */
const CHARS_PER_S = 15;
/** Kept sentences: about half of 48,000 bytes for a second of speech. */
const KEPT_BYTES_PER_S = 28_000;

/** What the files of a job take while it is made, without its source. */
export function estimatedBytes({ format, speed }: JobOrder, characters: number): number {
  const soundBytes = bytesPerSecond(format === 'epub' ? 'm4a' : format);
  return Math.ceil((characters / CHARS_PER_S / speed) * (soundBytes + KEPT_BYTES_PER_S));
}

/** The name of a source in its job's folder, and the title of a text that has none. */
export function sourceName(filename: string | undefined, ending: string): string {
  const safe = path
    .parse(filename ?? '')
    .name.replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .replace(/^[.\s]+/, '')
    .slice(0, 60)
    .trim();
  return `${safe || 'Speech'}${ending}`;
}
