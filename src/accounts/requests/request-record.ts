/** A row of the request log as `tts requests --json` and the admin API show it. */
import type { AdminRequest } from '../../protocol/admin.js';
import type { LoggedRequest } from '../store.js';

export const requestRecord = (row: LoggedRequest): AdminRequest => ({
  time: row.time,
  request_id: row.requestId,
  key_id: row.keyId,
  route: row.route,
  model: row.model,
  voice: row.voice,
  characters: row.characters,
  credits: row.credits,
  audio_ms: row.audioMs,
  duration_ms: row.durationMs,
  first_audio_ms: row.firstAudioMs,
  breaks: row.breaks,
  outcome: row.outcome,
  error: row.error,
  worker: row.worker,
  trace_id: row.traceId,
});
