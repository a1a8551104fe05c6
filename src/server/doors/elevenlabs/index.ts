/** ElevenLabs' door: their paths, fields, defaults and errors under /elevenlabs, with our keys, limits and credits. */
import { TtsError } from '../../../protocol/errors.js';
import { bodyTooLarge, createErrorHandler } from '../../error-handler.js';
import type { ForeignDoor } from '../../foreign-door.js';
import { elevenlabsError } from './errors.js';
import { listsRoutes } from './lists-routes.js';
import { OpenSockets } from './open-sockets.js';
import { ELEVENLABS_PAGE } from './page.js';
import { createElevenLabsSocket, SOCKET_PATHS } from './sockets.js';
import { MAX_REQUEST_BYTES } from './speech-request.js';
import { speechRoutes } from './speech-routes.js';
import { WaitingContexts } from './waiting-contexts.js';

const PREFIX = '/elevenlabs';

const told = createErrorHandler(elevenlabsError);
const handleError: ForeignDoor['handleError'] = (error, request, reply) => {
  const isTooLarge = (error as { code?: unknown }).code === 'FST_ERR_CTP_BODY_TOO_LARGE';
  told(isTooLarge ? bodyTooLarge(MAX_REQUEST_BYTES) : error, request, reply);
};

const routes: ForeignDoor['routes'] = async (app, door) => {
  app.setErrorHandler(handleError);
  await app.register(speechRoutes, door);
  await app.register(listsRoutes, door);
  for (const path of Object.values(SOCKET_PATHS)) {
    app.get(path.slice(PREFIX.length), { schema: { hide: true } }, async () => {
      throw new TtsError('upgrade_required', 'This path speaks WebSocket: connect with ws:// or wss:// instead.');
    });
  }
};

export const ELEVENLABS: ForeignDoor = {
  prefix: PREFIX,
  routes,
  handleError,
  corsHeaders: [
    'user-agent',
    ...['language', 'runtime', 'runtime-version', 'sdk-name', 'sdk-version'].map((name) => `x-fern-${name}`),
  ],
  page: ELEVENLABS_PAGE,
  sockets(deps, grants) {
    const shares = { waiting: new WaitingContexts(), sockets: new OpenSockets(deps.accounts) };
    return [
      { path: SOCKET_PATHS.single, handler: createElevenLabsSocket(deps, grants, shares, 'single') },
      { path: SOCKET_PATHS.multi, handler: createElevenLabsSocket(deps, grants, shares, 'multi') },
    ];
  },
};
