/** A job as clients see it. */
import type { JobRow } from '../accounts/tables/job-rows.js';
import type { SpeechModel } from '../protocol/contract.js';
import { JOB_CONTENT_TYPES, JOBS_PATH } from '../protocol/jobs/names.js';
import type { Job } from '../protocol/jobs/schemas.js';
import type { JobProgress, JobResult, KeptOrder } from './order.js';

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const NOTHING_YET: JobProgress = { characters: 0, audioMs: 0, chapter: null, leftMs: null };

/** A name that every file system takes. */
const resultName = ({ title, format }: Pick<KeptOrder, 'title' | 'format'>): string => {
  const name = title
    .replace(/[\p{Cc}/\\:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  return `${name.slice(0, 80).trim() || 'speech'}.${format}`;
};

/** An end is told once it is settled; a cancelled job is told at once. */
function statusOf({ state, outcome }: Pick<JobRow, 'state' | 'outcome'>): Job['status'] {
  if (outcome !== null && (state === 'ended' || outcome !== 'completed')) return outcome;
  return state === 'queued' ? 'queued' : 'running';
}

export const resultOf = ({ result, outcome, state }: JobRow): JobResult | undefined =>
  result === null || outcome !== 'completed' || state !== 'ended' ? undefined : (JSON.parse(result) as JobResult);

function progressOf(row: JobRow, status: Job['status']): Job['progress'] {
  const told = row.progress === null ? NOTHING_YET : (JSON.parse(row.progress) as JobProgress);
  if (status === 'completed') {
    const { characters, audio_ms: audioMs } = row;
    return { percent: 100, chapter: null, characters, audio_ms: audioMs, left_ms: 0 };
  }
  return {
    percent: Math.min(99, Math.floor((100 * told.characters) / Math.max(1, row.characters))),
    chapter: status === 'running' ? told.chapter : null,
    characters: told.characters,
    audio_ms: Math.round(told.audioMs),
    left_ms: status === 'running' ? told.leftMs : null,
  };
}

export function jobView(row: JobRow): Job {
  const order = JSON.parse(row.speech) as KeptOrder;
  const status = statusOf(row);
  const result = resultOf(row);
  return {
    id: row.id,
    object: 'speech.job',
    status,
    key_id: row.key_id,
    model: row.model as SpeechModel,
    voice: row.voice,
    speed: order.speed,
    format: order.format,
    title: order.title,
    author: order.author,
    chapters: order.chapters.map(({ title, characters }) => ({ title, characters })),
    characters: row.characters,
    credits: row.credits,
    created_at: isoOf(row.created_ms)!,
    started_at: isoOf(row.started_ms),
    ended_at: isoOf(row.ended_ms),
    expires_at: isoOf(row.expires_ms),
    progress: progressOf(row, status),
    result: result
      ? {
          url: `${JOBS_PATH}/${row.id}/result`,
          filename: resultName(order),
          content_type: JOB_CONTENT_TYPES[order.format],
          bytes: result.bytes,
          audio_ms: row.audio_ms,
        }
      : null,
    error: row.error === null ? null : (JSON.parse(row.error) as NonNullable<Job['error']>),
    webhook:
      row.webhook_url === null
        ? null
        : {
            url: row.webhook_url,
            status: row.webhook_state ?? 'waiting',
            attempts: row.webhook_attempts,
            error: row.webhook_error,
          },
  };
}
