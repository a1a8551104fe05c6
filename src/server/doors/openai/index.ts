/** OpenAI's door: their paths, fields, defaults and errors under /openai/v1, with our keys, limits and credits. */
import { createErrorHandler } from '../../error-handler.js';
import type { ForeignDoor } from '../../foreign-door.js';
import { openaiError } from './errors.js';
import { listsRoutes } from './lists-routes.js';
import { OPENAI_PAGE } from './page.js';
import { speechRoute } from './speech-route.js';

const handleError = createErrorHandler(openaiError);

const STAINLESS = [
  'arch',
  'async',
  'custom-poll-interval',
  'helper-method',
  'lang',
  'os',
  'package-version',
  'poll-helper',
  'retry-count',
  'runtime',
  'runtime-version',
  'timeout',
];

const routes: ForeignDoor['routes'] = async (app, door) => {
  app.setErrorHandler(handleError);
  await app.register(speechRoute, door);
  await app.register(listsRoutes, door);
};

export const OPENAI: ForeignDoor = {
  prefix: '/openai/v1',
  routes,
  handleError,
  corsHeaders: [
    'idempotency-key',
    'openai-organization',
    'openai-project',
    'user-agent',
    ...STAINLESS.map((name) => `x-stainless-${name}`),
  ],
  page: OPENAI_PAGE,
};
