/** The routes of jobs: for clients with a key, and for visitors of the playground. */
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { JobRow } from '../../accounts/tables/job-rows.js';
import { jobView } from '../../jobs/job-view.js';
import type { Jobs } from '../../jobs/jobs.js';
import { ErrorResponse } from '../../protocol/http.js';
import { JOB_CONTENT_TYPES, JOBS_PATH } from '../../protocol/jobs/names.js';
import { Job, JobList, JobQuery, JobRequest, JobsQuery } from '../../protocol/jobs/schemas.js';
import { checkSource, orderedBy, takeSources } from './job-body.js';
import { sendFile } from './result-file.js';

export interface JobRoutes {
  readonly jobs: Jobs;
  /** Behind the prefix of the door. */
  readonly path: string;
  /** A hook that puts the caller's key on the request. */
  readonly authenticate: onRequestAsyncHookHandler;
  /** Operation ids begin so, and are grouped under the tag. */
  readonly named: { readonly prefix: string; readonly tag: string };
}

type WithId = { Params: { id: string } };

const ID = { type: 'object', properties: { id: { type: 'string' } } };
const BINARY = { schema: { type: 'string', format: 'binary' } };
/** Accepted as it is: only JSON is validated. */
const FILE = { schema: { description: 'The file' } };
const TAKES =
  'A text as JSON, or a file as the body (EPUB, Markdown, plain text, HTML) with its content type and the options in ' +
  'the query. The book is read at once and its characters are reserved whole; what is wrong with it is told here. ' +
  'It is then made behind live listeners, and goes on after a restart where it broke. A job that is cancelled or ' +
  'fails debits nothing.';
const WEBHOOK =
  ' `webhook_url` is told of the end, signed as Standard Webhooks says; where no secret was given, the answer tells ' +
  'the one that was drawn.';

export function jobFile(jobs: Jobs, job: JobRow) {
  return jobs.result(job).then(({ bytes, read }) => {
    const { filename, content_type: contentType } = jobView(job).result!;
    return { bytes, read, filename, contentType, etag: `"${job.id}-${job.epoch}-${bytes}"` };
  });
}

const listOf = (rows: readonly JobRow[], limit: number): JobList => {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? String(shown.at(-1)!.seq) : null;
  return { object: 'list', data: shown.map(jobView), next_cursor: next };
};

const DEFAULT_PAGE = 20;

/** A page of jobs: all of them, or those of one key. */
export async function jobPage(jobs: Jobs, { limit, cursor }: JobsQuery, keyId: string | undefined): Promise<JobList> {
  const most = limit === undefined ? DEFAULT_PAGE : Number(limit);
  const before = cursor === undefined ? undefined : Number(cursor);
  return listOf(await jobs.list({ keyId, before, limit: most + 1 }), most);
}

export function addJobRoutes(app: FastifyInstance, routes: JobRoutes): void {
  const { jobs, path, authenticate, named } = routes;
  takeSources(app);
  const described = (name: string, summary: string, answer: object, status = 200) => ({
    operationId: `${name.replace(/(?=[A-Z])/, named.prefix)}`,
    summary,
    tags: [named.tag],
    security: [{ bearer: [] }],
    response: { [status]: answer, '4xx': ErrorResponse, '5xx': ErrorResponse },
  });
  addSubmission(app, routes, described('createJob', 'Order speech to be fetched later', Job, 202));
  app.get<{ Querystring: JobsQuery }>(
    path,
    {
      schema: { ...described('listJobs', 'Jobs, the latest first', JobList), querystring: JobsQuery },
      onRequest: authenticate,
    },
    async ({ key, query }) => jobPage(jobs, query, key.id),
  );
  const one = { onRequest: authenticate, logLevel: 'warn' } as const;
  app.get<WithId>(
    `${path}/:id`,
    { ...one, schema: { ...described('getJob', 'State and progress of a job', Job), params: ID } },
    async ({ key, params }) => jobView(await jobs.find(params.id, key.id)),
  );
  const ending = 'Cancel a job; nothing is debited. One that has ended stays as it is';
  app.delete<WithId>(
    `${path}/:id`,
    { ...one, schema: { ...described('cancelJob', ending, Job), params: ID } },
    async ({ key, params }) => jobView(await jobs.cancel(params.id, key.id)),
  );
  const content = Object.fromEntries([...new Set(Object.values(JOB_CONTENT_TYPES))].map((type) => [type, BINARY]));
  const send = async (request: FastifyRequest<WithId>, reply: FastifyReply) =>
    sendFile(request, reply, await jobFile(jobs, await jobs.find(request.params.id, request.key.id)));
  app.head<WithId>(`${path}/:id/result`, { ...one, schema: { hide: true } }, send);
  app.get<WithId>(
    `${path}/:id/result`,
    {
      ...one,
      exposeHeadRoute: false,
      schema: {
        ...described('getJobResult', 'The finished file; range requests are answered', {}),
        params: ID,
        response: {
          200: { description: 'The file', content },
          206: { description: 'A part', content },
          '4xx': ErrorResponse,
        },
      },
    },
    send,
  );
  app.delete<WithId>(
    `${path}/:id/result`,
    {
      ...one,
      schema: { ...described('deleteJobResult', 'Remove a result before its time', { type: 'null' }, 204), params: ID },
    },
    async ({ key, params }, reply) => {
      await jobs.removeResult(params.id, key.id);
      return reply.code(204).send();
    },
  );
}

function addSubmission(app: FastifyInstance, routes: JobRoutes, schema: Record<string, unknown>): void {
  const { jobs, path, authenticate } = routes;
  const { bodyBytes } = jobs.limits;
  const files = Object.fromEntries(
    ['application/epub+zip', 'text/markdown', 'text/plain', 'text/html', 'application/octet-stream'].map((type) => [
      type,
      FILE,
    ]),
  );
  app.post(
    path,
    {
      schema: {
        ...schema,
        description: `${TAKES}${WEBHOOK}`,
        querystring: JobQuery,
        body: { content: { 'application/json': { schema: JobRequest }, ...files } },
      },
      onRequest: [authenticate, checkSource(bodyBytes), async ({ key }) => jobs.accepts(key)],
    },
    async (request, reply) => submit(jobs, request, reply),
  );
}

async function submit(jobs: Jobs, request: FastifyRequest, reply: FastifyReply): Promise<Job> {
  const { key, exchange } = request;
  const { order, name, write } = orderedBy(request, jobs.limits.bodyBytes);
  const source = jobs.receive(key, name);
  let isTaken = false;
  try {
    const bytes = await write(source.path);
    const job = await jobs.submit(key, order, { id: source.id, name, bytes }, exchange.signal);
    isTaken = true;
    const view = jobView(job);
    const secret = job.webhook_secret;
    reply.code(202).header('location', `${JOBS_PATH}/${job.id}`);
    return secret === null ? view : { ...view, webhook: { ...view.webhook!, secret } };
  } finally {
    await source.end(isTaken);
  }
}
