/** What happens now: /admin/v1/status (queue, workers, speed), live sessions and how to end one, the last failures. */
import type { FastifyPluginAsync } from 'fastify';
import { AdminFailures, AdminStatus, LiveSessions } from '../../../protocol/admin.js';
import { TtsError } from '../../../protocol/errors.js';
import { ErrorResponse } from '../../../protocol/http.js';
import { type AdminDoor, onlyKey } from './door.js';

const described = (operationId: string, summary: string) => ({ operationId, summary, tags: ['admin'] });
const answers = (ok: object, status = 200) => ({ [status]: ok, '4xx': ErrorResponse });

export const liveRoutes: FastifyPluginAsync<AdminDoor> = async (app, { admin, deps, grants, signedIn, operator }) => {
  const startedAt = new Date().toISOString();

  app.get(
    '/status',
    {
      logLevel: 'warn',
      schema: { ...described('getStatus', 'Queue, workers, devices and speed'), response: answers(AdminStatus) },
      onRequest: operator,
    },
    async (): Promise<AdminStatus> => {
      const { open, limit, queuedSegments, runningSegments } = admin.gateway.stats;
      const { freeConcurrency, freeDaily, partnerConcurrency } = deps.accounts.limits;
      const { recent } = deps.metrics;
      const { unusable } = admin.gateway;
      return {
        version: admin.version,
        time: new Date().toISOString(),
        started_at: startedAt,
        ready: deps.gateway.ready,
        readiness: deps.gateway.readiness,
        memory_bytes: process.memoryUsage.rss(),
        places: { taken: open, limit },
        segments: { queued: queuedSegments, running: runningSegments },
        limits: {
          free_concurrency: freeConcurrency,
          free_daily: freeDaily,
          partner_concurrency: partnerConcurrency,
        },
        workers: admin.workers().map(({ id, state, description, capacity, busy, restarts, lastError }) => ({
          id,
          state,
          device: description ?? null,
          capacity,
          busy,
          restarts,
          error: state === 'ready' ? null : (lastError?.message ?? null),
          unusable: unusable.get(id) ?? null,
        })),
        speed: {
          step_ms: recent.stepMs,
          points: recent.points().map((point) => ({
            at_ms: point.atMs,
            first_audio_p50_ms: point.firstAudioP50Ms,
            first_audio_p95_ms: point.firstAudioP95Ms,
            real_time_factor: point.realTimeFactor,
            audio_ms: point.audioMs,
            sessions: point.sessions,
          })),
        },
      };
    },
  );

  app.get(
    '/sessions',
    {
      logLevel: 'warn',
      schema: { ...described('listSessions', 'Requests and sessions in progress'), response: answers(LiveSessions) },
      onRequest: signedIn,
    },
    async ({ caller }) => ({
      data: grants.live(onlyKey(caller)).map((session) => ({
        id: session.id,
        request_id: session.requestId,
        key_id: session.keyId,
        route: session.route,
        model: session.model,
        voice: session.voice,
        started_at: session.startedAt,
        characters: session.chars,
        first_audio_ms: session.firstMs === undefined ? null : Math.round(session.firstMs),
      })),
    }),
  );

  app.delete<{ Params: { id: string } }>(
    '/sessions/:id',
    {
      schema: {
        ...described('endSession', 'End a session; its client is told `session_ended`, and nothing is debited'),
        params: { type: 'object', properties: { id: { type: 'string' } } },
        response: { 204: { type: 'null' }, '4xx': ErrorResponse },
      },
      onRequest: signedIn,
    },
    async ({ params, caller }, reply) => {
      if (!grants.stop(params.id, onlyKey(caller))) {
        throw new TtsError('not_found', 'There is no such session; it may have ended already.');
      }
      return reply.code(204).send();
    },
  );

  app.get(
    '/errors',
    {
      logLevel: 'warn',
      schema: {
        ...described('listErrors', 'The last failed requests, the latest first'),
        response: answers(AdminFailures),
      },
      onRequest: signedIn,
    },
    async ({ caller }) => ({
      data: grants.failures.list(onlyKey(caller)).map(({ time, requestId, route, keyId, status, code, message }) => ({
        time,
        request_id: requestId,
        route,
        key_id: keyId ?? null,
        status,
        code,
        message,
      })),
    }),
  );
};
