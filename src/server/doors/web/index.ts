/** The door of the pages: the playground at /, the dashboard at /dashboard, and what the playground asks of its server. */
import type { FastifyPluginAsync } from 'fastify';
import type { DoorOptions } from '../../deps.js';
import { PAGE_ROUTE, sendPage } from '../../web-assets.js';
import { playgroundRoutes } from './playground-routes.js';

const PAGES = { '/': 'index.html', '/dashboard': 'dashboard.html' } as const;

interface WebDoorOptions extends DoorOptions {
  readonly version: string;
}

export const webDoor: FastifyPluginAsync<WebDoorOptions> = async (app, door) => {
  await app.register(playgroundRoutes, door);
  for (const [path, name] of Object.entries(PAGES)) {
    app.get(path, PAGE_ROUTE, (request, reply) => sendPage(name, request, reply));
  }
};
