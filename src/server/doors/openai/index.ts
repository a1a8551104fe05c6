/** OpenAI's dialect under /openai/v1, with our keys, limits and credits. */
import type { Door } from '../../door.js';
import { takeJson } from '../../json-body.js';
import { addSpeechRoute } from '../../speech/speech-endpoint.js';
import { openaiError } from './errors.js';
import { addLists } from './lists-routes.js';
import { OPENAI_PAGE } from './page.js';
import { SpeechRequest, speechOrder } from './speech-request.js';

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

export const OPENAI: Door = {
  prefix: '/openai/v1',
  routes(app, parts) {
    takeJson(app);
    addSpeechRoute<{ Body: SpeechRequest }>(app, parts, {
      path: '/audio/speech',
      route: 'openai_speech',
      schema: { hide: true, body: SpeechRequest },
      unused: ['instructions'],
      dropsNulls: true,
      order: ({ body, key }) => speechOrder(body, key, parts.catalogue),
    });
    addLists(app, parts);
  },
  errors: openaiError,
  page: OPENAI_PAGE,
  corsHeaders: [
    'idempotency-key',
    'openai-organization',
    'openai-project',
    'user-agent',
    ...STAINLESS.map((name) => `x-stainless-${name}`),
  ],
  forgivesSlashes: true,
};
