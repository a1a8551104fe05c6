/** /admin/v1/jobs: jobs of all keys, or of the one that is signed in. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { jobView } from '../../../jobs/job-view.js';
import { TtsError } from '../../../protocol/errors.js';
import { Job, JobList, JobsQuery } from '../../../protocol/jobs/schemas.js';
import { jobFile, jobPage } from '../../jobs/job-routes.js';
import { sendFile } from '../../jobs/result-file.js';
import { type AdminParts, described, ID, NO_CONTENT, onlyKey } from './parts.js';

type WithId = { Params: { id: string } };

export function addJobs(app: FastifyInstance, { jobs: taken, signedIn }: AdminParts): void {
  const jobs = () => {
    if (taken !== undefined) return taken;
    throw new TtsError('jobs_off', 'This server takes no jobs: --jobs is off, or --jobs-dir names no folder.');
  };
  const one = { onRequest: signedIn, logLevel: 'warn' } as const;
  app.get<{ Querystring: JobsQuery }>(
    '/jobs',
    { ...one, schema: { ...described('listAllJobs', 'Jobs, the latest first', JobList), querystring: JobsQuery } },
    async ({ query, caller }) => jobPage(jobs(), query, onlyKey(caller)),
  );
  app.delete<WithId>(
    '/jobs/:id',
    { ...one, schema: { ...described('endJob', 'Cancel a job; nothing is debited', Job), params: ID } },
    async ({ params, caller }) => jobView(await jobs().cancel(params.id, onlyKey(caller))),
  );
  const send = async (request: FastifyRequest<WithId>, reply: FastifyReply) => {
    const job = await jobs().find(request.params.id, onlyKey(request.caller));
    return sendFile(request, reply, await jobFile(jobs(), job));
  };
  const file = described('fetchJobResult', 'The finished file', { description: 'The file' });
  app.head<WithId>('/jobs/:id/result', { ...one, schema: { hide: true } }, send);
  app.get<WithId>('/jobs/:id/result', { ...one, exposeHeadRoute: false, schema: { ...file, params: ID } }, send);
  app.delete<WithId>(
    '/jobs/:id/result',
    {
      ...one,
      schema: { ...described('removeJobResult', 'Remove a result before its time', NO_CONTENT, 204), params: ID },
    },
    async ({ params, caller }, reply) => {
      await jobs().removeResult(params.id, onlyKey(caller));
      return reply.code(204).send();
    },
  );
}
