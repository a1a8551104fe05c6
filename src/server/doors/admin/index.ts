/** The operator's door: everything under /admin/v1, which is everything the dashboard does. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { TtsError } from '../../../protocol/errors.js';
import { ADMIN_PATH } from '../../../protocol/pages.js';
import type { AdminDeps, DoorOptions } from '../../deps.js';
import { takeJson } from '../../json-body.js';
import type { AdminDoor } from './door.js';
import { keysRoutes } from './keys-routes.js';
import { liveRoutes } from './live-routes.js';
import { requestsRoutes } from './requests-routes.js';
import { sessionRoutes } from './session-routes.js';
import { SignIns } from './sign-ins.js';
import { usageRoutes } from './usage-routes.js';

export const adminDoor: FastifyPluginAsync<DoorOptions & { readonly admin: AdminDeps }> = async (app, door) => {
  const { admin, authenticator, deps, proxies } = door;
  takeJson(app);
  app.decorateRequest('caller', undefined as never);
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  const { accounts } = deps;
  const { addressOf } = proxies;
  const signIns = new SignIns({ secret: admin.secret, store: admin.store, accounts, authenticator, addressOf });
  const signedIn = async (request: FastifyRequest) => {
    request.caller = await signIns.caller(request.raw);
  };
  const operator = async (request: FastifyRequest) => {
    await signedIn(request);
    if (request.caller.role !== 'admin') {
      throw new TtsError('operator_required', 'This is for the operator: sign in with the admin secret.');
    }
  };
  const rooms: AdminDoor = { ...door, signIns, signedIn, operator };
  await app.register(
    async (routes) => {
      for (const plugin of [sessionRoutes, keysRoutes, usageRoutes, liveRoutes, requestsRoutes])
        await routes.register(plugin, rooms);
    },
    { prefix: ADMIN_PATH },
  );
};
