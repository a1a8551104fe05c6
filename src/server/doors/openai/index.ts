/**
 * OpenAI's dialect under /openai/v1, with our keys, limits and credits, and what other servers with
 * Kokoro's voices have beside it.
 */
import { isMix } from '../../../models/voice-mix.js';
import type { Door } from '../../door.js';
import { takeJson } from '../../json-body.js';
import { addSpeechRoute } from '../../speech/speech-endpoint.js';
import { CaptionedRequest, captionedOrder } from './captioned-speech.js';
import { openaiError } from './errors.js';
import { addLists } from './lists-routes.js';
import { modelAlias, VOICE_ALIASES } from './names.js';
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
  prefix: '/openai',
  routes(app, parts) {
    takeJson(app);
    addSpeechRoute<{ Body: SpeechRequest }>(app, parts, {
      path: '/v1/audio/speech',
      route: 'openai_speech',
      schema: { hide: true, body: SpeechRequest },
      dropsNulls: true,
      order: ({ body, key, headers }) => speechOrder(body, key, { catalogue: parts.catalogue, prefer: headers.prefer }),
    });
    addSpeechRoute<{ Body: CaptionedRequest }>(app, parts, {
      path: '/dev/captioned_speech',
      route: 'openai_captioned_speech',
      schema: { hide: true, body: CaptionedRequest },
      dropsNulls: true,
      order: ({ body, key }) => captionedOrder(body, key, parts.catalogue),
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
  family: {
    name: 'OpenAI',
    basePath: '/openai/v1',
    knowsModel: (name) => modelAlias(name) !== undefined,
    knowsVoice: (name) => VOICE_ALIASES.has(name.toLowerCase()) || /^[a-z]{2}_[a-z]+$/.test(name) || isMix(name),
  },
  forgivesSlashes: true,
};
