/** The door of jobs: speech that is ordered now and fetched later. */
import { TtsError } from '../../../protocol/errors.js';
import { JOBS_PATH } from '../../../protocol/jobs/names.js';
import type { Door } from '../../door.js';
import { addJobRoutes } from '../../jobs/job-routes.js';

const PREFIX = '/jobs/v1';

export const JOBS: Door = {
  prefix: PREFIX,
  corsHeaders: ['range', 'if-range', 'if-none-match'],
  corsMethods: ['DELETE'],
  routes(app, { jobs, authenticate }) {
    const path = JOBS_PATH.slice(PREFIX.length);
    if (jobs !== undefined) {
      addJobRoutes(app, { jobs, path, authenticate, named: { prefix: '', tag: 'jobs' } });
      return;
    }
    app.route({
      method: ['GET', 'POST', 'DELETE'],
      url: `${path}*`,
      schema: { hide: true },
      handler: async () => {
        throw new TtsError('jobs_off', 'This server takes no jobs: --jobs is off, or --jobs-dir names no folder.');
      },
    });
  },
};
