/** The rows of jobs, and what a store does with them. */
import type { Outcome } from '../types.js';

/**
 * `new` until its credits are reserved, `ending` until they are settled. From each of the two the
 * next server goes on where one broke off.
 */
type JobState = 'new' | 'queued' | 'running' | 'ending' | 'ended';
type WebhookState = 'waiting' | 'due' | 'delivered' | 'failed';

export interface JobRow {
  readonly seq: number;
  readonly id: string;
  readonly key_id: string;
  readonly reservation_id: string;
  /** Names the folder that holds its files: a server takes jobs of its own folder alone. */
  readonly folder: string;
  readonly state: JobState;
  readonly outcome: Outcome | null;
  /** What is to be said, and how: JSON. */
  readonly speech: string;
  readonly model: string;
  readonly voice: string;
  /** What was reserved. */
  readonly characters: number;
  /** What was debited. */
  readonly credits: number;
  readonly made_characters: number;
  readonly audio_ms: number;
  /** What its files take or are going to take. */
  readonly bytes: number;
  /** Counts the servers that took it: what an earlier one still does is not believed. */
  readonly epoch: number;
  readonly progress: string | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly created_ms: number;
  readonly started_ms: number | null;
  readonly ended_ms: number | null;
  readonly expires_ms: number | null;
  readonly webhook_url: string | null;
  readonly webhook_secret: string | null;
  readonly webhook_state: WebhookState | null;
  readonly webhook_attempts: number;
  readonly webhook_error: string | null;
}

export type NewJob = Pick<
  JobRow,
  | 'id'
  | 'key_id'
  | 'reservation_id'
  | 'folder'
  | 'speech'
  | 'model'
  | 'voice'
  | 'characters'
  | 'bytes'
  | 'webhook_url'
  | 'webhook_secret'
>;

/** How a job ended, as far as its row tells. */
interface JobEnd extends Pick<JobRow, 'made_characters' | 'audio_ms' | 'result' | 'error'> {
  readonly outcome: Outcome;
}

interface OrphanedReservation {
  readonly id: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly model: string;
  readonly voice: string;
}

export interface JobTotals {
  readonly queued: number;
  readonly running: number;
  readonly bytes: number;
}

interface JobFilter {
  readonly keyId?: string | undefined;
  /** Only jobs made before the one of this number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface JobTable {
  /** Adds a `new` job within the key's limits of open jobs and of bytes on the disk. */
  add(
    job: NewJob,
    most: { readonly jobs: number; readonly bytes: number; readonly leaseMs: number },
  ): Promise<'added' | 'too_many' | 'no_room'>;
  /** Its credits are reserved: it may be taken. False where the row was cleared up meanwhile. */
  queue(id: string): Promise<boolean>;
  find(id: string): Promise<JobRow | undefined>;
  /** Jobs of the key that have not ended, and the bytes of all its jobs. */
  sums(keyId: string): Promise<{ readonly open: number; readonly bytes: number }>;
  /** Jobs of a folder that wait and that are made, and the bytes of all its jobs. */
  totals(folder: string): Promise<JobTotals>;
  /** The latest first; none that is `new`. */
  list(filter: JobFilter): Promise<JobRow[]>;
  /**
   * Takes a job of the folder that waits, or one whose server is silent; jobs of keys with few
   * running ones go first. `runs`: also jobs that have to be made, not only those to clear up.
   */
  claim(folder: string, options: { readonly leaseMs: number; readonly runs: boolean }): Promise<JobRow | undefined>;
  /** A sign of life. False where the job was cancelled or taken by another server. */
  beat(id: string, epoch: number, told: { readonly leaseMs: number; readonly progress: string }): Promise<boolean>;
  /** Gives a running job back, to be taken by any server. */
  release(id: string, epoch: number): Promise<void>;
  /** Gives back what servers of a store that is not shared left behind. */
  releaseAll(): Promise<void>;
  /**
   * Decides how a job ends; of several callers one does. `epoch`: only where that server still
   * holds it.
   */
  end(id: string, end: JobEnd, options: { readonly epoch?: number; readonly leaseMs: number }): Promise<boolean>;
  /** Its credits are settled: the end is told from now on. */
  settled(
    id: string,
    told: { readonly credits: number; readonly bytes: number; readonly keepMs: number },
  ): Promise<void>;
  /** The result is gone before its time. */
  forgetResult(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Jobs of a folder whose time is over. */
  expired(folder: string): Promise<JobRow[]>;
  /** Jobs of other folders that nobody has touched for a time: their servers are gone for good. */
  abandoned(folder: string, sinceMs: number): Promise<JobRow[]>;
  /** Reservations without a job: a server died between two steps. */
  orphans(): Promise<OrphanedReservation[]>;
  /** Which of these ids are jobs. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Takes a webhook that is due; it is due again after `holdMs` unless `webhookDone` is called. */
  claimWebhook(holdMs: number): Promise<JobRow | undefined>;
  /** `againMs` undefined: not to be tried again. The secret is forgotten then. */
  webhookDone(
    id: string,
    told: { readonly isDelivered: boolean; readonly error: string | null; readonly againMs?: number | undefined },
  ): Promise<void>;
}
