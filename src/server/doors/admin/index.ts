/** The operator's door: everything under /admin/v1, which is everything the dashboard does. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { TtsError } from '../../../protocol/errors.js';
import { ADMIN_PATH } from '../../../protocol/pages.js';
import type { Door, ServerParts } from '../../door.js';
import { takeJson } from '../../json-body.js';
import { addComparisonSums } from './comparisons-routes.js';
import { addJobs } from './jobs-routes.js';
import { addKept } from './kept-routes.js';
import { addKeys } from './keys-routes.js';
import { addLive } from './live-routes.js';
import type { AdminParts } from './parts.js';
import { addRequests } from './requests-routes.js';
import { addSession } from './session-routes.js';
import { addSettings } from './settings-routes.js';
import { SignIns } from './sign-ins.js';
import { addUsage } from './usage-routes.js';

export const ADMIN: Door = { prefix: ADMIN_PATH, routes };

function routes(app: FastifyInstance, server: ServerParts): void {
  takeJson(app);
  app.decorateRequest('caller', undefined as never);
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  const { admin, proxies } = server;
  const signIns = new SignIns({ ...server, ...admin, addressOf: (request) => proxies.addressOf(request) });
  const signedIn = async (request: FastifyRequest) => {
    request.caller = await signIns.caller(request.raw);
  };
  const operator = async (request: FastifyRequest) => {
    await signedIn(request);
    if (request.caller.role !== 'admin') {
      throw new TtsError('operator_required', 'This is for the operator: sign in with the admin secret.');
    }
  };
  const parts: AdminParts = { ...server, signIns, signedIn, operator };
  const all = [addSession, addKeys, addUsage, addLive, addRequests, addSettings, addComparisonSums, addKept, addJobs];
  for (const add of all) add(app, parts);
}
