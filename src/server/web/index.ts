/** The door of the pages: the playground at /, the dashboard at /dashboard, and what the playground asks of its server. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { DoorOptions } from '../deps.js';
import { notFound } from '../error-handler.js';
import { type Asset, loadAssets, sendAsset } from './assets.js';
import { playgroundRoutes } from './playground-routes.js';

const PAGES = { '/': 'index.html', '/dashboard': 'dashboard.html' } as const;

export const webDoor: FastifyPluginAsync<DoorOptions & { readonly version: string }> = async (app, door) => {
  const assets = loadAssets();
  await app.register(playgroundRoutes, door);
  const send = (asset: Asset | undefined, request: FastifyRequest, reply: FastifyReply) => {
    if (asset === undefined) throw notFound(request);
    return sendAsset(asset, request, reply);
  };
  const quiet = { logLevel: 'warn', schema: { hide: true } } as const;
  for (const [path, name] of Object.entries(PAGES)) {
    app.get(path, quiet, (request, reply) => send(assets.get(name), request, reply));
  }
  app.get<{ Params: { name: string } }>('/assets/:name', quiet, (request, reply) =>
    send(assets.get(`assets/${request.params.name}`), request, reply),
  );
};
