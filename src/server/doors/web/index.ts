/**
 * The playground at /, the comparison at /compare, the dashboard at /dashboard with a page at each
 * address below it, the routes that the playground calls, and the client for other pages.
 */
import { PLAYGROUND_JOBS_PATH, PLAYGROUND_PATH } from '../../../protocol/pages.js';
import type { Door } from '../../door.js';
import { addJobRoutes } from '../../jobs/job-routes.js';
import { PAGE_ROUTE, sendPage } from '../../web-assets.js';
import { addPlayground } from './playground-routes.js';
import { playgroundSockets } from './playground-socket.js';
import { visitorsOf } from './visitors.js';

const PAGES = {
  '/client.js': 'client.js',
  '/': 'index.html',
  '/compare': 'compare.html',
  '/dashboard': 'dashboard.html',
  '/dashboard/:page': 'dashboard.html',
} as const;

export const WEB: Door = {
  prefix: '',
  sockets: playgroundSockets,
  async routes(app, parts) {
    await app.register(async (scope) => addPlayground(scope, parts), { prefix: PLAYGROUND_PATH });
    const { jobs } = parts;
    if (jobs !== undefined) {
      await app.register(async (scope) => {
        const { visitor } = visitorsOf(scope, parts);
        const named = { prefix: 'Playground', tag: 'playground' };
        addJobRoutes(scope, { jobs, path: PLAYGROUND_JOBS_PATH, authenticate: visitor, named });
      });
    }
    for (const [path, name] of Object.entries(PAGES)) {
      app.get(path, PAGE_ROUTE, (request, reply) => sendPage(name, request, reply));
    }
  },
};
