/** What happens now: queue, workers and speed, sessions and how to end one, the last failures. */
import type { FastifyInstance } from 'fastify';
import { AdminFailures, AdminStatus, LiveSessions } from '../../../protocol/admin.js';
import { TtsError } from '../../../protocol/errors.js';
import { BASE_MODELS } from '../../../protocol/job.js';
import type { Failure } from '../../access/recent-failures.js';
import type { LiveWork } from '../../speech/permit.js';
import { type AdminParts, described, ID, NO_CONTENT, onlyKey } from './parts.js';

/** The dashboard asks for these every few seconds: without a log line each. */
const QUIET = { logLevel: 'warn' } as const;

export function addLive(app: FastifyInstance, parts: AdminParts): void {
  const { permits, signedIn, operator } = parts;
  const startedAt = new Date().toISOString();
  app.get(
    '/status',
    {
      ...QUIET,
      schema: described('getStatus', 'Queue, workers, devices and speed', AdminStatus),
      onRequest: operator,
    },
    async () => statusOf(parts, startedAt),
  );
  app.get(
    '/sessions',
    {
      ...QUIET,
      schema: described('listSessions', 'Requests and sessions in progress', LiveSessions),
      onRequest: signedIn,
    },
    async ({ caller }) => ({ data: permits.live(onlyKey(caller)).map(liveSession) }),
  );
  const ending = 'End a session; its client is told `session_ended`, and nothing is debited';
  app.delete<{ Params: { id: string } }>(
    '/sessions/:id',
    { schema: { ...described('endSession', ending, NO_CONTENT, 204), params: ID }, onRequest: signedIn },
    async ({ params, caller }, reply) => {
      if (!permits.stop(params.id, onlyKey(caller))) {
        throw new TtsError('not_found', 'There is no such session; it may have ended already.');
      }
      return reply.code(204).send();
    },
  );
  app.get(
    '/errors',
    {
      ...QUIET,
      schema: described('listErrors', 'The last failed requests, the latest first', AdminFailures),
      onRequest: signedIn,
    },
    async ({ caller }) => ({ data: permits.failures.list(onlyKey(caller)).map(adminFailure) }),
  );
}

function statusOf({ admin, accounts, gateway, metrics }: AdminParts, startedAt: string): AdminStatus {
  const { open, limit, queuedSegments, runningSegments, usable } = admin.gateway.stats;
  const { freeConcurrency, freeDaily, partnerConcurrency } = accounts.limits;
  const { unusable } = admin.gateway;
  return {
    version: admin.version,
    time: new Date().toISOString(),
    started_at: startedAt,
    ready: gateway.ready,
    readiness: gateway.readiness,
    memory_bytes: process.memoryUsage.rss(),
    text_version: usable.textVersion,
    places: { taken: open, limit },
    segments: { queued: queuedSegments, running: runningSegments },
    limits: {
      free_concurrency: freeConcurrency,
      free_daily: freeDaily,
      partner_concurrency: partnerConcurrency,
    },
    workers: admin
      .workers()
      .map((worker) => ({ ...adminWorker(worker, usable.textVersion), unusable: unusable.get(worker.id) ?? null })),
    speed: {
      step_ms: metrics.recent.stepMs,
      points: metrics.recent.points().map((point) => ({
        at_ms: point.atMs,
        first_audio_p50_ms: point.firstAudioP50Ms,
        first_audio_p95_ms: point.firstAudioP95Ms,
        real_time_factor: point.realTimeFactor,
        audio_ms: point.audioMs,
        sessions: point.sessions,
      })),
    },
  };
}

type ObservedWorker = ReturnType<AdminParts['admin']['workers']>[number];

const adminWorker = (worker: ObservedWorker, ownTextVersion: string) => ({
  id: worker.id,
  state: worker.state,
  device: worker.description ?? null,
  capacity: worker.capacity,
  busy: worker.busy,
  others: worker.others,
  round_trip_ms: worker.roundTripMs ?? 0,
  models: worker.state === 'ready' ? BASE_MODELS.filter((model) => worker.unusable?.(model) === undefined) : [],
  version: worker.version ?? null,
  // An engine process of this machine reads as its gateway does.
  text_version: (worker.unusable === undefined ? ownTextVersion : worker.textVersion) || null,
  restarts: worker.restarts,
  error: worker.state === 'ready' ? null : (worker.lastError?.message ?? null),
});

const liveSession = (work: LiveWork) => ({
  id: work.id,
  request_id: work.requestId,
  key_id: work.keyId,
  route: work.route,
  model: work.model,
  voice: work.voice,
  started_at: work.startedAt,
  characters: work.chars,
  first_audio_ms: work.firstAudioMs === undefined ? null : Math.round(work.firstAudioMs),
});

const adminFailure = ({ time, requestId, route, keyId, status, code, message }: Failure) => ({
  time,
  request_id: requestId,
  route,
  key_id: keyId ?? null,
  status,
  code,
  message,
});
